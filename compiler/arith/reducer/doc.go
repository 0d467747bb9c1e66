// Package reducer finds by which commutative reducer a reduction block combines what: its init gives the identity, its update the combination.
//
// Everything above compiler/arith may import it: schedules that compute a reduction in parts, and passes that compute it on many threads. It
// knows PrimFuncs and arith only.
package reducer
