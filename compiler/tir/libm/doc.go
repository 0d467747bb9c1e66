// Package libm defines the elementary functions (exp, log, tanh, erf, sin, ...) as TIR: one
// definition that every target shares, that the interpreter runs, and that the pass
// tir.LowerMath puts in the place of calls, so that it is seen in the timeline.
//
// A definition is straight-line code without branches: a reduction of the argument to a short
// interval, a minimax polynomial there, and a reconstruction, with Select for what is special. So
// it holds for scalars and for vectors of any number of lanes alike, and means the same bits on
// every machine with IEEE 754 arithmetic and round to nearest: the operations are additions,
// multiplications, divisions, comparisons, conversions and reinterpretations of bits, each
// rounded on its own. A target must therefore neither contract a product and a sum into one
// rounding nor reassociate; passes that do so say it.
//
// The definitions compute in float32. Shorter formats go by way of float32 and are rounded once
// at the end. In float64 only those exist that are made of other functions (sigmoid, rsqrt,
// round, fma); the rest stays a call, which targets serve with a function of their runtime.
// Functions without a definition here (sqrt, floor, fabs, copysign, asin, pow with a variable
// exponent, ...) stay calls in every type.
//
// Each function states its largest error in units in the last place of float32, see [Func.ULP] and
// docs/math.md. The tests of libmtest hold it against references in 300 bits, in the
// interpreter here and in generated code in the tests of targets.
//
// The package imports compiler/tir, compiler/ir and runtime/dtype; it knows no target and no pass.
package libm
