// Makes the quick start of a site: node quick_start.mjs FOLDER
//
// `memory.bin` is the memory of Python after it has imported what every notebook uses,
// `packages.bin` has what else a first QR code needs, and `later.bin` has all other modules.
// `code.bin` and `loader.bin` are the runtime. Each is compressed; modules are compiled.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { pathToFileURL } from "node:url";

const LIBRARY = "/lib/python314.zip";
const ROOT = "/lib/python3.14/site-packages";
const MODULES = [
  "IPython.core.interactiveshell", "IPython.core.completer", "IPython.core.shellapp",
  "IPython.display", "ipywidgets", "anywidget", "httpx", "qrcode", "stack_data", "traitlets.log",
  "paylab.lab.lab", "paylab.simulator.simulator", "paylab.simulator.dispatch",
  "paylab.spec.assumptions",
];
// They import no library with code of its own, which could not be in the memory.
const COMPILE = `
import py_compile, re, zipfile
from pathlib import Path
for wheel in sorted(Path("/wheels").glob("*.whl")):
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            if not re.search(left_out, member):
                archive.extract(member, root)
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
for source in sorted(Path(root).rglob("*.py")):
    py_compile.compile(str(source), f"{source}c", str(source), True, invalidation_mode=mode)
    source.unlink()
`;
// Only the modules that were imported: a Python that compiles others has more in its memory.
const COMPILE_LIBRARY = `
import py_compile, zipfile
with zipfile.ZipFile(library) as archive:
    members = archive.namelist()
    archive.extractall("/library")
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
with zipfile.ZipFile("/library.zip", "w") as archive:
    for file in used:
        member = file.removeprefix(f"{library}/")
        source = f"/library/{member}"
        if member in members:
            py_compile.compile(source, f"{source}c", file, True, invalidation_mode=mode)
            archive.write(f"{source}c", f"{member}c")
members
`;
const FIRST_QR_CODE = `
from pyodide_kernel import kernel_instance

def ignore(*_):
    pass

interpreter = kernel_instance.interpreter
interpreter.send_comm = interpreter.display_pub.display_data_callback = ignore
interpreter.displayhook.publish_execution_result = ignore
for cell in ("import paylab; lab = paylab.connect(); lab",
             "walk = lab.onramp('PH', example=True, consent=True); walk",
             "conversion = walk.submit()",
             "lab.deposit_card(conversion.conversion_account_id)"):
    reply = await kernel_instance.run(cell)
    if reply["status"] == "error":
        raise RuntimeError(reply["evalue"])
`;
const IMPORTED = `
import sys
files = [getattr(module, "__cached__", None) for module in [*sys.modules.values()]]
files += [getattr(module, "__file__", None) for module in [*sys.modules.values()]]
[file for file in files if file and file.startswith("/lib/") and "__pycache__" not in file]
`;
// Of the lexers a page needs that of Python; of the countries of stdnum those whose numbers paylab
// checks, and those that check their own IBANs, without the tables of books and devices.
const LEFT_OUT =
  "\\.(js\\.map|pyi)$|\\.dist-info/(?!METADATA)|/tests?/|^[^/]+\\.data/|^anywidget/(lab|nb)extension/" +
    "|^pygments/lexers/(?!__init__|_mapping|python)|^pydantic/v1/" +
    "|^stdnum/(?!ar/|br/|co/|mx/|be/|es/|me/|no/)[a-z]{2}_?/|^stdnum/(imsi|isbn|isil|oui)\\.dat$";
const EMPTY_ZIP = Buffer.from("UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==", "base64");

process.on("uncaughtException", (error) => {
  console.error(error.message); // without the line of the runtime, which is its whole program
  process.exit(1);
});
const folder = path.resolve(process.argv[2]);
const lockPath = path.join(folder, "pyodide-lock.json");
const libraryPath = path.join(folder, "python_stdlib.zip");
const library = fs.readFileSync(libraryPath);
const lock = JSON.parse(fs.readFileSync(lockPath));
const { loadPyodide } = await import(`${pathToFileURL(path.join(folder, "pyodide.mjs"))}`);
const { READY } = await import(`${pathToFileURL(path.join(folder, "start.mjs"))}`);
const settings = {
  indexURL: folder,
  packageBaseUrl: `${folder}/`,
  lockFileContents: { ...lock, packages: {} },
};
const { files, members, used } = await compileModules();
const remembered = await writeMemory();
writePackages();
writeRuntime();
process.exit(0);

