// Package x86 generates x86-64 machine code from lowered TIR functions: AVX2 and FMA, or AVX-512, with the packed calling convention
// and the memory layout of runtime/abi and the frame of runtime/native.
//
// A function is translated in four steps.
//
//  1. Selection (gen.go and its neighbours): compiler/lower walks the function, numbers values and takes invariants and addresses out of loops, and
//     asks for instructions; machine.go is what that package knows of the processor. Vectors are in parts as wide as registers.
//  2. Linearisation (linear.go) writes the regions of the graph as instructions on virtual registers, and folds constants, memory operands and
//     comparisons into their users.
//  3. Allocation (live.go, alloc.go) gives the virtual registers those of the processor, or places in the frame, by linear scan. Before that,
//     chains of vectors that do not depend on each other are written in turns (order.go), and registers that are free hold the constants of loops (hold.go).
//  4. Emission (emit.go) writes bytes with runtime/native/asm.
//
// Kernels are leaves without a stack. What they ask of the host, polls and workspaces, are requests: the kernel keeps what is live in its frame,
// returns, and is entered again behind the request. Functions that need more of the host, or of other functions, are refused with a reason, so
// that another generator serves them.
//
// Facade packages and tests import it; it imports the IR packages, compiler/lower, target, runtime/dtype, runtime/abi and runtime/native. It
// knows no pass and no schedule: it translates whatever lowered function it is given.
package x86
