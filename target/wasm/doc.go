// Package wasm generates WebAssembly modules with 128-bit SIMD from lowered TIR functions: one
// module for all kernels of a compilation, with the packed calling convention and the
// memory layout of runtime/abi.
//
// A function is translated in two steps. In the first, compiler/lower walks it, numbers values and
// takes invariants and addresses out of loops, and asks the generator (gen.go and its neighbours)
// for instructions; machine.go is what that package knows of wasm. The second step (emit.go)
// gives locals to the nodes that need one, inserts bounds probes and writes instructions. wazero,
// which runs the result, does neither hoisting nor sharing.
//
// Facade packages and tests import it; it imports the IR packages, compiler/lower, target,
// runtime/dtype and runtime/abi. It knows no pass, no schedule and no runtime: it translates whatever lowered
// function it is given, and refuses by name what it cannot compute.
package wasm
