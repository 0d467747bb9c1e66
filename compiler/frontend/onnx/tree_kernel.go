package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// leaves returns the leaf that each row of x (rows, features) reaches in each tree, as int32 (rows, trees); those that fill up the last group are behind the others.
func (f *forest) leaves(n *node, x relax.Expr) relax.Expr {
	dims, _ := relax.SInfoOf(x).(*relax.TensorStructInfo).Dims()
	if f.again {
		there := n.emit("relax.equal", args(x, x)) // no NaN is
		least := n.emit("relax.where", args(there, x, n.constant(f.floats, math.Inf(-1))))
		x = n.emit("relax.concat", args(tuple(args(x, least))), "axis", int64(1))
	}
	values := n.numbers(f.floats, []int64{int64(len(f.value))}, func(i int) float64 { return f.value[i] })
	operands := args(x, vectorOf(n, dtype.Int32T, f.feature), values, vectorOf(n, dtype.Int32T, f.next), vectorOf(n, dtype.Int32T, f.leaf), vectorOf(n, dtype.Int32T, f.roots), vectorOf(n, dtype.Int32T, f.turns))
	group := tir.Int(int64(f.group))
	p := &prim{name: "walk", groups: tir.Int(int64(len(f.turns))), body: f.walk}
	info := &relax.TensorStructInfo{DType: dtype.Int32T, NDim: 3, Shape: shapeExpr([]tir.Expr{dims[0], p.groups, group})}
	y := n.prim(p, operands, []string{"x", "feature", "value", "next", "leaf", "root", "turns"}, []*relax.TensorStructInfo{info}, []string{"out"})
	return n.reshape(y, []tir.Expr{dims[0], tir.Int(int64(len(f.roots)))})
}

// walk takes a row through the trees of a group. The result holds the record that it has come to in each tree, and the leaf at the end.
func (f *forest) walk(p *prim, row, group tir.Expr) tir.Stmt {
	x, feature, value, next, leaf, root, turns, out := p.in[0], p.in[1], p.in[2], p.in[3], p.in[4], p.in[5], p.in[6], p.out[0]
	size := tir.Int(int64(f.group))
	// each is a statement for all trees of the group, of what is written of a tree by where the row is in it.
	each := func(to func(tree, at tir.Expr) tir.Expr) tir.Stmt {
		k := tir.NewVar("k", dtype.Int64T)
		body := tir.Store(out, to(tir.Add(tir.Mul(group, size), k), tir.Load(out, row, group, k)), row, group, k)
		return &tir.For{LoopVar: k, Min: tir.Int(0), Extent: size, Kind: tir.Unrolled, Body: body}
	}
	return tir.Seq(
		each(func(tree, _ tir.Expr) tir.Expr { return tir.Load(root, tree) }),
		serial("turn", tir.Load(turns, group), func(tir.Expr) tir.Stmt {
			return each(func(_, at tir.Expr) tir.Expr {
				less := tir.LE(tir.Load(x, row, tir.Load(feature, at)), tir.Load(value, at))
				return tir.Add(tir.Load(next, at), tir.CastTo(dtype.Int32T, less))
			})
		}),
		each(func(_, at tir.Expr) tir.Expr { return tir.Load(leaf, at) }),
	)
}
