// A file picker that sends its file in slices, each once the one before has arrived.
// No setting of a Jupyter server limits it, and nothing of the file becomes widget state.

const SLICE = 1024 * 1024;
let pickers = 0;

function make(kind, properties, ...children) {
  const element = Object.assign(document.createElement(kind), properties);
  element.append(...children);
  return element;
}

function megabytes(bytes) {
  return `${(bytes / SLICE).toFixed(1)} MB`;
}

function render({ model, el }) {
  const id = `paylab-picker-${Date.now()}-${(pickers += 1)}`;
  const label = make("label", { htmlFor: id });
  const input = make("input", { type: "file", id, accept: model.get("accept") });
  const cancel = make("button", { type: "button", textContent: "Cancel", hidden: true });
  const progress = make("progress", { max: 1, value: 0, hidden: true });
  const said = make("span", { className: "paylab-picker-said" });
  const picture = make("img", { className: "paylab-picker-picture", hidden: true });
  said.setAttribute("role", "status");
  const row = make("div", { className: "paylab-picker-row" }, input, progress, cancel, said);
  el.classList.add("paylab-picker");
  el.append(label, row, picture);

  let current = null;

  function describe() {
    label.textContent = `${model.get("description")}: choose a file`;
    progress.setAttribute("aria-label", `${model.get("description")}: sending`);
    picture.alt = `Preview: ${model.get("description")}`;
    input.disabled = model.get("disabled");
  }

  function rest(text) {
    current = null;
    progress.hidden = cancel.hidden = true;
    said.textContent = text;
  }

  function forget(text) {
    rest(text);
    input.value = ""; // Else the browser goes on showing the name.
  }

  function start(file) {
    const limit = model.get("limit");
    if (file.size > limit) {
      model.send({ kind: "refuse", size: file.size });
      forget("");
      return;
    }
    current = { id: `${id}-${Math.random()}`, file };
    progress.hidden = cancel.hidden = false;
    progress.value = 0;
    said.textContent = `Sending ${file.name}`;
    model.send({ kind: "start", id: current.id, size: file.size });
  }

  async function next(at) {
    const { id: sending, file } = current;
    progress.value = file.size ? at / file.size : 1;
    try {
      const slice = await file.slice(at, at + SLICE).arrayBuffer();
      if (current?.id === sending) model.send({ kind: "slice", id: sending, at }, undefined, [slice]);
    } catch {
      stop(`${file.name} can no longer be read.`);
    }
  }

  function stop(text) {
    if (current) model.send({ kind: "cancel", id: current.id });
    forget(text);
  }

  function show(buffer) {
    URL.revokeObjectURL(picture.src);
    picture.hidden = !buffer;
    if (buffer) picture.src = URL.createObjectURL(new Blob([buffer], { type: "image/jpeg" }));
  }

  function receive(message, buffers) {
    if (message.kind === "preview") show(buffers[0]);
    if (message.kind === "clear") show(null);
    if (message.kind === "clear" && !current) forget("");
    if (!current || message.id !== current.id) return;
    if (message.kind === "next") next(message.at);
    if (message.kind === "done") rest("Received.");
    if (message.kind === "stop") forget(message.reason);
  }

  input.addEventListener("click", () => (input.value = "")); // The same file can be chosen again.
  input.addEventListener("change", () => input.files[0] && start(input.files[0]));
  cancel.addEventListener("click", () => {
    stop("Cancelled.");
    input.focus();
  });
  model.on("msg:custom", receive);
  model.on("change:description change:disabled", describe);
  describe();
  model.send({ kind: "show" });

  return () => {
    model.off("msg:custom", receive);
    model.off("change:description change:disabled", describe);
    URL.revokeObjectURL(picture.src);
  };
}

export default { render };
