// Runs a model in ONNX Runtime on one thread, as often as it is told. Standard input has a line for each round, with its number of runs; the answer is a line with the shortest
// processor time of one in milliseconds. The first line of the output says that the model is loaded.
//
//   node ort.cjs MODEL INPUTS
//
// INPUTS is a file of JSON: a list of {name, type, dims, file}, where the file has the elements.

const fs = require("fs");
const path = require("path");
const readline = require("readline");
const { createRequire } = require("module");

// The package is looked for in the working directory: nothing of it is part of this program.
const ort = createRequire(path.join(process.cwd(), "x.js"))("onnxruntime-node");

const arrays = { float32: Float32Array, float64: Float64Array, int32: Int32Array, int64: BigInt64Array, uint8: Uint8Array, int8: Int8Array };

function tensor({ type, dims, file }) {
  const bytes = fs.readFileSync(file);
  return new ort.Tensor(type, new arrays[type](bytes.buffer, bytes.byteOffset, bytes.length / arrays[type].BYTES_PER_ELEMENT), dims);
}

async function main() {
  const [model, inputs] = process.argv.slice(2);
  const session = await ort.InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: "sequential", logSeverityLevel: 3 });
  const feeds = Object.fromEntries(JSON.parse(fs.readFileSync(inputs, "utf8")).map((t) => [t.name, tensor(t)]));
  await session.run(feeds);
  console.log("ready");
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let best = Infinity;
    for (let k = 0; k < Number(line); k++) {
      const before = process.cpuUsage();
      await session.run(feeds);
      const { user, system } = process.cpuUsage(before);
      best = Math.min(best, (user + system) / 1000);
    }
    console.log(best);
  }
}

main().catch((e) => { console.error(e.message); process.exit(1); });
