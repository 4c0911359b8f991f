// Draws the tree of nodes that the kernel sends and then changes, and sends back what a person does.
// An element is kept as long as its node is there, so that focus and typing are never disturbed.

let pageCount = 0;

function createElement(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function setAttributes(element, values) {
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === false || value === "") element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : value);
  }
}

function placeChildren(parent, elements) {
  for (const child of [...parent.children]) if (!elements.includes(child)) child.remove();
  elements.forEach((element, index) => {
    const present = parent.children[index] ?? null;
    if (present !== element) parent.insertBefore(element, present);
  });
}

// JupyterLab takes letters as commands unless they are typed into a text input.
function withoutShortcuts(element) {
  element.setAttribute("data-lm-suppress-shortcuts", "true");
  return element;
}

// A click on an id opens its object below the form.
function makeIdsOpen(page, element) {
  for (const code of element.querySelectorAll("code[title]")) {
    const [id] = code.title.split("\n"); // The second line is the code that opens it.
    if (!/^[a-z]+_[0-9A-Za-z]{16,}$/.test(id)) continue;
    const button = withoutShortcuts(createElement("button", { type: "button", title: id }));
    button.className = "paylab-open";
    button.setAttribute("aria-label", `Open ${id}`);
    button.addEventListener("click", () => page.open(id));
    code.replaceWith(button);
    button.append(code);
  }
}

const makers = {
  group() {
    const element = createElement("div");
    return {
      element,
      update: ({ style, current }) => {
        element.className = style ? `paylab-${style}` : "";
        setAttributes(element, { "aria-current": current ? "step" : null });
      },
    };
  },

  fold() {
    const element = createElement("details");
    return { element, update: ({ style }) => (element.className = `paylab-${style}`) };
  },

  summary() {
    return { element: withoutShortcuts(createElement("summary")), update: () => {} };
  },

  form(page) {
    const element = createElement("form", { noValidate: true });
    element.addEventListener("submit", (event) => {
      event.preventDefault();
      page.press(element.node.id);
    });
    return { element, update: () => {} };
  },

  heading(page, { level }) {
    const text = createElement("span");
    const hint = createElement("span", { className: "paylab-hint" });
    const badge = createElement("span");
    const element = createElement(`h${level}`, { tabIndex: -1 }, text, hint, "\u2002", badge);
    return {
      element,
      leaf: true,
      update: (node) => {
        text.textContent = node.text;
        hint.textContent = node.hint ? ` ${node.hint}` : "";
        badge.innerHTML = node.badge; // Made by the kernel, which escapes every value.
      },
    };
  },

  html(page) {
    const element = createElement("div", { tabIndex: -1 });
    return {
      element,
      leaf: true,
      update: ({ html, live, style }) => {
        setAttributes(element, { role: live ? "status" : null });
        element.className = `paylab-html${style ? ` paylab-${style}` : ""}`;
        element.innerHTML = html; // Made by the kernel, which escapes every value.
        if (page.opens) makeIdsOpen(page, element);
      },
    };
  },

  code() {
    const pre = createElement("pre");
    const copy = createElement("button", { type: "button", textContent: "Copy the code" });
    const summary = createElement("summary", { textContent: "Show the code" });
    withoutShortcuts(copy);
    withoutShortcuts(summary);
    const element = createElement("details", { className: "paylab-code" }, summary, pre, copy);
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(pre.textContent);
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy the code"), 2000);
    });
    return { element, leaf: true, update: ({ text }) => (pre.textContent = text) };
  },

  button(page) {
    const element = withoutShortcuts(createElement("button"));
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

  field: (page, node) => makeField(page, node),
  file: (page, node) => makePicker(page, node),
};

// ---- The page: one tree of elements, by the ids of their nodes.

class Page {
  constructor(model, el) {
    this.id = `paylab-${Date.now()}-${(pageCount += 1)}`;
    this.model = model;
    this.root = createElement("div");
    this.nodes = new Map(); // By id, as the kernel sent them last.
    this.version = 0;
    this.drawnParts = new Map();
    this.inputCount = 0;
    this.unheard = new Map(); // By node, the last input that the kernel has not answered.
    this.wasPressed = false;
    this.isLost = false;
    this.kernel = watchKernel(model, (text) => this.showLost(text));
    el.append(this.root);
  }

