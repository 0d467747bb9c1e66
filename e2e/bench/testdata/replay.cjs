// Runs the recorded kernels of a run in the engine of Node.js, as often as timed.cjs is told.
//
//   node replay.cjs FOLDER
//
// FOLDER has the module, the memory before the first call, and calls.json with the arguments of the calls.

const crypto = require("crypto");
const fs = require("fs");
const path = require("path");
const { main, serve } = require("./timed.cjs");

main(async () => {
  const read = (name) => fs.readFileSync(path.join(process.argv[2], name));
  const { calls, results, args, result, page } = JSON.parse(read("calls.json"));
  const image = read("memory");
  // What the module needs for data and for buffers within kernels lies behind what the runtime had in use.
  const code = await WebAssembly.compile(read("module.wasm"));
  const spare = 64 << 20;
  const memory = new WebAssembly.Memory({ initial: Math.ceil(image.length / page) + 2 * (spare / page) });
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(image);
  const data = Math.ceil(image.length / page) * page;
  let free = data + spare;
  const workspaces = [];
  const env = {
    memory,
    data_base: new WebAssembly.Global({ value: "i32", mutable: false }, data | 0),
    irscope_budget: () => 1 << 30, // never again soon
    irscope_raise: (id) => { throw new Error(`a kernel raised error ${id}`); },
    TVMBackendAllocWorkspace(_type, _id, n) {
      workspaces.push(free);
      free += Math.ceil(Number(n) / 128) * 128;
      if (free > bytes.length) throw new Error("a kernel needs a larger workspace");
      return workspaces.at(-1);
    },
    TVMBackendFreeWorkspace: () => { free = workspaces.pop(); return 0; },
  };
  const { exports } = await WebAssembly.instantiate(code, { env });

  // A descriptor that has the same bytes in all calls is written once.
  const seen = new Map();
  for (const c of calls) {
    for (const [at, part] of Object.entries(c.Parts)) seen.set(at, seen.has(at) && seen.get(at) !== part ? null : part);
  }
  const put = ([at, part]) => bytes.set(part, at);
  const decoded = ([at, part]) => [Number(at), Buffer.from(part, "base64")];
  [...seen].filter(([, part]) => part !== null).map(decoded).forEach(put);
  const steps = calls.map((c) => ({
    kernel: exports[c.Kernel],
    n: c.Args,
    parts: [...Object.entries(c.Parts).filter(([at]) => seen.get(at) === null), [args, c.Cells]].map(decoded),
  }));
  const run = () => {
    for (const s of steps) {
      s.parts.forEach(put);
      const failed = s.kernel(0, args, s.n, result);
      if (failed !== 0) throw new Error(`a kernel returned ${failed}`);
    }
  };
  run();
  const sum = crypto.createHash("sha256");
  for (const [at, n] of calls.at(-1).Tensors) sum.update(bytes.subarray(at, at + n));
  if (sum.digest("hex") !== results) throw new Error("the results are not those of the recorded run");
  await serve(run);
});
