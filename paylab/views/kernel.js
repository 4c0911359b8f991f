
// ---- Ids in tables: without their middle, whole as the title and when copied.

const LONG_ID = /([a-z]+_)[0-9A-Za-z]{12,}([0-9A-Za-z]{4})(?![0-9A-Za-z])/g;
const COPY_ICON =
  '<svg aria-hidden="true" width="13" height="13" viewBox="0 0 16 16" fill="none" ' +
  'style="max-width:none" stroke="currentColor" stroke-width="1.5">' +
  '<rect x="5" y="5" width="9" height="9" rx="1.5"/>' +
  '<path d="M11 2.5H3.5a1 1 0 0 0-1 1V11"/></svg>';

// The nodes of a cell: its text, and a button that copies the id in it.
function withShortIds(text) {
  const [id] = text.match(LONG_ID) ?? [];
  if (!id) return [text];
  const short = document.createElement("span");
  short.textContent = text.replace(LONG_ID, "$1…$2");
  short.title = text;
  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "paylab-copy";
  copy.tabIndex = -1;
  copy.title = `Copy ${id}`;
  copy.setAttribute("aria-label", `Copy ${id}`);
  copy.innerHTML = COPY_ICON;
  copy.addEventListener("click", () => navigator.clipboard?.writeText(id));
  return [short, copy];
}

// Adds a dot in the colour of a tone before the text of a cell; none without a tone.
function addDot(cell, tone) {
  if (!tone) return;
  const dot = document.createElement("span");
  dot.className = "paylab-dot";
  dot.dataset.tone = tone;
  dot.setAttribute("aria-hidden", "true");
  cell.prepend(dot);
}

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
