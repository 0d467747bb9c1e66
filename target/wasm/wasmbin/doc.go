// Package wasmbin builds WebAssembly modules: it encodes the binary format of the core
// specification 2.0 with 128-bit SIMD, checks the operand types of every instruction while a
// function is built, and prints a function in the folded text format.
//
// It is a plain encoder: it knows nothing of TIR, kernels or the packed calling convention,
// and it optimises nothing. target/wasm is its user; anything that needs a module by hand (a
// test, a benchmark) may import it. It imports only the standard library.
//
// A module is built in any order: functions may call each other before they are complete,
// and host functions may be imported while bodies are written, because calls are resolved
// when the module is encoded. Encoding is deterministic.
package wasmbin
