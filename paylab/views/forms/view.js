// Draws the tree of nodes that the kernel sends, and sends back what a person does.
// An element is kept as long as its node is there, so that focus and typing are never disturbed.

let pages = 0;

function make(kind, properties = {}, ...children) {
  const element = Object.assign(document.createElement(kind), properties);
  element.append(...children);
  return element;
}

function attributes(element, values) {
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === false || value === "") element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : value);
  }
}

function place(parent, elements) {
  for (const child of [...parent.children]) if (!elements.includes(child)) child.remove();
  elements.forEach((element, at) => {
    if (parent.children[at] !== element) parent.insertBefore(element, parent.children[at] ?? null);
  });
}

// JupyterLab takes letters as commands unless they are typed into a text input.
function withoutShortcuts(element) {
  element.setAttribute("data-lm-suppress-shortcuts", "true");
  return element;
}

const makers = {
  group() {
    const element = make("div");
    return {
      element,
      update: ({ style, current }) => {
        element.className = style ? `paylab-${style}` : "";
        attributes(element, { "aria-current": current ? "step" : null });
      },
    };
  },

  form(page) {
    const element = make("form", { noValidate: true });
    element.addEventListener("submit", (event) => {
      event.preventDefault();
      page.press(element.node.id);
    });
    return { element, update: () => {} };
  },

  heading(page, { level }) {
    const text = make("span");
    const hint = make("span", { className: "paylab-hint" });
    const badge = make("span");
    const element = make(`h${level}`, { tabIndex: -1 }, text, " ", hint, badge);
    return {
      element,
      leaf: true,
      update: (node) => {
        text.textContent = node.text;
        hint.textContent = node.hint;
        badge.innerHTML = node.badge; // Made by the kernel, which escapes every value.
      },
    };
  },

  html() {
    const element = make("div", { tabIndex: -1 });
    return {
      element,
      leaf: true,
      update: ({ html, live, style }) => {
        attributes(element, { role: live ? "status" : null });
        element.className = `paylab-html${style ? ` paylab-${style}` : ""}`;
        element.innerHTML = html; // Made by the kernel, which escapes every value.
      },
    };
  },

  code() {
    const pre = make("pre");
    const copy = withoutShortcuts(make("button", { type: "button", textContent: "Copy the code" }));
    const summary = withoutShortcuts(make("summary", { textContent: "Show the code" }));
    const element = make("details", { className: "paylab-code" }, summary, pre, copy);
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(pre.textContent);
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy the code"), 2000);
    });
    return { element, leaf: true, update: ({ text }) => (pre.textContent = text) };
  },

  button(page) {
    const element = withoutShortcuts(make("button"));
    element.addEventListener("click", (event) => {
      if (element.type === "submit") return; // The form says so, for the Enter key as well.
      event.preventDefault();
      page.press(element.node.id);
    });
    return {
      element,
      leaf: true,
      update: ({ text, style, disabled, submits }) => {
        element.type = submits ? "submit" : "button";
        element.className = style ? `paylab-${style}-button` : "";
        element.textContent = text;
        element.disabled = disabled;
      },
    };
  },

  field: (page, node) => field(page, node),
  file: (page, node) => picker(page, node),
};

// ---- One input with its label, its mark (Required, Optional), and the text below it.

function field(page, first) {
  const id = `${page.id}-${first.id}`;
  const choosing = first.input === "radio";
  const label = make(choosing ? "legend" : "label", choosing ? {} : { htmlFor: id });
  const mark = make("span", { className: "paylab-mark", id: `${id}-mark` });
  const note = make("div", { className: "paylab-note", id: `${id}-note` });
  note.setAttribute("aria-live", "polite");
  const said = { n: 0 };
  const tell = (value) => page.send({ kind: "input", node: first.id, value, n: (said.n += 1) });
  const leave = () => page.send({ kind: "leave", node: first.id });
  const control = controls[first.input](id, tell, leave, first.lazy);
  const head = make("div", { className: "paylab-label" }, label, mark);
  const element = make(choosing ? "fieldset" : "div", { className: "paylab-field" });
  if (first.input === "tick") element.append(make("div", {}, control.element, label, " ", mark), note);
  else if (choosing) element.append(label, mark, control.element, note);
  else element.append(head, control.element, ...(control.list ? [control.list] : []), note);

  function update(node) {
    label.textContent = node.label;
    mark.textContent = node.mark;
    const wrong = node.errors.length > 0;
    element.classList.toggle("paylab-wrong", wrong);
    element.classList.toggle("paylab-doubtful", !wrong && node.warnings.length > 0);
    element.classList.toggle("paylab-wide", node.wide);
    notes(note, node);
    const isText = node.mark && node.mark !== "Required";
    for (const input of control.inputs()) {
      attributes(input, {
        "aria-describedby": `${isText ? `${id}-mark ` : ""}${id}-note`,
        "aria-invalid": wrong ? "true" : null,
        placeholder: node.placeholder ?? null,
      });
      input.required = node.required;
      input.disabled = node.disabled;
    }
    control.options?.(node.options);
    // What was typed since the kernel answered must not be overwritten.
    if ((node.heard[page.id] ?? 0) >= said.n) control.show(node.value);
  }
  return { element, leaf: true, update, focus: () => control.inputs()[0]?.focus() };
}

function notes(parent, { errors, warnings, hint }) {
  const lines = [
    ...errors.map((text) => make("p", { className: "paylab-error", textContent: `✗ ${text}` })),
    ...warnings.map((text) => make("p", { className: "paylab-warning", textContent: `⚠ ${text}` })),
  ];
  if (!lines.length && hint) lines.push(make("p", { className: "paylab-hint", textContent: hint }));
  if (parent.innerText !== lines.map((line) => line.textContent).join("\n")) {
    parent.replaceChildren(...lines);
  }
}

