// Package tirtest makes random PrimFuncs for the tests of passes and code generators:
// scheduled blocks with reductions, predicates, views and local buffers, over several
// element types. Every function reads only what it wrote before and no value depends on the
// order in which the iterations of a parallel or vectorized loop run, so that any correct
// lowering computes the same, bit for bit.
//
// Tests under compiler/ import it; it knows the loop level and its interpreter only.
package tirtest