// All modules, compiled, and the files of those that a first QR code imports.
async function compileModules() {
  const python = await loadPyodide(settings);
  python.FS.mkdir("/wheels");
  for (const name of lock.preload) {
    const file = lock.packages[name].file_name;
    python.FS.writeFile(`/wheels/${file}`, fs.readFileSync(path.join(folder, file)));
  }
  python.runPython(COMPILE, { globals: python.toPy({ left_out: LEFT_OUT, root: ROOT }) });
  const files = new Map();
  collect(python.FS, ROOT, files);
  python.runPython("import importlib; importlib.invalidate_caches()");
  const unused = { publish_error: undefined, fetch_packages: undefined };
  await python.runPythonAsync(READY, { globals: python.toPy(unused) });
  await python.runPythonAsync(FIRST_QR_CODE);
  const used = imported(python);
  const names = python.toPy({ library: LIBRARY, used });
  const members = python.runPython(COMPILE_LIBRARY, { globals: names }).toJs();
  fs.writeFileSync(libraryPath, python.FS.readFile("/library.zip"));
  return { files, members, used };
}

// Write the memory of a second Python, since what the compiler has freed would be in that of the
// first one. The files that it has imported are in it.
async function writeMemory() {
  const python = await loadPyodide({ ...settings, _makeSnapshot: true });
  for (const [name, content] of files) {
    python.FS.mkdirTree(path.posix.dirname(name));
    python.FS.writeFile(name, content);
  }
  python.runPython("import importlib; importlib.invalidate_caches()");
  const names = used.filter((file) => file.startsWith(`${LIBRARY}/`)).map(moduleName);
  const { import_module } = python.pyimport("importlib");
  for (const name of [...MODULES, ...names]) import_module(name).destroy();
  import_module.destroy();
  const remembered = imported(python);
  python.runPython("import gc; gc.collect()");
  write("memory.bin", python.makeMemorySnapshot());
  return remembered;
}

function imported(python) {
  return python.runPython(IMPORTED).toJs();
}

// The name of a module by its file.
function moduleName(file) {
  const member = file.replace(`${LIBRARY}/`, "").replace(`${ROOT}/`, "");
  return member.replace(/(\/__init__)?\.pyc?$/, "").replaceAll("/", ".");
}

function packageName(file) {
  return moduleName(file).split(".")[0];
}

function collect(FS, place, contents) {
  for (const name of FS.readdir(place).sort()) {
    const file = `${place}/${name}`;
    if (name === "." || name === "..") continue;
    if (FS.isDir(FS.stat(file).mode)) {
      collect(FS, file, contents);
    } else {
      contents.set(file, FS.readFile(file));
    }
  }
}

// Write the archives of what is used first, and of all else; data belongs to its package.
function writePackages() {
  const packages = new Set(used.map(packageName));
  const first = [], later = [[LIBRARY, library]];
  for (const [name, content] of files) {
    const isModule = name.endsWith(".pyc");
    if (isModule && remembered.includes(name)) continue;
    const isUsed = isModule ? used.includes(name) : packages.has(packageName(name));
    (isUsed || name.includes(".dist-info/") ? first : later).push([name, content]);
  }
  const names = [...members, ...later.map(([name]) => name)].filter((name) => /\.pyc?$/.test(name));
  const index = Buffer.from(JSON.stringify(names.map(moduleName)));
  writeArchive("packages.bin", [...first, ["/lib/later.json", index]]);
  writeArchive("later.bin", later);
}

// Write an archive: the length of its index, the index, and the contents.
function writeArchive(name, members) {
  const sizes = members.map(([file, content]) => [file, content.length]);
  const index = Buffer.from(JSON.stringify(sizes));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(index.length);
  write(name, Buffer.concat([length, index, ...members.map(([, content]) => content)]));
}

// Replace the runtime with compressed files, and its library, which `later.bin` has, with an empty one.
function writeRuntime() {
  for (const [name, compressed] of [["asm.wasm", "code.bin"], ["asm.mjs", "loader.bin"]]) {
    const file = path.join(folder, `pyodide.${name}`);
    write(compressed, fs.readFileSync(file));
    fs.unlinkSync(file);
  }
  fs.writeFileSync(libraryPath, EMPTY_ZIP);
  fs.writeFileSync(lockPath, JSON.stringify({ ...lock, quick: true }));
}

// The highest level takes three times as long for half a per cent less.
function write(name, content) {
  fs.writeFileSync(path.join(folder, name), zlib.gzipSync(content, { level: 7 }));
}
