// Package vm is the Relax virtual machine: executables of four instructions (Call, Ret,
// Goto, If) over registers, a builder that the code generator of the compiler drives, a
// disassembler, and the machine that runs executables with the vm.builtin functions.
//
// The bytecode is that of TVM v0.23 (include/tvm/runtime/vm/bytecode.h): an instruction is
// a run of 64-bit words, an argument a word of 8 bits kind and 56 bits value. One call
// invokes a kernel, a builtin, a registered Go function or another function of the
// executable. Jumps go forward only, so every loop is a recursion, which is limited and
// looks for cancellation. A function that returns what a call of itself does begins anew in the same frame instead.
//
// Compiler back ends, the facade, package artifact and tests import it. It knows nothing
// of IR.
package vm
