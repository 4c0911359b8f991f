// The live panel. Cells are set as text; details are HTML that the kernel has escaped.
const COLUMNS = ["time", "what", "about", "verdict"];
const TITLES = ["Time (UTC)", "What", "About", "Verdict", "Actions"];
// Of a cell by its column: on a narrow page the first ones stand above the others.
const CLASSES = ["short", "first paylab-code-text", "code-text", "first paylab-end"];
const SELECTIONS = {
  everything: ["Everything", () => true],
  calls: ["Calls", ({ kind }) => kind === "call"],
  events: ["Events and deliveries", ({ kind }) => kind !== "call"],
  problems: ["Problems", ({ tone }) => tone === "bad" || tone === "attention"],
};
let panelCount = 0;

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function label(text, control) {
  return make("label", { className: "paylab-panel-label" }, text, " ", control);
}

class LivePanel {
  constructor(model, el) {
    this.model = model;
    this.rows = new Map(); // By number, oldest first.
    this.openNumber = 0;
    this.id = `paylab-panel-${(panelCount += 1)}`;
    this.kernel = watchKernel(model, (text) => this.showLost(text));
    this.makePage(el);
    this.receive = (message) => this.handle(message);
    model.on("msg:custom", this.receive);
    this.send({ kind: "ready" });
  }

  makePage(el) {
    el.classList.add("paylab-panel");
    this.lostLine = make("p", { className: "paylab-lost" });
    this.lostLine.setAttribute("role", "alert");
    this.service = make("p", { className: "paylab-muted" });
    this.title = make("h3", { id: `${this.id}-title`, className: "paylab-title", textContent: "Panel" });
    this.filter = make("input", { type: "search", placeholder: "such as transfers or 422" });
    this.choice = make("select");
    for (const [value, [text]] of Object.entries(SELECTIONS)) {
      this.choice.append(make("option", { value, textContent: text }));
    }
    this.note = make("p", { className: "paylab-panel-note" });
    this.note.setAttribute("role", "status");
    this.count = make("p", { className: "paylab-panel-count" });
    const table = make("table");
    table.setAttribute("aria-labelledby", this.title.id);
    const head = table.createTHead().insertRow();
    for (const title of TITLES) head.append(make("th", { scope: "col", textContent: title }));
    this.body = table.createTBody();
    const frame = make("div", { className: "paylab-frame" }, table);
    const tools = make(
      "div",
      { className: "paylab-panel-tools" },
      label("Filter", this.filter),
      label("Show", this.choice),
    );
    el.append(this.lostLine, this.title, tools, this.count, this.note, frame, this.service);
    // JupyterLab takes letters as commands unless they are typed into a text input.
    for (const control of [this.choice, this.body]) {
      control.setAttribute("data-lm-suppress-shortcuts", "true");
    }
    this.filter.addEventListener("input", () => this.draw());
    this.choice.addEventListener("change", () => this.draw());
    this.body.addEventListener("click", (event) => this.handleClick(event));
    this.body.addEventListener("keydown", (event) => this.handleKey(event));
  }

  send(message) {
    this.kernel.checkConnection();
    if (!this.lostLine.textContent) this.model.send(message);
  }

  // Without its kernel the panel gets no rows; those that it has can be filtered.
  showLost(text) {
    this.lostLine.textContent = text;
    for (const button of this.body.querySelectorAll("button")) button.disabled = true;
  }

  handle(message) {
    this.kernel.handleAnswer();
    this.lostLine.textContent = "";
    if (message.kind === "rows") this.handleRows(message);
    else if (message.kind === "detail") this.handleDetail(message);
    else if (message.kind === "note") this.note.textContent = message.text;
  }

  handleRows(message) {
    if (message.all) {
      this.rows.clear();
      this.service.textContent = message.service;
      if (!this.wasFilled) {
        this.filter.value = message.filter ?? "";
        this.choice.value = message.show ?? "everything";
        this.wasFilled = true;
      }
    }
    for (const row of message.rows) this.rows.set(row.number, row);
    for (const number of this.rows.keys()) if (number < message.first) this.rows.delete(number);
    this.draw();
  }

  handleDetail({ number, html }) {
    if (number !== this.openNumber) return;
    const cell = this.body.querySelector(".paylab-details td");
    if (cell) cell.innerHTML = html;
  }

  isShown(row) {
    const words = this.filter.value.toLowerCase().split(/\s+/);
    const text = row.cells.join(" ").toLowerCase();
    return SELECTIONS[this.choice.value][1](row) && words.every((word) => text.includes(word));
  }