  send(message, buffers) {
    this.kernel.checkConnection();
    if (!this.isLost) this.model.send({ ...message, view: this.id }, undefined, buffers);
  }

  sendInput(node, value) {
    this.inputCount += 1;
    const input = { kind: "input", node, value, n: this.inputCount };
    this.unheard.set(node, input);
    this.send(input);
  }

  // An action counts with all that was typed before it. Messages of different shells of a kernel
  // arrive in any order, so that inputs without an answer are sent again; it takes each once.
  sendAction(action) {
    for (const input of this.unheard.values()) this.send(input);
    this.send(action);
  }

  open(id) {
    this.wasPressed = true;
    this.sendAction({ kind: "open", value: id });
  }

  press(node) {
    this.wasPressed = true;
    this.sendAction({ kind: "press", node });
  }

  // Without its kernel a form can do nothing: it says so, and only its code can be copied.
  showLost(text) {
    if (this.isLost) return;
    this.isLost = true;
    const notice = createElement("p", { className: "paylab-lost" });
    notice.setAttribute("role", "alert");
    this.root.prepend(notice);
    notice.textContent = text; // Screen readers announce what changes in an alert.
    for (const control of this.root.querySelectorAll("button, input, select")) {
      if (!control.closest(".paylab-code, .paylab-copy")) control.disabled = true;
    }
  }

  // A message has the nodes that changed since an earlier version; `earlier` is 0 for all nodes.
  // A page that missed a message, for example while it was not connected, requests all nodes.
  show({ version, earlier, nodes, top, focus, opens }) {
    if (earlier && earlier !== this.version) {
      this.send({ kind: "ready" });
      return;
    }
    if (!earlier) this.nodes.clear();
    for (const node of nodes) {
      this.nodes.set(node.id, node);
      const isHeard = this.unheard.get(node.id)?.n <= (node.heard?.[this.id] ?? 0);
      if (isHeard || node.disabled) this.unheard.delete(node.id);
    }
    this.version = version;
    this.opens = opens;
    // The saved text behind the form is hidden by this class, so only once there is a form.
    this.root.className = "paylab-form";
    const shownIds = new Set();
    placeChildren(this.root, top.map((id) => this.drawNode(id, shownIds)));
    for (const id of this.nodes.keys()) {
      if (shownIds.has(id)) continue;
      this.nodes.delete(id);
      this.unheard.delete(id);
    }
    for (const [id, part] of this.drawnParts) {
      if (!shownIds.has(id)) {
        part.close?.();
        this.drawnParts.delete(id);
      }
    }
    if (focus) this.focus(focus);
  }

  drawNode(id, shownIds) {
    const node = this.nodes.get(id);
    shownIds.add(id);
    let part = this.drawnParts.get(id);
    if (!part || part.kind !== node.kind + (node.input ?? "")) {
      part = { ...makers[node.kind](this, node), kind: node.kind + (node.input ?? "") };
      this.drawnParts.set(id, part);
    }
    part.element.node = node;
    if (!part.leaf) {
      const children = node.parts.map((child) => this.drawNode(child, shownIds));
      placeChildren(part.element, children);
    }
    const { parts, ...properties } = node;
    const text = JSON.stringify(properties);
    if (part.text !== text) part.update(properties);
    part.text = text;
    return part.element;
  }

  // Move the focus after a press on this page, unless the person is elsewhere by now.
  focus(id) {
    const hasFocus = this.root.contains(document.activeElement);
    const part = this.drawnParts.get(id);
    const isNowhere = document.activeElement === document.body;
    if (!this.wasPressed || !part || !(hasFocus || isNowhere)) return;
    const focusable = "input:not([hidden]),button,select";
    if (part.focus) part.focus();
    else if (part.leaf) part.element.focus();
    else part.element.querySelector(focusable)?.focus();
  }

  receive(message, buffers) {
    this.kernel.handleAnswer();
    if (this.isLost) for (const part of this.drawnParts.values()) part.text = "";
    this.isLost = false;
    if (message.kind === "show") this.show(message);
    else this.drawnParts.get(message.node)?.receive?.(message, buffers);
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
    for (const part of page.drawnParts.values()) part.close?.();
  };
}

export default { render };
