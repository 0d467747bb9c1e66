package transform

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
)

// broadcastTo is the rule for broadcast_to. Where a symbolic extent need not be that of the
// result, it is 1 or that: a match_cast before the call checks it, so that the kernel reads
// nothing beyond its argument.
func broadcastTo(k *kernel) *te.Tensor {
	dims, known := relax.SInfoOf(k.call.Args[0]).(*relax.TensorStructInfo).Dims()
	to, _ := k.out(0).Dims()
	if !known || len(dims) > len(to) {
		return topi.BroadcastTo(k.tensor(0), k.shape(0)) // k says what is wrong
	}
	ctx := &relax.InferContext{Prover: arith.NewAnalyzer()}
	open := false
	cast := make([]tir.Expr, len(dims))
	for i, d := range dims {
		t := to[len(to)-len(dims)+i]
		cast[i] = d
		if _, static := tir.AsInt(d); !static {
			cast[i] = t
			if ctx.Equal(d, t) != relax.True {
				cast[i], open = &tir.Select{Cond: tir.EQ(d, tir.Int(1)), True: tir.Int(1), False: t}, true
			}
		}
	}
	if !open {
		return topi.BroadcastTo(k.tensor(0), k.shape(0))
	}
	info := *relax.SInfoOf(k.call.Args[0]).(*relax.TensorStructInfo)
	info.Shape = &relax.ShapeExpr{Values: cast}
	v := &relax.Var{Base: k.base(), Name: k.v.Name + "_in", SInfo: &info, Dataflow: k.v.Dataflow}
	k.before = append(k.before, &relax.MatchCast{Base: v.Base, Var: v, Value: k.call.Args[0], SInfo: &info})
	return topi.BroadcastTo(k.param(v, 0), k.shape(0))
}