  // Rows that are there stay as they are, so that focus, selection and details are kept.
  draw() {
    const shown = [...this.rows.values()].filter((row) => this.isShown(row)).reverse();
    const present = new Map();
    for (const tr of [...this.body.rows]) {
      const row = this.rows.get(Number(tr.dataset.number));
      const isCurrent = row && tr.row === row && this.isShown(row);
      if (tr.classList.contains("paylab-details") ? row && this.isShown(row) : isCurrent) {
        if (tr.row) present.set(row.number, tr);
      } else tr.remove();
    }
    const focused = document.activeElement?.dataset?.action;
    const focusedNumber = Number(document.activeElement?.closest("tr")?.dataset.number);
    let before = null;
    for (const row of [...shown].reverse()) {
      const detail = this.body.querySelector(`.paylab-details[data-number="${row.number}"]`);
      const tr = present.get(row.number) ?? this.makeRow(row);
      const next = detail ?? before;
      if (detail && detail.nextElementSibling !== before) this.body.insertBefore(detail, before);
      if (tr.nextElementSibling !== next || tr.parentElement !== this.body) {
        this.body.insertBefore(tr, next);
      }
      before = tr;
    }
    if (focused && focusedNumber && !this.body.contains(document.activeElement)) {
      this.focus(focusedNumber, focused);
    }
    this.count.textContent = this.countText(shown.length);
    this.setTabStop();
  }

  countText(shownCount) {
    if (!this.rows.size) return "No calls and no events yet: they appear here as they happen.";
    const hiddenCount = this.rows.size - shownCount;
    if (!shownCount) return `None of ${hiddenCount} rows matches`;
    const text = `${shownCount} row${shownCount === 1 ? "" : "s"}, the newest first`;
    return hiddenCount ? `${text}; ${hiddenCount} do not match` : text;
  }

  makeRow(row) {
    const tr = make("tr");
    tr.row = row;
    tr.dataset.number = row.number;
    tr.dataset.tone = row.tone;
    row.cells.forEach((text, index) => {
      const name = COLUMNS[index];
      const className = `paylab-panel-${name} paylab-${CLASSES[index]}`;
      const td = make("td", { className }, ...withShortIds(text));
      if (name === "time" && text) td.dataset.unit = "UTC";
      if (name === "verdict") addDot(td, row.dot);
      tr.append(td);
    });
    const buttons = [this.makeButton("explain", row)];
    if (row.resend) buttons.push(this.makeButton("resend", row));
    tr.append(make("td", { className: "paylab-panel-actions" }, ...buttons));
    return tr;
  }

  makeButton(action, row) {
    const button = make("button", { type: "button", textContent: "Resend", tabIndex: -1 });
    button.dataset.action = action;
    button.disabled = Boolean(this.lostLine.textContent);
    button.dataset.row = row.cells.slice(0, 3).join(" ").trim();
    button.setAttribute("aria-label", `Resend the event: ${button.dataset.row}`);
    if (action === "explain") this.showOpen(button, row.number === this.openNumber);
    return button;
  }

  // A button that opens a row closes it, too.
  showOpen(button, isOpen) {
    button.textContent = isOpen ? "Close" : "Explain";
    button.setAttribute("aria-label", `${button.textContent}: ${button.dataset.row}`);
    button.setAttribute("aria-expanded", String(isOpen));
  }

  handleClick(event) {
    const tr = event.target.closest("tr");
    const action = event.target.closest("button")?.dataset.action;
    if (!action || !tr?.row) return;
    this.setTabStop(tr.row.number);
    if (action === "resend") {
      this.note.textContent = "Sending …";
      this.send({ kind: "resend", number: tr.row.number });
    } else this.toggle(tr.row.number);
  }

  toggle(number) {
    const isOpen = this.openNumber === number;
    this.body.querySelector(".paylab-details")?.remove();
    this.openNumber = isOpen ? 0 : number;
    for (const button of this.body.querySelectorAll("[data-action='explain']")) {
      const rowNumber = Number(button.closest("tr").dataset.number);
      this.showOpen(button, rowNumber === this.openNumber);
    }
    if (isOpen) return;
    const td = make("td", { colSpan: COLUMNS.length + 1, textContent: "Asking …" });
    const tr = make("tr", { className: "paylab-details" }, td);
    tr.dataset.number = number;
    this.body.querySelector(`tr[data-number="${number}"]`).after(tr);
    this.send({ kind: "explain", number });
  }

  // The arrow keys move from row to row; Tab stops at one row only.
  handleKey(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    const button = event.target.closest("button[data-action]");
    if (event.key === "Escape" && this.openNumber) {
      const number = this.openNumber;
      this.toggle(number);
      this.focus(number, "explain");
    } else if (button && event.key in steps) {
      const rows = this.rowElements();
      const index = rows.indexOf(button.closest("tr")) + steps[event.key];
      const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
      this.focus(Number(row.dataset.number), button.dataset.action);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  rowElements() {
    return [...this.body.rows].filter((tr) => tr.row);
  }

  focus(number, action) {
    const tr = this.rowElements().find((row) => Number(row.dataset.number) === number);
    const button =
      tr?.querySelector(`[data-action="${action}"]`) ?? tr?.querySelector("button[data-action]");
    this.setTabStop(number);
    button?.focus();
  }

  setTabStop(number = this.stopNumber) {
    const rows = this.rowElements();
    const stop = rows.find((tr) => tr.row.number === number) ?? rows[0];
    this.stopNumber = stop?.row.number;
    for (const tr of rows) {
      for (const button of tr.querySelectorAll("button[data-action]")) {
        button.tabIndex = tr === stop ? 0 : -1;
      }
    }
  }

  close() {
    this.model.off("msg:custom", this.receive);
    this.kernel.close();
  }
}

function render({ model, el }) {
  const panel = new LivePanel(model, el);
  return () => panel.close();
}

export default { render };

