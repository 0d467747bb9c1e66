// Package ir holds what the two levels of the compiler's intermediate representation
// share: nodes, modules, functions, attributes, constants, spans, origins and diagnostics.
//
// Nodes are immutable: a constructor builds them, nothing writes them afterwards, and an
// update that changes nothing returns the pointer that it was given. So pointer equality
// means "unchanged", and an untouched function is never printed, hashed or diffed again.
//
// Everything under compiler/ may import ir; it imports runtime/dtype and nothing else of ours.
package ir
