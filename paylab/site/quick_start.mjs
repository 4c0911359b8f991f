// Makes the quick start of a site: node quick_start.mjs FOLDER
//
// `memory.bin` is the memory of Python after it has imported what every notebook uses,
// `packages.bin` has all other modules, compiled, and `code.bin` is the code of the runtime.
// Each is compressed.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { pathToFileURL } from "node:url";

const MODULES = [
  "IPython.core.interactiveshell", "IPython.core.completer", "IPython.core.shellapp",
  "IPython.display", "ipywidgets", "anywidget", "httpx", "qrcode", "stack_data",
  "paylab.lab.lab", "paylab.simulator.simulator", "paylab.simulator.dispatch",
  "paylab.spec.assumptions",
];
// They import no library with code of its own, which could not be in the memory.
const COMPILE = `
import importlib, py_compile, shutil, sys, zipfile
from pathlib import Path
root = Path("/lib/python3.14/site-packages")
for wheel in sorted(Path("/wheels").glob("*.whl")):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(root)
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
for source in sorted(root.rglob("*.py")):
    py_compile.compile(str(source), f"{source}c", str(source), True, invalidation_mode=mode)
    source.unlink()
shutil.rmtree("/wheels")
importlib.invalidate_caches()
`;
const IMPORTED = `
files = [getattr(module, "__cached__", None) for module in [*sys.modules.values()]]
files += [getattr(module, "__file__", None) for module in [*sys.modules.values()]]
"\\n".join(file for file in files if file and file.endswith(".pyc"))
`;
// Of the lexers a page needs that of Python.
const LEFT_OUT = new RegExp(
  "\\.(js\\.map|pyi)$|\\.dist-info/(?!METADATA)|/tests?/|^[^/]+\\.data/|^anywidget/nbextension" +
    "|^pygments/lexers/(?!__init__|_mapping|python)|^pydantic/v1/",
);
const ROOT = "/lib/python3.14/site-packages";

const folder = path.resolve(process.argv[2]);
const lockPath = path.join(folder, "pyodide-lock.json");
const lock = JSON.parse(fs.readFileSync(lockPath));
const { loadPyodide } = await import(`${pathToFileURL(path.join(folder, "pyodide.mjs"))}`);
const pyodide = await loadPyodide({
  indexURL: folder,
  packageBaseUrl: `${folder}/`,
  lockFileContents: { ...lock, packages: {} },
  _makeSnapshot: true,
});
pyodide.FS.mkdir("/wheels");
for (const name of lock.preload) {
  const file = lock.packages[name].file_name;
  pyodide.FS.writeFile(`/wheels/${file}`, fs.readFileSync(path.join(folder, file)));
}
pyodide.runPython(COMPILE);

for (const name of MODULES) pyodide.runPython(`import ${name}`);
const imported = pyodide.runPython(IMPORTED).split("\n");
const files = [];
const contents = [];
collect(ROOT);
const index = Buffer.from(JSON.stringify(files));
const length = Buffer.alloc(4);
length.writeUInt32LE(index.length);
write("packages.bin", Buffer.concat([length, index, ...contents]));

pyodide.runPython("import gc; gc.collect()");
write("memory.bin", pyodide.makeMemorySnapshot());
const code = path.join(folder, "pyodide.asm.wasm");
write("code.bin", fs.readFileSync(code));
fs.unlinkSync(code);
fs.writeFileSync(lockPath, JSON.stringify({ ...lock, quick: true }));
process.exit(0);

function collect(place) {
  for (const name of pyodide.FS.readdir(place).sort()) {
    const file = `${place}/${name}`;
    if (name === "." || name === "..") continue;
    if (pyodide.FS.isDir(pyodide.FS.stat(file).mode)) {
      collect(file);
    } else if (!imported.includes(file) && !LEFT_OUT.test(file.slice(ROOT.length + 1))) {
      const content = pyodide.FS.readFile(file);
      files.push([file.slice(ROOT.length + 1), content.length]);
      contents.push(content);
    }
  }
}

function write(name, content) {
  fs.writeFileSync(path.join(folder, name), zlib.gzipSync(content, { level: 6 }));
}
