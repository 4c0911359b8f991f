// The inbox's table. Cells are set as text; `detail` is HTML that the kernel has escaped.
const COLUMNS = ["Time (UTC)", "Type", "Resource", "Status", "Delivered", "Order"];
const STATUS = COLUMNS.indexOf("Status");
const ORDER = COLUMNS.indexOf("Order");
// Of a cell by its column: on a narrow page the first ones stand above the others.
const CLASSES = ["short", "first", "code-text", "first paylab-end", "short", "short paylab-inbox-order"];

function headingText(count, shownCount, isClosed) {
  const more = count > shownCount ? `, the latest ${shownCount} shown` : "";
  return `${isClosed ? "Closed inbox" : "Inbox"}: ${count} event${count === 1 ? "" : "s"}${more}`;
}

function makeCell(text, column) {
  const td = document.createElement("td");
  td.className = `paylab-${CLASSES[column]}`;
  if (COLUMNS[column] === "Time (UTC)") td.dataset.unit = "UTC";
  if (COLUMNS[column] === "Delivered") td.dataset.prefix = "delivered";
  td.append(...withShortIds(text));
  return td;
}

function makeRow(model, { seq, cells, tone }) {
  const isOpen = model.get("opened") === seq;
  const tr = document.createElement("tr");
  tr.dataset.order = cells[ORDER];
  tr.append(...cells.map(makeCell));
  addDot(tr.cells[STATUS], tone);
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = isOpen ? "Close" : "Open";
  button.dataset.seq = seq;
  button.setAttribute("aria-expanded", String(isOpen));
  button.setAttribute("aria-label", `${button.textContent} ${cells[1]} ${cells[2]}`);
  const buttonCell = document.createElement("td");
  buttonCell.append(button);
  tr.append(buttonCell);
  return tr;
}

function makeDetailRow(model) {
  const tr = document.createElement("tr");
  const td = document.createElement("td");
  td.colSpan = COLUMNS.length + 1;
  td.innerHTML = model.get("detail") || "Asking …";
  tr.className = "paylab-details";
  tr.append(td);
  return tr;
}

function render({ model, el }) {
  const title = document.createElement("div");
  title.className = "paylab-title";
  title.setAttribute("role", "status");
  const frame = document.createElement("div");
  frame.className = "paylab-frame";
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const name of COLUMNS) {
    const th = document.createElement("th");
    th.scope = "col";
    th.textContent = name;
    head.append(th);
  }
  head.insertCell(); // Above the buttons.
  const body = table.createTBody();
  frame.append(table);
  el.classList.add("paylab-inbox");
  const service = document.createElement("div");
  service.className = "paylab-muted";
  service.textContent = model.get("service");
  const lostLine = document.createElement("p");
  lostLine.className = "paylab-lost";
  lostLine.setAttribute("role", "alert");
  el.append(lostLine, title, frame, service);
  const kernel = watchKernel(model, showLost);

  // Without its kernel the table gets no events, and cannot ask for the details of one.
  function showLost(text) {
    lostLine.textContent = text;
    for (const button of body.querySelectorAll("button")) button.disabled = true;
  }

  function handleAnswer() {
    kernel.handleAnswer();
    lostLine.textContent = "";
    draw();
  }

  function draw() {
    const rows = model.get("rows");
    const focusedSeq = document.activeElement?.dataset?.seq;
    title.textContent = headingText(model.get("total"), rows.length, model.get("is_closed"));
    body.replaceChildren();
    for (const event of rows) {
      body.append(makeRow(model, event));
      if (event.seq === model.get("opened")) body.append(makeDetailRow(model));
    }
    if (focusedSeq && el.isConnected) {
      body.querySelector(`button[data-seq="${focusedSeq}"]`)?.focus();
    }
  }

  body.addEventListener("click", (event) => {
    if (event.target.closest(".paylab-copy")) return;
    const seq = Number(event.target.closest("tr")?.querySelector("button[data-seq]")?.dataset.seq);
    kernel.checkConnection();
    if (!seq || lostLine.textContent) return;
    model.set("detail", "");
    model.set("opened", model.get("opened") === seq ? 0 : seq);
    model.save_changes();
  });
  for (const name of ["rows", "total", "opened", "detail", "is_closed"]) {
    model.on(`change:${name}`, handleAnswer);
  }
  handleAnswer();
  return () => kernel.close();
}

export default { render };
