package sch

import "github.com/irscope/irscope/compiler/tir"

// axisVars are variables of loops over the new layout.
type axisVars []*tir.Var

func (t *layoutRewrite) axes(prefix string) axisVars {
	var out axisVars
	for _, v := range t.back.Initial {
		out = append(out, tir.NewVar(prefix+v.Name, v.DType()))
	}
	return out
}

func (a axisVars) of(vars []*tir.Var) map[*tir.Var]tir.Expr {
	out := map[*tir.Var]tir.Expr{}
	for i, v := range vars {
		out[v] = a[i]
	}
	return out
}

func (a axisVars) exprs() []tir.Expr {
	out := make([]tir.Expr, len(a))
	for i, v := range a {
		out[i] = v
	}
	return out
}

func (a axisVars) nest(body tir.Stmt, shape []tir.Expr) tir.Stmt {
	for i := len(a) - 1; i >= 0; i-- {
		body = &tir.For{LoopVar: a[i], Min: tir.Const(shape[i].DType(), 0), Extent: shape[i], Body: body}
	}
	return body
}

// assumption states what the padding of an argument holds.
func (t *layoutRewrite) assumption() tir.Stmt {
	loops, vars := t.axes(""), t.axes("v_")
	at := vars.exprs()
	pad := mapIndices(t.pad, at, t.maps)[0]
	holds := tir.Or(tir.LogicalNot(tir.SubstExpr(t.empty, vars.of(t.back.Initial))), tir.EQ(tir.Load(t.now, at...), pad))
	b := &tir.Block{
		IterVars: t.iterVars(vars), Reads: []*tir.BufferRegion{point(t.now, at)}, Name: "buffer_" + t.now.Name + "_assumptions",
		Body: &tir.Evaluate{Value: tir.NewCall(tir.OpAssume, holds)},
	}
	return loops.nest(&tir.BlockRealize{Values: loops.exprs(), Predicate: tir.Bool(true), Block: b}, t.now.Shape)
}

// filling writes the padding.
func (t *layoutRewrite) filling() tir.Stmt {
	loops, vars := t.axes(""), t.axes("v_")
	at := vars.exprs()
	b := &tir.Block{
		IterVars: t.iterVars(vars), Writes: []*tir.BufferRegion{point(t.now, at)}, Name: "buffer_" + t.now.Name + "_padding",
		Body: tir.Store(t.now, mapIndices(t.pad, at, t.maps)[0], at...),
	}
	return loops.nest(&tir.BlockRealize{Values: loops.exprs(), Predicate: tir.SubstExpr(t.empty, loops.of(t.back.Initial)), Block: b}, t.now.Shape)
}

func (t *layoutRewrite) iterVars(vars axisVars) []*tir.IterVar {
	out := make([]*tir.IterVar, len(vars))
	for i, v := range vars {
		out[i] = &tir.IterVar{Dom: &tir.Range{Min: tir.Const(t.now.Shape[i].DType(), 0), Extent: t.now.Shape[i]}, Var: v}
	}
	return out
}
