// Package lower is the middle end that code generators share: between a lowered TIR function and
// the instructions of a target stands a graph of values, on which it numbers values, folds
// constants, takes invariants out of loops, keeps addresses up to date by additions, and keeps
// small buffers and running sums in registers. It knows no target: what it must know of one is
// handed to it as a [Machine], and instructions are numbers that it does not interpret.
//
// # The idea
//
// A [Walker] goes through the statements and expressions of a function for generators of machine code and the like. It decides
// what is the same for all of them, and leaves the choice of instructions to a [Generator]: which vectors fit into registers,
// how their lanes are put together, arithmetic on floats, accesses of memory, and what kernels ask of their host. Integers of
// 32 and 64 bits are functions that the middle end knows (Fn), so their arithmetic needs no generator.
//
// Walker and generator ask a [Builder] for values: Op for an instruction on other
// values, Load for a read, Const for a constant. Equal values that are visible at one place are one
// [Node]. Effects (stores, assignments, calls, loops) are items of a [Region] in the order of the program;
// a node is defined in the outermost region in which its operands are known, so that what a loop
// does not change is computed before it. When the function is done, CountUses says which
// nodes anything needs and how often, and the generator writes regions as text or instructions:
// a node that is used once where it stands is written in its user (Inlined), others get a register.
// Generators of expressions as text (C, WGSL) take inlined nodes as subexpressions; those of
// three-address code (LLVM, PTX, machine code) may hold every node.
//
// Loops that tir.UnrollLoop left marked are replaced by copies first (unroll), and turns that take maxima are written twice where a target has an instruction for those of numbers
// (numbers). Then [Scan] reads the function once: what each loop may write, which allocations
// have only constant indices (Slots: they become variables), which elements a loop accumulates
// into (Accumulators: they stay in variables while it runs), and what loops cost, so that long ones
// poll.
//
// # Invariants
//
//   - A node holds one value for ever. A read of memory or of a variable that changes is ended
//     (its barrier) where something may write, and the next read is another node.
//   - What may trap stays where it is; what is not cheap is not taken out of a conditional.
//   - A loop region runs at least once. A read moves out of it only if it has no assertion that may come
//     before the read, and writes nothing that the pointer may point at.
//   - Index arithmetic is modulo the width of a pointer: sums and products commute with
//     truncation, so indices that are wider need no wide arithmetic. Narrower ones are not taken apart.
//   - Floating point is left as written: the middle end folds and moves, but never reorders, so that
//     results are those of the interpreter.
//   - The same function gives the same graph: nothing is iterated in the order of a map.
//
// # Cost
//
// One pass over the function, and one lookup of a hash for each operation, in at most maxLookup
// regions outwards. Linear forms have at most maxTerms terms.
//
// Code generators import it; it imports the IR packages, compiler/tir and runtime/dtype, and neither
// a target nor the runtime.
package lower
