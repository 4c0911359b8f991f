// Shows the saved outputs of a lesson until its notebook can run, and then the notebook.
{
  const STARTS = "Saved outputs. The notebook starts…";
  const WAITS = "Saved outputs. All cells run as soon as the notebook has started.";
  const FAILED = "Saved outputs. The notebook cannot be loaded: reload the page.";
  const TOO_EARLY = "The notebook is still starting: press the key again in a moment.";
  const APPLICATION = "paylab";
  const PAUSE = 50; // milliseconds
  const PATIENCE = 1000; // milliseconds; a page in the background is not painted

  const opening = document.getElementById("opening");
  const [title, button, status, frame] = opening.querySelectorAll("strong, button, p, iframe");
  const path = new URLSearchParams(location.search).get("path") ?? "";
  if (opening.dataset.lessons.split(" ").includes(path)) open(path.replace(/\.ipynb$/, ""));

  async function open(lesson) {
    document.title = title.textContent = lesson;
    keepTitle(lesson);
    status.textContent = STARTS;
    opening.hidden = false;
    window.paylabOpening = show(`../saved/${lesson}.html`); // scripts wait for it
    button.addEventListener("click", () => {
      const isWanted = button.getAttribute("aria-pressed") === "false";
      button.setAttribute("aria-pressed", isWanted);
      status.textContent = isWanted ? WAITS : STARTS;
    });
    window.addEventListener("keydown", explain);
    window.addEventListener("error", noteFailure, true);
    while (!isReady()) {
      for (const part of notebookParts()) part.inert ||= true; // keys are for what is seen
      await new Promise((done) => setTimeout(done, PAUSE));
    }
    close();
  }

  // JupyterLab gives the page the name of the application whenever its state changes.
  function keepTitle(lesson) {
    const observer = new MutationObserver(() => {
      if (document.title === APPLICATION) document.title = lesson;
    });
    observer.observe(document.querySelector("title"), { childList: true });
  }

  // Resolves when the saved outputs are painted.
  async function show(address) {
    const painted = new Promise((done) => {
      frame.addEventListener("load", () => {
        const isLight = !matchMedia("(prefers-color-scheme: dark)").matches;
        frame.contentDocument.body.dataset.jpThemeLight = isLight;
        frame.contentWindow.addEventListener("keydown", explain);
        frame.style.visibility = "visible";
        requestAnimationFrame(() => setTimeout(done));
      });
      setTimeout(done, PATIENCE);
    });
    frame.src = address;
    return painted;
  }

  function explain({ key, shiftKey, ctrlKey }) {
    if (key === "Enter" && (shiftKey || ctrlKey)) status.textContent = TOO_EARLY;
  }

  function noteFailure({ target }) {
    if (target instanceof HTMLScriptElement) status.textContent = FAILED;
  }

  function notebookParts() {
    return [...document.body.children].filter((part) => part !== opening);
  }

  function panelOfNotebook() {
    return window.jupyterapp?.shell.currentWidget;
  }

  // Whether the cells are shown and a kernel takes their code; or something went wrong.
  function isReady() {
    const panel = panelOfNotebook();
    const hasKernel = Boolean(panel?.sessionContext?.session?.kernel);
    return (panel?.isRevealed && hasKernel) || document.querySelector(".jp-Dialog");
  }

  async function close() {
    window.removeEventListener("keydown", explain);
    window.removeEventListener("error", noteFailure, true);
    for (const part of notebookParts()) part.inert = false;
    const panel = panelOfNotebook();
    if (panel?.content) {
      panel.content.activate();
      if (button.getAttribute("aria-pressed") === "true") {
        window.jupyterapp.commands.execute("notebook:run-all-cells"); // it scrolls to the end
        await new Promise((done) => setTimeout(done, PAUSE));
      }
      scrollLikeSaved(panel);
    }
    opening.remove();
  }

  // Scroll the notebook so that its cells are where they were in the saved outputs.
  function scrollLikeSaved(panel) {
    const cells = [...frame.contentDocument.querySelectorAll(".jp-Cell")];
    const number = cells.findIndex((cell) => cell.getBoundingClientRect().bottom > 0);
    const cell = panel.content.widgets[number]?.node;
    const area = panel.node.querySelector(".jp-WindowedPanel-outer");
    if (!cell || !area) return;
    const top = cell.getBoundingClientRect().top - area.getBoundingClientRect().top;
    area.scrollTop += top - cells[number].getBoundingClientRect().top;
  }
}
