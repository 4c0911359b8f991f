
// ---- The kernel behind a widget: a form that lost it can send nothing, an inbox gets nothing.

const RESTARTED = "The kernel was restarted: run the notebook from the top.";
const STOPPED = "The kernel has stopped: run the notebook from the top.";
const END_MESSAGES = {
  restarting: RESTARTED,
  autorestarting: RESTARTED,
  terminating: STOPPED,
  dead: STOPPED,
};

// Calls `onLost(text)` when the kernel that drew the widget restarts or ends. Front ends other than
// JupyterLab may not show their kernel: there the end of the connection is all that is noticed.
function watchKernel(model, onLost) {
  const manager = model.widget_manager;
  const handleStatus = (_, status) => status in END_MESSAGES && onLost(END_MESSAGES[status]);
  const handleEnd = () => onLost(STOPPED);
  const handleDisconnect = () => onLost(RESTARTED);
  let kernel = null;
  function followKernel(newKernel) {
    kernel?.statusChanged.disconnect(handleStatus);
    kernel?.disposed.disconnect(handleEnd);
    kernel = newKernel;
    kernel?.statusChanged.connect(handleStatus);
    kernel?.disposed.connect(handleEnd);
  }
  model.on("comm_live_update", handleDisconnect);
  return {
    // Called when the kernel answers: from now on the widget depends on this one.
    handleAnswer() {
      const current = manager?.kernel ?? null;
      if (current !== kernel) followKernel(current);
    },
    // Called before a message is sent: reports a kernel that is gone.
    checkConnection() {
      if (!kernel) return;
      if (kernel.isDisposed || manager.kernel !== kernel) onLost(STOPPED);
      else if (kernel.status in END_MESSAGES) onLost(END_MESSAGES[kernel.status]);
    },
    close() {
      followKernel(null);
      model.off("comm_live_update", handleDisconnect);
    },
  };
}
