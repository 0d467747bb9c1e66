// Package libmtest holds what tests of the elementary functions share, in the interpreter and on
// targets: the functions with exact references, dense samples with the edges of each, and the
// comparison in units in the last place with the bounds that package libm states.
//
// References are float64 functions, whose error is a 2^-28th of a unit of float32; the tests of
// this package hold them against series in 300 bits.
package libmtest
