// Starts Python at once, beside the scripts of JupyterLab: the kernel takes over its worker.
// A page that is isolated from other origins has another kind of worker.
if (!crossOriginIsolated) {
  const PageWorker = window.Worker;
  const address = new URL("../static/pyodide/worker.mjs", document.baseURI);
  const worker = new PageWorker(address, { type: "module" });

  window.Worker = function (url, options) {
    if (!`${url}`.includes("/comlink.worker.")) return new PageWorker(url, options);
    window.Worker = PageWorker; // a kernel that is started again needs another worker
    return worker;
  };
}
