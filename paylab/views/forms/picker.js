
// ---- A file that is chosen, dropped or pasted, and sent in slices, each once the one before
// has arrived. No setting of a Jupyter server limits it, and nothing becomes widget state.

const SLICE = 1024 * 1024;

function picker(page, first) {
  const id = `${page.id}-${first.id}`;
  const input = make("input", { type: "file", id, hidden: true, tabIndex: -1 });
  const button = (text) => withoutShortcuts(make("button", { type: "button", textContent: text }));
  const choose = button("Choose a file");
  const remove = button("Remove");
  const cancel = button("Cancel");
  const progress = make("progress", { max: 1, value: 0, hidden: true });
  const drop = make("span", { className: "paylab-hint" });
  const said = make("span", { className: "paylab-hint" });
  const picture = make("img", { className: "paylab-picture", hidden: true });
  const note = make("div", { className: "paylab-note", id: `${id}-note` });
  cancel.hidden = true;
  said.setAttribute("role", "status");
  note.setAttribute("aria-live", "polite");
  const row = make("div", { className: "paylab-row" }, choose, drop, remove, progress, cancel, said);
  const element = make("div", { className: "paylab-file" }, input, row, picture, note);
  let current = null;
  let node = first;

  const send = (message, buffers) => page.send({ ...message, node: first.id }, buffers);

  function rest(text) {
    current = null;
    progress.hidden = cancel.hidden = true;
    said.textContent = text;
  }

  function start(file) {
    if (!file || node.disabled) return;
    if (file.size > node.limit) {
      rest("");
      send({ kind: "refuse", name: file.name, size: file.size });
      return;
    }
    current = { id: `${id}-${Math.random()}`, file };
    progress.hidden = cancel.hidden = false;
    progress.value = 0;
    said.textContent = `Reading ${file.name}`;
    send({ kind: "start", id: current.id, size: file.size, name: file.name });
  }

  async function next(at) {
    const { id: sending, file } = current;
    progress.value = file.size ? at / file.size : 1;
    try {
      const slice = await file.slice(at, at + SLICE).arrayBuffer();
      if (current?.id === sending) send({ kind: "slice", id: sending, at }, [slice]);
    } catch {
      stop(`${file.name} can no longer be read.`);
    }
  }

  function stop(text) {
    if (current) send({ kind: "cancel", id: current.id });
    rest(text);
  }

  function show(buffer) {
    URL.revokeObjectURL(picture.src);
    picture.hidden = !buffer;
    if (buffer) picture.src = URL.createObjectURL(new Blob([buffer], { type: "image/jpeg" }));
  }

  function receive(message, buffers) {
    if (message.kind === "preview") show(buffers[0]);
    if (!current || message.id !== current.id) return;
    if (message.kind === "next") next(message.at);
    if (message.kind === "done") rest("");
    if (message.kind === "stop") rest(message.reason);
  }

  function update(given) {
    node = given;
    attributes(input, { "aria-label": `${node.label}: file` });
    attributes(choose, {
      "aria-label": `${node.label}: ${node.chosen ? "choose another file" : "choose a file"}`,
      "aria-describedby": `${id}-note`,
    });
    choose.textContent = node.chosen ? "Choose another file" : "Choose a file";
    attributes(remove, { "aria-label": `${node.label}: remove` });
    attributes(progress, { "aria-label": `${node.label}: reading` });
    drop.textContent = node.hint;
    picture.alt = `Preview: ${node.label}`;
    input.accept = node.accept;
    remove.hidden = !node.chosen;
    choose.disabled = remove.disabled = node.disabled;
    element.classList.toggle("paylab-wrong", node.errors.length > 0);
    notes(note, { ...node, hint: "" });
  }

  choose.addEventListener("click", () => {
    input.value = ""; // The same file can be chosen again.
    input.click();
  });
  input.addEventListener("change", () => start(input.files[0]));
  remove.addEventListener("click", () => {
    send({ kind: "remove" });
    choose.focus();
  });
  cancel.addEventListener("click", () => {
    stop("Cancelled.");
    choose.focus();
  });
  for (const event of ["dragover", "dragleave", "drop"]) {
    element.addEventListener(event, (dragged) => {
      dragged.preventDefault();
      dragged.stopPropagation();
      element.classList.toggle("paylab-over", event === "dragover");
      if (event === "drop") start(dragged.dataTransfer.files[0]);
    });
  }
  element.addEventListener("paste", (pasted) => {
    const [file] = pasted.clipboardData.files;
    if (!file) return;
    pasted.preventDefault();
    pasted.stopPropagation();
    start(file);
  });
  send({ kind: "look" });
  const close = () => URL.revokeObjectURL(picture.src);
  return { element, leaf: true, update, receive, close, focus: () => choose.focus() };
}
