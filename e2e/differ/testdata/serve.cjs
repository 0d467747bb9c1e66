// Runs models in ONNX Runtime, one after the other.
//
//   node serve.cjs
//
// Each line of standard input is JSON: {model, inputs}, where model is a file and inputs are a list of {name, type, dims, data} with elements in base64. The answer is a line of
// JSON: {outputs}, which are written in the same way, or {error}.

const path = require("path");
const readline = require("readline");
const { createRequire } = require("module");

// The package is looked for in the working directory: nothing of it is part of this program.
const ort = createRequire(path.join(process.cwd(), "x.js"))("onnxruntime-node");

const arrays = {
  float32: Float32Array, float64: Float64Array, float16: Uint16Array, bool: Uint8Array, int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
};

function tensor({ type, dims, data }) {
  const bytes = Uint8Array.from(Buffer.from(data, "base64"));
  return new ort.Tensor(type, new arrays[type](bytes.buffer), dims);
}

function write([name, t]) {
  const data = Buffer.from(t.data.buffer, t.data.byteOffset, t.data.byteLength).toString("base64");
  return { name, type: t.type, dims: t.dims, data };
}

async function answer(model, inputs) {
  // Nothing is rewritten: what ONNX Runtime computes node by node is nearest to the text of the operators.
  const options = { executionProviders: ["cpu"], graphOptimizationLevel: "disabled", intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: "sequential", logSeverityLevel: 4 };
  let session;
  try {
    session = await ort.InferenceSession.create(model, options);
    const feeds = Object.fromEntries(inputs.map((t) => [t.name, tensor(t)]));
    return { outputs: Object.entries(await session.run(feeds)).map(write) };
  } catch (e) {
    return { error: e.message };
  } finally {
    await session?.release();
  }
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const { model, inputs } = JSON.parse(line);
    process.stdout.write(JSON.stringify(await answer(model, inputs)) + "\n");
  }
}

main();
