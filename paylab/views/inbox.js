// The inbox's table. Cells are set as text; `detail` is HTML that the kernel has escaped.
const NAMES = ["time", "type", "resource", "status", "delivered", "order"];

function heading(count, shown) {
  const more = count > shown ? `, the latest ${shown} shown` : "";
  return `Inbox: ${count} event${count === 1 ? "" : "s"}${more}`;
}

function cell(text, name) {
  const td = document.createElement("td");
  td.className = `paylab-inbox-${name}`;
  td.dataset.label = name;
  td.textContent = text;
  return td;
}

function row(model, { seq, cells }) {
  const open = model.get("opened") === seq;
  const tr = document.createElement("tr");
  tr.dataset.order = cells[5];
  tr.append(...cells.map((text, index) => cell(text, NAMES[index])));
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = open ? "close" : "open";
  button.dataset.seq = seq;
  button.setAttribute("aria-expanded", String(open));
  button.setAttribute("aria-label", `${open ? "close" : "open"} ${cells[1]} ${cells[2]}`);
  const last = document.createElement("td");
  last.append(button);
  tr.append(last);
  return tr;
}

function detail(model) {
  const tr = document.createElement("tr");
  const td = document.createElement("td");
  td.colSpan = NAMES.length + 1;
  td.innerHTML = model.get("detail") || "asking ...";
  tr.className = "paylab-inbox-detail";
  tr.append(td);
  return tr;
}

function render({ model, el }) {
  const title = document.createElement("div");
  title.className = "paylab-inbox-title";
  title.setAttribute("role", "status");
  const frame = document.createElement("div");
  frame.className = "paylab-inbox-frame";
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const name of NAMES) {
    const th = document.createElement("th");
    th.scope = "col";
    th.textContent = name;
    head.append(th);
  }
  head.insertCell(); // Above the buttons.
  const body = table.createTBody();
  frame.append(table);
  el.classList.add("paylab-inbox");
  const badge = document.createElement("div");
  badge.innerHTML = model.get("badge"); // Made by the kernel, which escapes every value.
  const lost = document.createElement("p");
  lost.className = "paylab-inbox-lost";
  lost.setAttribute("role", "alert");
  el.append(lost, badge, title, frame);
  const kernel = kernelOf(model, lose);

  // Without its kernel the table gets no events, and cannot ask for the details of one.
  function lose(text) {
    lost.textContent = text;
    for (const button of body.querySelectorAll("button")) button.disabled = true;
  }

  function answered() {
    kernel.answered();
    lost.textContent = "";
    draw();
  }

  function draw() {
    const rows = model.get("rows");
    const focused = document.activeElement?.dataset?.seq;
    title.textContent = heading(model.get("total"), rows.length);
    body.replaceChildren();
    for (const each of rows) {
      body.append(row(model, each));
      if (each.seq === model.get("opened")) body.append(detail(model));
    }
    if (focused && el.isConnected) body.querySelector(`button[data-seq="${focused}"]`)?.focus();
  }

  body.addEventListener("click", (event) => {
    const seq = Number(event.target.closest("tr")?.querySelector("button")?.dataset.seq);
    kernel.check();
    if (!seq || lost.textContent) return;
    model.set("detail", "");
    model.set("opened", model.get("opened") === seq ? 0 : seq);
    model.save_changes();
  });
  for (const name of ["rows", "total", "opened", "detail"]) model.on(`change:${name}`, answered);
  answered();
  return () => kernel.close();
}

export default { render };
