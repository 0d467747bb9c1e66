package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// sliceByData is a Slice whose starts or ends depend on data. The extents of the axes that it cuts show at run time.
func sliceByData(n *node, dims []tir.Expr) {
	count := -1
	var axes []int64
	for i, what := range []string{"starts", "ends"} {
		d := n.dims(1 + i)
		c := int64(-1)
		if len(d) == 1 {
			if v, ok := tir.AsInt(d[0]); ok {
				c = v
			}
		}
		if c < 0 || c > int64(len(dims)) || count >= 0 && int(c) != count {
			n.fail("%s (input %d, %q) have shape %s, expected one number for each axis that is cut", what, 1+i, n.pb.Inputs[1+i], relax.FormatDims(d))
		}
		n.wantDType(1+i, "int32 or int64", dtype.DType.IsInt)
		count = int(c)
	}
	if n.has(3) {
		axes = n.intsOperand(3, "axes")
	} else {
		for i := range count {
			axes = append(axes, int64(i))
		}
	}
	steps := make([]tir.Expr, len(dims))
	for i := range steps {
		steps[i] = tir.Int(1)
	}
	cut := n.axes(axes, len(dims))
	if len(cut) != count {
		n.fail("has %d starts and ends for %d axes", count, len(cut))
	}
	if n.has(4) {
		list := n.intsOperand(4, "steps")
		if len(list) != count {
			n.fail("has %d starts and ends and %d steps, expected as many of each", count, len(list))
		}
		for i, s := range list {
			if s == 0 {
				n.fail("step %d is 0", i)
			}
			steps[cut[i]] = tir.Int(max(s, -math.MaxInt32))
		}
	}
	out := append([]tir.Expr{}, dims...)
	at := map[int]int{} // places in the operands, by axis
	for i, a := range cut {
		at[a] = i
		out[a] = n.g.symbols.extent(n.base)
	}
	bounds := func(operand int, def func(axis int) tir.Expr) relax.Expr {
		var list []relax.Expr
		var known []tir.Expr
		flush := func() {
			if len(known) > 0 {
				list = append(list, n.tensor(&value{known: vector(dtype.Int64T, known)}))
				known = nil
			}
		}
		x := n.as(n.expr(operand), dtype.Int64T)
		for a := range dims {
			i, ok := at[a]
			if !ok {
				known = append(known, def(a))
				continue
			}
			flush()
			e := x
			if count > 1 {
				e = n.part(x, 0, tir.Int(int64(i)), tir.Int(int64(i+1)))
			}
			if step, _ := tir.AsInt(steps[a]); operand == 1 && step < 0 {
				e = n.firstBackwardsByData(e, dims[a])
			}
			list = append(list, e)
		}
		flush()
		if len(list) == 1 {
			return list[0]
		}
		return n.emit("relax.concat", args(tuple(list)), "axis", int64(0))
	}
	begin := bounds(1, func(int) tir.Expr { return tir.Int(0) })
	end := bounds(2, func(a int) tir.Expr { return dims[a] })
	y := n.emit("relax.dynamic_strided_slice", args(n.expr(0), begin, end, n.tensor(&value{known: vector(dtype.Int64T, steps)})))
	n.set(0, n.matchCast(y, out))
}

// firstBackwardsByData is firstBackwards for a start that depends on data, a vector of one element.
func (n *node) firstBackwardsByData(begin relax.Expr, extent tir.Expr) relax.Expr {
	vec := func(e tir.Expr) relax.Expr { return n.tensor(&value{known: vector(dtype.Int64T, []tir.Expr{e})}) }
	fromEnd := n.emit("relax.where", args(n.emit("relax.less", args(begin, vec(tir.Int(0)))), n.emit("relax.add", args(begin, vec(extent))), begin))
	return n.emit("relax.maximum", args(fromEnd, vec(tir.Int(0))))
}
