// Package te is the language of tensor expressions: what a kernel computes, element by
// element, without loops. CreatePrimFunc turns a graph of them into a PrimFunc.
//
//	A := te.Placeholder("A", dtype.Float32T, m, k)
//	B := te.Placeholder("B", dtype.Float32T, k, n)
//	r := te.ReduceAxis("k", k)
//	C := te.Compute("matmul", []tir.Expr{m, n}, func(i []tir.Expr) tir.Expr {
//		return te.Sum(tir.Mul(A.At(i[0], r.Var), B.At(r.Var, i[1])), r)
//	}, te.AxisNames("i", "j"))
//	fn, err := te.CreatePrimFunc([]*te.Tensor{A, B, C}, te.FuncOpts{})
//
// It may be imported by topi and by passes that build kernels; it knows the loop level and
// arith only, neither operators nor the graph level.
package te
