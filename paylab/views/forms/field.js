
// ---- One input with its label, its mark (Required, Optional), and the text below it.

const ASSUMED = "The specification does not say so: paylab assumes it, and a service may differ.";

function makeField(page, firstNode) {
  const id = `${page.id}-${firstNode.id}`;
  const isRadio = firstNode.input === "radio";
  const label = createElement(isRadio ? "legend" : "label", isRadio ? {} : { htmlFor: id });
  const mark = createElement("span", { className: "paylab-mark", id: `${id}-mark` });
  const note = createElement("div", { className: "paylab-note", id: `${id}-note` });
  note.setAttribute("aria-live", "polite");
  const sendValue = (value) => page.sendInput(firstNode.id, value);
  const sendLeave = () => page.sendAction({ kind: "leave", node: firstNode.id });
  const control = controls[firstNode.input](id, sendValue, sendLeave, firstNode.lazy);
  const head = createElement("div", { className: "paylab-label" }, label, mark);
  const element = createElement(isRadio ? "fieldset" : "div", { className: "paylab-field" });
  if (firstNode.input === "tick") {
    element.append(createElement("div", {}, control.element, label, " ", mark), note);
  } else if (isRadio) element.append(label, mark, control.element, note);
  else element.append(head, control.element, ...(control.list ? [control.list] : []), note);

  function update(node) {
    showLabel(label, node.label);
    mark.textContent = node.mark;
    mark.title = node.mark.includes("assumed") ? ASSUMED : "";
    const hasErrors = node.errors.length > 0;
    element.classList.toggle("paylab-wrong", hasErrors);
    element.classList.toggle("paylab-doubtful", !hasErrors && node.warnings.length > 0);
    element.classList.toggle("paylab-wide", node.wide);
    element.classList.toggle("paylab-long", node.long);
    showNotes(note, node);
    control.options?.(node.options); // First, since it makes the inputs of radio buttons.
    const isMarkRead = node.mark && node.mark !== "Required";
    for (const input of control.inputs()) {
      setAttributes(input, {
        "aria-describedby": `${isMarkRead ? `${id}-mark ` : ""}${id}-note`,
        "aria-invalid": hasErrors ? "true" : null,
        placeholder: node.disabled ? "-" : node.placeholder ?? null,
      });
      input.required = node.required;
      input.disabled = node.disabled;
    }
    // What was typed since the kernel answered must not be overwritten.
    if (!page.unheard.has(firstNode.id)) control.show(node.value);
  }
  return { element, leaf: true, update, focus: () => control.inputs()[0]?.focus() };
}

// Of "Selfie: Path of a file", the heading above shows the first part: it is only read aloud.
function showLabel(label, text) {
  const [context, words] = text.split(/(?<=: )/);
  if (!words) label.textContent = text;
  else label.replaceChildren(createElement("span", { className: "paylab-unseen", textContent: context }), words);
}

function showNotes(parent, { errors, warnings, hint, input, value }) {
  const makeLine = (className, textContent) => createElement("p", { className, textContent });
  const lines = [
    ...errors.map((text) => makeLine("paylab-error", `✗ ${text}`)),
    ...warnings.map((text) => makeLine("paylab-warning", `⚠ ${text}`)),
  ];
  // Who has to fill in an empty list still needs to know what it offers.
  const needsHint = !lines.length || (input === "combo" && value === "");
  if (needsHint && hint) lines.push(makeLine("paylab-hint", hint));
  if (parent.innerText !== lines.map((line) => line.textContent).join("\n")) {
    parent.replaceChildren(...lines);
  }
}

const controls = {
  text(id, sendValue, sendLeave, lazy) {
    const properties = { type: "text", id, autocomplete: "off", spellcheck: false };
    const element = createElement("input", properties);
    // The first click selects a value that nobody typed, so that typing replaces it.
    let isTyped = false;
    let isFirstClick = false;
    element.addEventListener("focus", () => (isFirstClick = !isTyped));
    element.addEventListener("click", () => {
      if (isFirstClick) element.select();
      isFirstClick = false;
    });
    element.addEventListener("input", () => {
      isTyped = true;
      sendValue(element.value);
    });
    element.addEventListener("blur", sendLeave);
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      sendLeave();
      if (!lazy) element.form?.requestSubmit(); // A path is taken, and the form is not sent.
    });
    return {
      element,
      inputs: () => [element],
      show: (value) => element.value !== value && (element.value = value),
    };
  },

  combo(id, sendValue, sendLeave, lazy) {
    const control = controls.text(id, sendValue, sendLeave, lazy);
    const list = createElement("datalist", { id: `${id}-list` });
    control.element.setAttribute("list", list.id);
    const makeOption = ([text, value]) => createElement("option", { value, label: text });
    const options = (nodeOptions) => list.replaceChildren(...nodeOptions.map(makeOption));
    return { ...control, list, options };
  },

  select(id, sendValue, sendLeave) {
    const element = withoutShortcuts(createElement("select", { id }));
    const makeOption = ([text]) => createElement("option", { textContent: text });
    let shownOptions = "";
    element.addEventListener("change", () => sendValue(element.selectedIndex));
    element.addEventListener("blur", sendLeave);
    return {
      element,
      inputs: () => [element],
      options: (nodeOptions) => {
        if (shownOptions === JSON.stringify(nodeOptions)) return;
        shownOptions = JSON.stringify(nodeOptions);
        element.replaceChildren(...nodeOptions.map(makeOption));
      },
      show: (value) => element.selectedIndex !== value && (element.selectedIndex = value),
    };
  },

  radio(id, sendValue) {
    const element = createElement("div", { className: "paylab-radios" });
    const inputs = () => [...element.querySelectorAll("input")];
    let shownOptions = "";
    return {
      element,
      inputs,
      options: (nodeOptions) => {
        if (shownOptions === JSON.stringify(nodeOptions)) return;
        shownOptions = JSON.stringify(nodeOptions);
        const labels = nodeOptions.map(([text], index) => {
          const input = withoutShortcuts(createElement("input", { type: "radio", name: id }));
          input.addEventListener("change", () => sendValue(index));
          return createElement("label", {}, input, text);
        });
        element.replaceChildren(...labels);
      },
      show: (value) => inputs().forEach((input, index) => (input.checked = index === value)),
    };
  },

  tick(id, sendValue) {
    const element = withoutShortcuts(createElement("input", { type: "checkbox", id }));
    element.addEventListener("change", () => sendValue(element.checked));
    return { element, inputs: () => [element], show: (value) => (element.checked = value) };
  },
};
