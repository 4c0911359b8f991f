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
import py_compile, re, zipfile
from pathlib import Path
root = Path("/lib/python3.14/site-packages")
for wheel in sorted(Path("/wheels").glob("*.whl")):
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            if not re.search(left_out, member):
                archive.extract(member, root)
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
for source in sorted(root.rglob("*.py")):
    py_compile.compile(str(source), f"{source}c", str(source), True, invalidation_mode=mode)
    source.unlink()
`;
const IMPORTED = `
import sys
files = [getattr(module, "__cached__", None) for module in [*sys.modules.values()]]
files += [getattr(module, "__file__", None) for module in [*sys.modules.values()]]
"\\n".join(file for file in files if file and file.endswith(".pyc"))
`;
// Of the lexers a page needs that of Python; of the countries of stdnum those whose numbers paylab
// checks, and those that check their own IBANs, without the tables of books and devices.
const LEFT_OUT =
  "\\.(js\\.map|pyi)$|\\.dist-info/(?!METADATA)|/tests?/|^[^/]+\\.data/|^anywidget/nbextension" +
    "|^pygments/lexers/(?!__init__|_mapping|python)|^pydantic/v1/" +
    "|^stdnum/(?!ar/|br/|co/|mx/|be/|es/|me/|no/)[a-z]{2}_?/|^stdnum/(imsi|isbn|isil|oui)\\.dat$";
const ROOT = "/lib/python3.14/site-packages";

const folder = path.resolve(process.argv[2]);
const lockPath = path.join(folder, "pyodide-lock.json");
const lock = JSON.parse(fs.readFileSync(lockPath));
const { loadPyodide } = await import(`${pathToFileURL(path.join(folder, "pyodide.mjs"))}`);
const settings = {
  indexURL: folder,
  packageBaseUrl: `${folder}/`,
  lockFileContents: { ...lock, packages: {} },
};
const files = await compilePackages();
// A second Python, since what the compiler has freed would be in the memory of the first one.
const pyodide = await loadPyodide({ ...settings, _makeSnapshot: true });
for (const [name, content] of files) {
  pyodide.FS.mkdirTree(path.dirname(`${ROOT}/${name}`));
  pyodide.FS.writeFile(`${ROOT}/${name}`, content);
}
pyodide.runPython("import importlib; importlib.invalidate_caches()");
for (const name of MODULES) pyodide.runPython(`import ${name}`);
const imported = pyodide.runPython(IMPORTED).split("\n");
writePackages([...files].filter(([name]) => !imported.includes(`${ROOT}/${name}`)));

pyodide.runPython("import gc; gc.collect()");
write("memory.bin", pyodide.makeMemorySnapshot());
const code = path.join(folder, "pyodide.asm.wasm");
write("code.bin", fs.readFileSync(code));
fs.unlinkSync(code);
fs.writeFileSync(lockPath, JSON.stringify({ ...lock, quick: true }));
process.exit(0);

// The files of all packages that a page needs, compiled, by their names.
async function compilePackages() {
  const compiler = await loadPyodide(settings);
  compiler.FS.mkdir("/wheels");
  for (const name of lock.preload) {
    const file = lock.packages[name].file_name;
    compiler.FS.writeFile(`/wheels/${file}`, fs.readFileSync(path.join(folder, file)));
  }
  compiler.globals.set("left_out", LEFT_OUT);
  compiler.runPython(COMPILE);
  const contents = new Map();
  collect(compiler.FS, ROOT, contents);
  return contents;
}

function collect(FS, place, contents) {
  for (const name of FS.readdir(place).sort()) {
    const file = `${place}/${name}`;
    if (name === "." || name === "..") continue;
    if (FS.isDir(FS.stat(file).mode)) {
      collect(FS, file, contents);
    } else {
      contents.set(file.slice(ROOT.length + 1), FS.readFile(file));
    }
  }
}

// Write an archive: the length of its index, the index, and the contents.
function writePackages(members) {
  const sizes = members.map(([name, content]) => [name, content.length]);
  const index = Buffer.from(JSON.stringify(sizes));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(index.length);
  write("packages.bin", Buffer.concat([length, index, ...members.map(([, content]) => content)]));
}

function write(name, content) {
  fs.writeFileSync(path.join(folder, name), zlib.gzipSync(content, { level: 9 }));
}
