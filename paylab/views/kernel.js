
// ---- The kernel behind a widget: a form that lost it can send nothing, an inbox gets nothing.

const RESTARTED = "The kernel was restarted: run this cell again.";
const STOPPED = "The kernel has stopped: run this cell again.";
const ENDS = { restarting: RESTARTED, autorestarting: RESTARTED, terminating: STOPPED, dead: STOPPED };

// Calls `lost(text)` when the kernel that drew the widget restarts or ends. Front ends other than
// JupyterLab may not show their kernel: there the end of the connection is all that is noticed.
function kernelOf(model, lost) {
  const manager = model.widget_manager;
  const changed = (_, status) => status in ENDS && lost(ENDS[status]);
  const ended = () => lost(STOPPED);
  const disconnected = () => lost(RESTARTED);
  let kernel = null;
  function follow(current) {
    kernel?.statusChanged.disconnect(changed);
    kernel?.disposed.disconnect(ended);
    kernel = current;
    kernel?.statusChanged.connect(changed);
    kernel?.disposed.connect(ended);
  }
  model.on("comm_live_update", disconnected);
  return {
    // The kernel has answered: from now on it is this one that the widget depends on.
    answered() {
      const current = manager?.kernel ?? null;
      if (current !== kernel) follow(current);
    },
    // Before a message: whether it would reach nobody.
    check() {
      if (!kernel) return;
      if (kernel.isDisposed || manager.kernel !== kernel) lost(STOPPED);
      else if (kernel.status in ENDS) lost(ENDS[kernel.status]);
    },
    close() {
      follow(null);
      model.off("comm_live_update", disconnected);
    },
  };
}
