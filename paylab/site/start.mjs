// Starts Python in a page: the runtime, the packages of the site, and the cells of paylab.

const READY = `
import types, sys

def refuse(*_, **__):
    raise RuntimeError("a page cannot install packages: use paylab lab")

async def refuse_magic(*_, **__):
    refuse()

# The kernel configures these modules; their real ones would only install packages.
piplite = sys.modules["piplite"] = types.ModuleType("piplite")
piplite.piplite = sys.modules["piplite.piplite"] = types.ModuleType("piplite.piplite")
piplite.cli = sys.modules["piplite.cli"] = types.ModuleType("piplite.cli")
piplite.install = refuse
piplite.cli.get_transformed_code = refuse_magic

import pyodide_kernel

del sys.modules["fcntl"]  # a mock without locks
# Files of the page last: each look at its folder is a request.
sys.path[:] = [path for path in sys.path if path not in ("", "/home/pyodide")] + [""]
from paylab.site.page import Cells

async def read_saved():
    return (await saved_outputs()).to_py()

Cells(pyodide_kernel.kernel_instance, read_saved, publish_error, fetch_packages)
`;

export async function loadPyodide(options, loadRuntime) {
  const { site, ...others } = options;
  const runtime = new URL(site.runtime, import.meta.url).href;
  const folder = new URL("./", import.meta.url).href;
  const [load, lock] = await Promise.all([
    loadRuntime ?? import(runtime + "pyodide.mjs").then((module) => module.loadPyodide),
    readLock(runtime, folder),
  ]);
  const pyodide = await load({
    ...others,
    indexURL: runtime,
    packageBaseUrl: folder,
    lockFileContents: lock,
    packages: lock.preload,
  });
  const locals = pyodide.toPy({
    saved_outputs: () => readJson(folder + "saved.json"),
    publish_error: (ename, evalue, traceback) =>
      publishError(pyodide, ename, evalue, traceback.toJs()),
    fetch_packages: site.frames
      ? (names) => pyodide.loadPackage(names.toJs())
      : undefined,
  });
  await pyodide.runPythonAsync(READY, { globals: locals });
  return pyodide;
}

async function readJson(url) {
  return (await fetch(url)).json();
}

// The packages of the site, and those of the runtime where it is loaded from elsewhere.
async function readLock(runtime, folder) {
  const own = await readJson(folder + "pyodide-lock.json");
  if (runtime === folder) return own;
  const theirs = await readJson(runtime + "pyodide-lock.json");
  for (const one of Object.values(theirs.packages)) {
    one.file_name = new URL(one.file_name, runtime).href;
  }
  return { ...own, info: theirs.info, packages: { ...theirs.packages, ...own.packages } };
}

// The error output of a cell whose error does not end Run All.
function publishError(pyodide, ename, evalue, traceback) {
  const parent = pyodide.pyimport("pyodide_kernel").kernel_instance._parent_header.toJs({
    dict_converter: Object.fromEntries,
  });
  postMessage({
    _kernelMessage: {
      type: "execute_error",
      bundle: { ename, evalue, traceback },
      parentHeader: parent.header,
    },
  });
}
