// Package reduce makes a module smaller while it keeps a property that a test reports: that a pass fails on it, that its output is
// wrong, that a text stands in what becomes of it. What remains is an example to look at, to send, and to keep as a test.
//
// It is delta debugging (A. Zeller and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002) on the structure of
// modules in place of their text, as in C-Reduce and llvm-reduce: functions are removed, bindings become parameters, results are taken
// earlier, conditionals become one of their branches, and statements and expressions of PrimFuncs go. Large parts go first. Every
// module that the test sees is well-formed, and none is tested twice.
//
// The package may be imported by anything that has a test. It knows no passes, no pipelines and no instruments.
package reduce
