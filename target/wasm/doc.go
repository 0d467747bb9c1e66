// Package wasm generates WebAssembly modules with 128-bit SIMD from lowered TIR functions: one
// module for all kernels of a compilation, with the packed calling convention and the
// memory layout of runtime/abi.
//
// A function is translated in two steps. The first (expr.go, stmt.go and their neighbours) turns
// statements into regions: lists of effects in order, whose operands are value-numbered nodes.
// A node is placed outside the loops that it does not depend on, so addresses and other
// invariants are computed once; reads of memory are shared until something may write there. The
// second step (emit.go) decides which nodes become wasm locals, inserts bounds probes and
// writes instructions. wazero, which runs the result, does neither hoisting nor sharing.
//
// Facade packages and tests import it; it imports the IR packages, target, runtime/dtype and
// runtime/abi. It knows no pass, no schedule and no runtime: it translates whatever lowered
// function it is given, and refuses by name what it cannot compute.
package wasm
