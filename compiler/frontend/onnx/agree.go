package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// broadcasts reports whether o computes element by element on several tensors that broadcast.
func broadcasts(o *op.Op) bool {
	if o == nil || o.Pattern != op.Broadcast || len(o.Args) < 2 {
		return false
	}
	for _, a := range o.Args {
		if a.Kind != op.Tensor {
			return false
		}
	}
	return true
}

// agree prepares operands of an element-wise operator whose symbolic extents need not be
// equal, since then the shape of the result would not be known. Which it is shows at run time:
//
//   - Two expressions of the same variables, as n//16 and n//32*2 are, come of one model that
//     scales down and up again: they are taken to be equal, and a match_cast checks it.
//   - Of others, each may be 1: the operand that has it is repeated by a broadcast_to, whose
//     kernel refuses an extent that is neither 1 nor that of the result.
//
// The last axes, as many as core says, are left as they are: they do not broadcast.
func (n *node) agree(as []relax.Expr, core int) []relax.Expr {
	ctx := &relax.InferContext{Prover: n.g.prover}
	dims := make([][]tir.Expr, len(as))
	rank := 0
	for i, a := range as {
		t, ok := relax.SInfoOf(a).(*relax.TensorStructInfo)
		if !ok {
			return as
		}
		if dims[i], ok = t.Dims(); !ok || len(dims[i]) < core {
			return as
		}
		dims[i] = dims[i][:len(dims[i])-core]
		rank = max(rank, len(dims[i]))
	}
	out := make([]axis, rank)
	open := false // an axis is left to run time
	for k := range out {
		for _, d := range dims {
			if j := k - (rank - len(d)); j >= 0 {
				out[k].join(ctx, d[j])
			}
		}
		open = open || out[k].decided != static
	}
	if !open {
		return as
	}
	agreed := make([]relax.Expr, len(as))
	for i, a := range as {
		agreed[i] = n.fitted(ctx, a, dims[i], out[rank-len(dims[i]):])
	}
	return agreed
}

// axis is one of the result of operands that broadcast.
type axis struct {
	extent  tir.Expr // nil: 1
	decided decision
}

// decision says how the extents of an axis are known to fit.
type decision int

const (
	static   decision = iota // they are equal or the constant 1
	checked                  // they are taken to be equal, which is checked
	repeated                 // some may be 1
)

// join adds an operand with extent d.
func (a *axis) join(ctx *relax.InferContext, d tir.Expr) {
	switch {
	case tir.IsConst(d, 1):
		return
	case a.extent == nil:
		a.extent = d
		return
	}
	_, xConst := tir.AsInt(a.extent)
	_, yConst := tir.AsInt(d)
	equal := ctx.Equal(a.extent, d)
	switch {
	case equal == relax.True, xConst && yConst: // constants that differ are the operator's error
	case yConst: // also of 0, to which 1 broadcasts
		a.extent, a.decided = d, repeated
	case xConst || atMostOne(ctx, d):
		a.decided = repeated
	case atMostOne(ctx, a.extent):
		a.extent, a.decided = d, repeated
	case equal == relax.Unknown && related(a.extent, d):
		a.decided = max(a.decided, checked)
	default:
		a.decided = repeated
		a.extent = ctx.Simplify(&tir.Select{Cond: tir.EQ(a.extent, tir.Int(1)), True: d, False: a.extent})
	}
}

// atMostOne reports whether an extent is known to be 0 or 1, as that of the last element of an axis is.
func atMostOne(ctx *relax.InferContext, d tir.Expr) bool {
	return ctx.Prover.CanProve(tir.LE(d, tir.Int(1)))
}

// related reports whether x and y have a variable in common, so that they are to be equal. What broadcasting made of two extents may be either, and is not to be equal to one of them.
func related(x, y tir.Expr) bool {
	if isChoice(x) || isChoice(y) {
		return false
	}
	for _, v := range relax.VarsOf(x) {
		if slices.Contains(relax.VarsOf(y), v) {
			return true
		}
	}
	return false
}

// isChoice reports whether an extent depends on a condition.
func isChoice(x tir.Expr) bool {
	found := false
	ir.Walk(x, func(n ir.Node) bool {
		_, is := n.(*tir.Select)
		found = found || is
		return !found
	})
	return found
}

// fitted returns operand x, whose first extents are dims, such that they certainly broadcast to axes to.
func (n *node) fitted(ctx *relax.InferContext, x relax.Expr, dims []tir.Expr, to []axis) relax.Expr {
	all, _ := relax.SInfoOf(x).(*relax.TensorStructInfo).Dims()
	cast, repeat := slices.Clone(all), slices.Clone(all)
	for k, d := range dims {
		switch {
		case tir.IsConst(d, 1), to[k].decided == static, ctx.Equal(d, to[k].extent) == relax.True:
		case to[k].decided == checked:
			cast[k], repeat[k] = to[k].extent, to[k].extent
		default:
			repeat[k] = to[k].extent
		}
	}
	if !sameDims(cast, all) {
		x = n.matchCast(x, cast)
	}
	if !sameDims(repeat, cast) {
		x = n.emit("relax.broadcast_to", args(x, shapeExpr(repeat)))
	}
	return x
}
