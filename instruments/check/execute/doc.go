// Package execute runs modules in whatever state passes left them, on given inputs, and compares what they compute.
//
// Two steps of it can be used alone. A Runner runs a module: Relax functions by graphrun and kernels by the interpreter of PrimFuncs,
// from the import to the last pass, and says with a *NotRunnableError what it cannot run. Compare compares outputs by tolerances
// that depend on the element type. On top, a Checker is told of each step of a run (its Instrument listens to the passes) and makes a
// check.Report: the first step whose outputs differ from those of the first module, and the functions that it changed wrongly.
//
//	r := &execute.Runner{}
//	want, err := r.Run(ctx, before, "main", inputs)
//	got, err := r.Run(ctx, after, "main", inputs) // kernels that are the same in both, on the same arguments, run once
//	d := execute.Compare(got.Outputs, want.Outputs, nil, nil)
//	if d.Status().Bad() { ... }
//
// Why the interpreters: they run every form that a function takes on its way down, check each access, read memory
// that nobody wrote as NaN, and share no code with what is under test. They are slow. So generated code runs large kernels, and the interpreter confirms
// what it computes on a sample (compute.go, sample.go, compiled.go). Operators are computed by package opeval where it knows them, else by the kernels that
// LegalizeOps makes of them (operators.go). A kernel that a pass did not change is not run again on arguments
// that it was run on before, so a pass costs what it changed.
//
// The driver and tests import it. It knows the compiler, and neither flags nor the web.
package execute
