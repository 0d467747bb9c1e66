package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ArgReduce returns the index (of type d) of the greatest element of x along axis, or over
// the flattened tensor where axis is -1; least asks for the least instead. Of equal
// elements the first wins, the last if last. A NaN wins over all numbers, as in NumPy. Where
// there is no element the index is -1.
//
// TVM's form, which this is until it is tuned, compares NaN as any number and starts from the index -1 and the
// least finite value.
func ArgReduce(x *te.Tensor, axis int, keepDims, least, last bool, d dtype.DType) *te.Tensor {
	axes := []int{axis}
	if axis < 0 {
		axes = nil
	}
	r := newReduction(x, axes, keepDims)
	worst, none := te.MinValue(x.DType), &tir.IntImm{Type: d, Value: -1}
	if least {
		worst = te.MaxValue(x.DType)
	}
	temp := r.argTemp(none, worst, argCombine(least, last, false), d)
	out := te.Compute(x.Name+"_red", r.shape, func(i []tir.Expr) tir.Expr { return temp.At(i...) })
	return te.Better(out, func() []*te.Tensor { return []*te.Tensor{r.exactArg(least, last, d)} })
}

// argTemp is the index of the element that combine chooses.
func (r *reduction) argTemp(start, worst tir.Expr, combine te.Combine, d dtype.DType) *te.Tensor {
	rv := r.axes()
	return te.ComputeN(r.x.Name+"_red_temp", r.shape, func(i []tir.Expr) []tir.Expr {
		at := r.index(i, rv)
		vars := make([]tir.Expr, len(rv))
		for k, a := range rv {
			vars[k] = a.Var
		}
		return te.Reduction(combine, []tir.Expr{start, worst}, []tir.Expr{tir.CastTo(d, r.flat(vars)), r.x.At(at...)}, rv...)
	})[0]
}

// argCombine takes the better of two values with its index. With nan, a NaN is better than any number.
func argCombine(least, last, nan bool) te.Combine {
	return func(a, b []tir.Expr) []tir.Expr {
		better, equal := tir.GT(a[1], b[1]), tir.EQ(a[1], b[1])
		if least {
			better = tir.LT(a[1], b[1])
		}
		if nan && a[1].DType().IsFloat() {
			// x != x holds for NaN alone
			nan := tir.NewBinary(tir.OpNE, a[1], a[1])
			better = tir.Or(better, tir.And(nan, tir.NewBinary(tir.OpEQ, b[1], b[1])))
			equal = tir.Or(equal, tir.And(nan, tir.NewBinary(tir.OpNE, b[1], b[1])))
		}
		earlier := tir.LT(a[0], b[0])
		if last {
			earlier = tir.GT(a[0], b[0])
		}
		first := tir.Or(better, tir.And(equal, earlier))
		return []tir.Expr{
			&tir.Select{Cond: first, True: a[0], False: b[0]},
			&tir.Select{Cond: better, True: a[1], False: b[1]},
		}
	}
}

// exactArg is ArgReduce with a NaN above all numbers, and -1 where there is no element. It looks for the best element and
// then for its index, two reductions of one value, which vectors compute along any axis.
func (r *reduction) exactArg(least, last bool, d dtype.DType) *te.Tensor {
	x, name := r.x, r.x.Name
	better, worst := tir.Max, te.Lowest(x.DType)
	if least {
		better, worst = tir.Min, te.Highest(x.DType)
	}
	best := r.combined(name+"_red_best", better, worst, func(_, at, _ []tir.Expr) tir.Expr { return x.At(at...) })
	n, static := tir.AsInt(r.count())
	narrow := d // of indices while they are compared
	if static && n < 1<<31 {
		narrow = dtype.Int32T
	}
	number := func(v int64) tir.Expr { return &tir.IntImm{Type: narrow, Value: v} }
	choose, start := tir.Min, number(int64(1)<<(narrow.Bits-1)-1)
	if last {
		choose, start = tir.Max, number(-1)
	}
	index := r.combined(name+"_red_temp", choose, start, func(i, at, rv []tir.Expr) tir.Expr {
		e, b := x.At(at...), best.At(i...)
		found := tir.EQ(e, b)
		if x.DType.IsFloat() { // x != x holds for NaN alone
			found = tir.Or(found, tir.And(tir.NewBinary(tir.OpNE, e, e), tir.NewBinary(tir.OpNE, b, b)))
		}
		return &tir.Select{Cond: found, True: tir.CastTo(narrow, r.flat(rv)), False: start}
	})
	return te.Compute(name+"_red", r.shape, func(i []tir.Expr) tir.Expr {
		at := tir.CastTo(d, index.At(i...))
		if last || static && n > 0 {
			return at
		}
		return &tir.Select{Cond: tir.EQ(index.At(i...), start), True: &tir.IntImm{Type: d, Value: -1}, False: at}
	})
}

// combined reduces what f returns for an element: of the indices of the result, those of the element, and those along the axes.
func (r *reduction) combined(name string, combine func(a, b tir.Expr) tir.Expr, start tir.Expr, f func(i, at, rv []tir.Expr) tir.Expr) *te.Tensor {
	axes := r.axes()
	rv := make([]tir.Expr, len(axes))
	for k, a := range axes {
		rv[k] = a.Var
	}
	return te.ComputeN(name, r.shape, func(i []tir.Expr) []tir.Expr {
		both := func(a, b []tir.Expr) []tir.Expr { return []tir.Expr{combine(a[0], b[0])} }
		return te.Reduction(both, []tir.Expr{start}, []tir.Expr{f(i, r.index(i, axes), rv)}, axes...)
	})[0]
}

// flat numbers the elements that are reduced.
func (r *reduction) flat(rv []tir.Expr) tir.Expr {
	flat := tir.Expr(tir.Int(0))
	for k, a := range r.over {
		flat = tir.Add(tir.Mul(flat, r.x.Shape[a]), rv[k])
	}
	return flat
}
