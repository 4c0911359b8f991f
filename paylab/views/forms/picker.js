
// ---- A file that is chosen, dropped or pasted, and sent in slices, each once the one before
// has arrived. No setting of a Jupyter server limits it, and nothing becomes widget state.

const SLICE_BYTES = 1024 * 1024;

function makePicker(page, firstNode) {
  const id = `${page.id}-${firstNode.id}`;
  const input = createElement("input", { type: "file", id, hidden: true, tabIndex: -1 });
  const makeButton = (textContent) =>
    withoutShortcuts(createElement("button", { type: "button", textContent }));
  const choose = makeButton("Choose a file");
  const remove = makeButton("Remove");
  const cancel = makeButton("Cancel");
  const progress = createElement("progress", { max: 1, value: 0, hidden: true });
  const hint = createElement("span", { className: "paylab-hint" });
  const status = createElement("span", { className: "paylab-hint" });
  const preview = createElement("img", { className: "paylab-picture", hidden: true });
  const note = createElement("div", { className: "paylab-note", id: `${id}-note` });
  cancel.hidden = true;
  status.setAttribute("role", "status");
  note.setAttribute("aria-live", "polite");
  const row = createElement("div", { className: "paylab-row" });
  row.append(choose, hint, remove, progress, cancel, status);
  const element = createElement("div", { className: "paylab-file" }, input, row, preview, note);
  let transfer = null;
  let node = firstNode;

  const send = (message, buffers) => page.send({ ...message, node: firstNode.id }, buffers);

  function endTransfer(text) {
    transfer = null;
    progress.hidden = cancel.hidden = true;
    status.textContent = text;
  }

  function startTransfer(file) {
    if (!file || node.disabled) return;
    if (file.size > node.limit) {
      endTransfer("");
      send({ kind: "refuse", name: file.name, size: file.size });
      return;
    }
    transfer = { id: `${id}-${Math.random()}`, file };
    progress.hidden = cancel.hidden = false;
    progress.value = 0;
    status.textContent = `Reading ${file.name}`;
    send({ kind: "start", id: transfer.id, size: file.size, name: file.name });
  }

  async function sendSlice(offset) {
    const { id: transferId, file } = transfer;
    progress.value = file.size ? offset / file.size : 1;
    try {
      const slice = await file.slice(offset, offset + SLICE_BYTES).arrayBuffer();
      if (transfer?.id === transferId) send({ kind: "slice", id: transferId, at: offset }, [slice]);
    } catch {
      cancelTransfer(`${file.name} can no longer be read.`);
    }
  }

  function cancelTransfer(text) {
    if (transfer) send({ kind: "cancel", id: transfer.id });
    endTransfer(text);
  }

  function showPreview(buffer) {
    URL.revokeObjectURL(preview.src);
    preview.hidden = !buffer;
    if (buffer) preview.src = URL.createObjectURL(new Blob([buffer], { type: "image/jpeg" }));
  }

  function receive(message, buffers) {
    if (message.kind === "preview") showPreview(buffers[0]);
    if (!transfer || message.id !== transfer.id) return;
    if (message.kind === "next") sendSlice(message.at);
    if (message.kind === "done") endTransfer("");
    if (message.kind === "stop") endTransfer(message.reason);
  }

  function update(newNode) {
    node = newNode;
    setAttributes(input, { "aria-label": `${node.label}: file` });
    setAttributes(choose, {
      "aria-label": `${node.label}: ${node.chosen ? "choose another file" : "choose a file"}`,
      "aria-describedby": `${id}-note`,
    });
    choose.textContent = node.chosen ? "Choose another file" : "Choose a file";
    setAttributes(remove, { "aria-label": `${node.label}: remove` });
    setAttributes(progress, { "aria-label": `${node.label}: reading` });
    hint.textContent = node.hint;
    preview.alt = `Preview: ${node.label}`;
    input.accept = node.accept;
    remove.hidden = !node.chosen;
    choose.disabled = remove.disabled = node.disabled;
    element.classList.toggle("paylab-wrong", node.errors.length > 0);
    showNotes(note, { ...node, hint: "" });
  }

  choose.addEventListener("click", () => {
    input.value = ""; // The same file can be chosen again.
    input.click();
  });
  input.addEventListener("change", () => startTransfer(input.files[0]));
  remove.addEventListener("click", () => {
    send({ kind: "remove" });
    choose.focus();
  });
  cancel.addEventListener("click", () => {
    cancelTransfer("Cancelled.");
    choose.focus();
  });
  for (const event of ["dragover", "dragleave", "drop"]) {
    element.addEventListener(event, (dragged) => {
      dragged.preventDefault();
      dragged.stopPropagation();
      element.classList.toggle("paylab-over", event === "dragover");
      if (event === "drop") startTransfer(dragged.dataTransfer.files[0]);
    });
  }
  element.addEventListener("paste", (pasted) => {
    const [file] = pasted.clipboardData.files;
    if (!file) return;
    pasted.preventDefault();
    pasted.stopPropagation();
    startTransfer(file);
  });
  send({ kind: "look" });
  const close = () => URL.revokeObjectURL(preview.src);
  return { element, leaf: true, update, receive, close, focus: () => choose.focus() };
}
