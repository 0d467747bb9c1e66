// Package passtest holds what every pass must: Check runs a pass and verifies it, Walk runs a random program through passes and compares
// what it computes before and after each, Registry does so for every pass that there is and seeds faults into each, which must be
// found. A pass that is registered is under this harness without doing anything for it.
//
// Only tests import it. It knows the IR, the passes as values, and the two interpreters; it knows no pass by name, apart from a table of
// what passes are exempt from, with reasons.
package passtest

// Failer is what *testing.T, *rapid.T and Objection have in common.
type Failer interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Failed() bool
}
