// Runs a model in ONNX Runtime on one thread, as often as timed.cjs is told.
//
//   node ort.cjs PACKAGE MODEL INPUTS OUTPUTS
//
// PACKAGE is onnxruntime-node, which is machine code, or onnxruntime-web, which is WebAssembly in the engine of Node.js. INPUTS is a file of JSON: a list of {name, type, dims, file},
// where the file has the elements. OUTPUTS is a folder: the outputs are written to it in the same way, with their list in outputs.json.

const fs = require("fs");
const path = require("path");
const { createRequire } = require("module");
const { main, serve } = require("./timed.cjs");

// The package is looked for in the working directory: nothing of it is part of this program.
const [name, model, inputs, outputs] = process.argv.slice(2);
const ort = createRequire(path.join(process.cwd(), "x.js"))(name);

function write(results) {
  const list = Object.entries(results).map(([name, t], i) => {
    const file = path.join(outputs, String(i));
    fs.writeFileSync(file, new Uint8Array(t.data.buffer, t.data.byteOffset, t.data.byteLength));
    return { name, type: t.type, dims: t.dims, file };
  });
  fs.writeFileSync(path.join(outputs, "outputs.json"), JSON.stringify(list));
}

const arrays = { float32: Float32Array, float64: Float64Array, int32: Int32Array, int64: BigInt64Array, uint8: Uint8Array, int8: Int8Array, bool: Uint8Array, float16: Uint16Array };

function tensor({ type, dims, file }) {
  const bytes = fs.readFileSync(file);
  return new ort.Tensor(type, new arrays[type](bytes.buffer, bytes.byteOffset, bytes.length / arrays[type].BYTES_PER_ELEMENT), dims);
}

main(async () => {
  ort.env.wasm.numThreads = 1;
  const executionProviders = [name === "onnxruntime-web" ? "wasm" : "cpu"];
  const session = await ort.InferenceSession.create(model, { executionProviders, intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: "sequential", logSeverityLevel: 3 });
  const feeds = Object.fromEntries(JSON.parse(fs.readFileSync(inputs, "utf8")).map((t) => [t.name, tensor(t)]));
  write(await session.run(feeds));
  await serve(() => session.run(feeds));
});