const controls = {
  text(id, tell, leave, lazy) {
    const element = make("input", { type: "text", id, autocomplete: "off", spellcheck: false });
    element.addEventListener("input", () => tell(element.value));
    element.addEventListener("blur", leave);
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      leave();
      if (!lazy) element.form?.requestSubmit(); // A path is taken, and the form is not sent.
    });
    return {
      element,
      inputs: () => [element],
      show: (value) => element.value !== value && (element.value = value),
    };
  },

  combo(id, tell, leave, lazy) {
    const control = controls.text(id, tell, leave, lazy);
    const list = make("datalist", { id: `${id}-list` });
    control.element.setAttribute("list", list.id);
    const options = (given) =>
      list.replaceChildren(...given.map(([text, value]) => make("option", { value, label: text })));
    return { ...control, list, options };
  },

  select(id, tell, leave) {
    const element = withoutShortcuts(make("select", { id }));
    let shown = "";
    element.addEventListener("change", () => tell(element.selectedIndex));
    element.addEventListener("blur", leave);
    return {
      element,
      inputs: () => [element],
      options: (given) => {
        if (shown === JSON.stringify(given)) return;
        shown = JSON.stringify(given);
        element.replaceChildren(...given.map(([text]) => make("option", { textContent: text })));
      },
      show: (value) => element.selectedIndex !== value && (element.selectedIndex = value),
    };
  },

  radio(id, tell) {
    const element = make("div", { className: "paylab-radios" });
    const inputs = () => [...element.querySelectorAll("input")];
    let shown = "";
    return {
      element,
      inputs,
      options: (given) => {
        if (shown === JSON.stringify(given)) return;
        shown = JSON.stringify(given);
        const lines = given.map(([text], at) => {
          const input = withoutShortcuts(make("input", { type: "radio", name: id }));
          input.addEventListener("change", () => tell(at));
          return make("label", {}, input, text);
        });
        element.replaceChildren(...lines);
      },
      show: (value) => inputs().forEach((input, at) => (input.checked = at === value)),
    };
  },

  tick(id, tell) {
    const element = withoutShortcuts(make("input", { type: "checkbox", id }));
    element.addEventListener("change", () => tell(element.checked));
    return { element, inputs: () => [element], show: (value) => (element.checked = value) };
  },
};

// ---- The page: one tree of elements, by the ids of their nodes.

class Page {
  constructor(model, el) {
    this.id = `paylab-${Date.now()}-${(pages += 1)}`;
    this.model = model;
    this.root = make("div");
    this.drawn = new Map();
    this.acted = false;
    this.isLost = false;
    this.kernel = kernelOf(model, (text) => this.lose(text));
    el.append(this.root);
  }

  send(message, buffers) {
    this.kernel.check();
    if (!this.isLost) this.model.send({ ...message, view: this.id }, undefined, buffers);
  }

  press(node) {
    this.acted = true;
    this.send({ kind: "press", node });
  }

  // Without its kernel a form can do nothing: it says so, and only its code can be copied.
  lose(text) {
    if (this.isLost) return;
    this.isLost = true;
    const notice = make("p", { className: "paylab-lost" });
    notice.setAttribute("role", "alert");
    this.root.prepend(notice);
    notice.textContent = text; // Screen readers announce what changes in an alert.
    for (const one of this.root.querySelectorAll("button, input, select")) {
      if (!one.closest(".paylab-code, .paylab-copy")) one.disabled = true;
    }
  }

  show({ tree, focus }) {
    // The saved text behind the form is hidden by this class, so only once there is a form.
    this.root.className = "paylab-form";
    const seen = new Set();
    place(this.root, tree.map((node) => this.element(node, seen)));
    for (const [id, one] of this.drawn) {
      if (!seen.has(id)) {
        one.close?.();
        this.drawn.delete(id);
      }
    }
    if (focus) this.focus(focus);
  }

  element(node, seen) {
    seen.add(node.id);
    let one = this.drawn.get(node.id);
    if (!one || one.kind !== node.kind + (node.input ?? "")) {
      one = { ...makers[node.kind](this, node), kind: node.kind + (node.input ?? "") };
      this.drawn.set(node.id, one);
    }
    one.element.node = node;
    if (!one.leaf) place(one.element, node.parts.map((part) => this.element(part, seen)));
    const { parts, ...own } = node;
    const text = JSON.stringify(own);
    if (one.text !== text) one.update(own);
    one.text = text;
    return one.element;
  }

  // Move the focus after a press on this page, unless the person is elsewhere by now.
  focus(id) {
    const here = this.root.contains(document.activeElement);
    const one = this.drawn.get(id);
    if (!this.acted || !one || !(here || document.activeElement === document.body)) return;
    const inside = "input:not([hidden]),button,select";
    if (one.focus) one.focus();
    else if (one.leaf) one.element.focus();
    else one.element.querySelector(inside)?.focus();
  }

  receive(message, buffers) {
    this.kernel.answered();
    if (this.isLost) for (const one of this.drawn.values()) one.text = "";
    this.isLost = false;
    if (message.kind === "show") this.show(message);
    else this.drawn.get(message.node)?.receive?.(message, buffers);
  }
}

function render({ model, el }) {
  const page = new Page(model, el);
  const receive = (message, buffers) => page.receive(message, buffers);
  model.on("msg:custom", receive);
  page.send({ kind: "ready" });
  return () => {
    model.off("msg:custom", receive);
    page.kernel.close();
    for (const one of page.drawn.values()) one.close?.();
  };
}

export default { render };
