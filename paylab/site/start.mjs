// Starts Python in a page: the runtime, the packages of the site, and the cells of paylab.

export const READY = `
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

const LATER = `
import importlib, json, random, sys, zlib
from importlib.machinery import PathFinder
from pathlib import Path

class Later:
    names = frozenset(json.loads(Path("/lib/later.json").read_text()))

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in cls.names:
            return None
        write_packages(zlib.decompress(read_later().to_py(), 31))
        sys.meta_path.remove(cls)
        importlib.invalidate_caches()
        return PathFinder.find_spec(name, path)

sys.meta_path.append(Later)
importlib.invalidate_caches()
random.seed()
`;

let started;

// Start Python before the kernel asks for it.
export function start(site) {
  started = startPython(site);
  started.catch(() => {}); // the kernel reports it
}

// `loadRuntime` and `createModule` are those of Node, which starts the runtime otherwise.
export async function loadPyodide({ site, stdout, stderr }, loadRuntime, createModule) {
  const pyodide = await (started ?? startPython(site, loadRuntime, createModule));
  if (stdout) pyodide.setStdout({ batched: stdout });
  if (stderr) pyodide.setStderr({ batched: stderr });
  return pyodide;
}

async function startPython(site, loadRuntime, createModule) {
  const runtime = new URL(site.runtime, import.meta.url).href;
  const folder = new URL("./", import.meta.url).href;
  const [load, lock] = await Promise.all([
    loadRuntime ?? import(runtime + "pyodide.mjs").then((module) => module.loadPyodide),
    readLock(runtime, folder),
  ]);
  const place = { indexURL: runtime, packageBaseUrl: folder };
  const pyodide = lock.quick
    ? await loadQuickly(load, { ...place, createModule }, lock, folder)
    : await load({ ...place, lockFileContents: lock, packages: lock.preload });
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

// Start from the memory of a Python that has imported its packages.
async function loadQuickly(load, place, lock, folder) {
  const code = fetch(folder + "code.bin");
  const [memory, archive, createModule] = await Promise.all([
    readCompressed(folder + "memory.bin"),
    readCompressed(folder + "packages.bin"),
    place.createModule ?? importCompressed(folder + "loader.bin"),
  ]);
  const restore = serveCompressed("pyodide.asm.wasm", code, "application/wasm");
  const others = Object.entries(lock.packages).filter(([name]) => !lock.preload.includes(name));
  const pyodide = await load({
    ...place,
    lockFileContents: { ...lock, packages: Object.fromEntries(others) },
    packages: [],
    _loadSnapshot: memory,
    createPyodideModule: async (settings) => {
      const module = await createModule(settings);
      while (module.HEAP8.length < memory.length) module._malloc(2 ** 22);
      return module;
    },
  });
  restore();
  writePackages(pyodide.FS, archive);
  const locals = pyodide.toPy({
    read_later: () => readNow(folder + "later.bin"),
    write_packages: (later) => writePackages(pyodide.FS, later.toJs()),
  });
  pyodide.runPython(LATER, { globals: locals });
  return pyodide;
}

// Write the files of an archive: the length of its index, the index, and the contents.
function writePackages(FS, archive) {
  const length = new DataView(archive.buffer, archive.byteOffset).getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(archive.subarray(4, 4 + length)));
  const made = new Set();
  let start = 4 + length;
  for (const [name, size] of index) {
    const folder = name.slice(0, name.lastIndexOf("/"));
    if (!made.has(folder)) FS.mkdirTree(folder);
    made.add(folder);
    FS.writeFile(name, archive.subarray(start, start + size), { canOwn: true });
    start += size;
  }
}

async function readCompressed(url) {
  const response = await fetch(url);
  return new Uint8Array(await decompress(response).arrayBuffer());
}

// The default export of a compressed module.
async function importCompressed(url) {
  const code = await decompress(await fetch(url), "text/javascript").blob();
  const address = URL.createObjectURL(code);
  const module = await import(address);
  URL.revokeObjectURL(address);
  return module.default;
}

// Read a file while Python waits, since an import cannot be asynchronous.
function readNow(url) {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw new Error(`${url} cannot be loaded (${request.status})`);
  return new Uint8Array(request.response);
}

function decompress(response, type) {
  const stream = response.body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, type && { headers: { "content-type": type } });
}

// Answer requests for a file with a compressed response, until the returned function is called.
function serveCompressed(name, response, type) {
  const request = globalThis.fetch;
  globalThis.fetch = async (address, options) => {
    if (!`${address}`.endsWith(name)) return request(address, options);
    return decompress(await response, type);
  };
  return () => {
    globalThis.fetch = request;
  };
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
