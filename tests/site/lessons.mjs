// Runs the lessons of a site in its runtime: node lessons.mjs SITE RUNTIME NOTEBOOK...
// Prints one JSON line per notebook: the outputs of each code cell.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [site, runtimeFolder, ...names] = process.argv.slice(2);
const serve = globalThis.fetch;
globalThis.fetch = async (url, options) => {
  if (!`${url}`.startsWith("file:")) return serve(url, options);
  return new Response(fs.readFileSync(fileURLToPath(`${url}`)));
};
globalThis.XMLHttpRequest = class {
  open(_, url) {
    this.url = url;
  }
  send() {
    this.response = fs.readFileSync(fileURLToPath(this.url));
    this.status = 200;
  }
};
let shown = [];
globalThis.postMessage = ({ _kernelMessage: message }) => {
  shown.push({ output_type: "error", ...message.bundle });
};

const settings = JSON.parse(fs.readFileSync(path.join(site, "jupyter-lite.json")));
const plugins = Object.values(settings["jupyter-config-data"].litePluginSettings);
const kernel = plugins.find((one) => one.loadPyodideOptions);
const start = pathToFileURL(path.join(site, kernel.pyodideUrl));
// In Node the runtime takes paths instead of addresses.
const runtime = await import(`${new URL("pyodide.mjs", start)}`);
const packageBaseUrl = `${path.dirname(fileURLToPath(start))}/`;
const stdLibURL = `${packageBaseUrl}python_stdlib.zip`;
const inPlace = { indexURL: runtimeFolder, packageBaseUrl, stdLibURL };
const { default: createModule } = await import(`${pathToFileURL(runtimeFolder)}/pyodide.asm.mjs`);

const { loadPyodide } = await import(`${start}`);
const load = (options) => runtime.loadPyodide({ ...options, ...inPlace });
const options = { ...kernel.loadPyodideOptions, stderr: console.error };
const pyodide = await loadPyodide(options, load, createModule);
const python = pyodide.pyimport("pyodide_kernel");
const one = python.kernel_instance;
const write = (name, text) => shown.push({ output_type: "stream", name, text });
const show = (type) => (data) => shown.push({ output_type: type, data: plain(data) });
python.stdout_stream.publish_stream_callback = write;
python.stderr_stream.publish_stream_callback = write;
one.interpreter.display_pub.display_data_callback = show("display_data");
one.interpreter.display_pub.update_display_data_callback = () => {};
one.interpreter.display_pub.clear_output_callback = () => (shown = []);
one.interpreter.displayhook.publish_execution_result = (_, data) => show("execute_result")(data);
one.interpreter.send_comm = () => {};

async function runLesson(name) {
  one.interpreter.reset(false);
  const book = JSON.parse(fs.readFileSync(path.join(site, "files", name)));
  const cells = [];
  for (const cell of book.cells.filter((one) => one.cell_type === "code")) {
    const tags = cell.metadata.tags ?? [];
    const content = { stop_on_error: !tags.includes("raises-exception") };
    one._parent_header = pyodide.toPy({ header: {}, content, metadata: { cellId: cell.id } });
    shown = [];
    const reply = plain(await one.run(cell.source));
    cells.push({ source: cell.source, status: reply.status, outputs: shown });
    if (reply.status === "error") {
      shown.push({ output_type: "error", ename: reply.ename, evalue: reply.evalue });
      break;
    }
  }
  return cells;
}

function plain(value) {
  return value?.toJs ? value.toJs({ dict_converter: Object.fromEntries }) : value;
}

for (const name of names) {
  const cells = await runLesson(name);
  process.stdout.write(`${JSON.stringify({ name, cells })}\n`);
}
process.exit(0);
