package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// iterOf returns a variable of a block that runs over a loop.
func iterOf(l *tir.For, kind tir.IterKind) *tir.IterVar {
	return &tir.IterVar{Base: l.Base, Dom: rangeOf(l), Var: tir.NewVar("v"+l.LoopVar.Name, l.LoopVar.DType()), Kind: kind}
}

// parts makes the block that computes the parts, in loops of its own. The variable of the parts becomes one of results; a reduction variable that
// depends on it as well as on other loops becomes an expression of one variable for each of these.
func (f *factoring) parts() (*tir.Block, tir.Stmt) {
	old := f.at.Realize()
	b := &tir.Block{Base: old.Block.Base, Name: old.Block.Name + "_rf", Annotations: old.Block.Annotations}
	run := &tir.BlockRealize{Base: old.Base, Predicate: old.Predicate}
	add := func(iv *tir.IterVar, value tir.Expr) {
		b.IterVars, run.Values = append(b.IterVars, iv), append(run.Values, value)
	}
	part := iterOf(f.loop, tir.DataPar)
	add(part, f.loop.LoopVar)
	ofLoop := map[*tir.Var]tir.Expr{f.loop.LoopVar: part.Var}
	sub := map[*tir.Var]tir.Expr{}
	steps := false
	for i, iv := range old.Block.IterVars {
		if iv.Kind == tir.DataPar || !usesVar(old.Values[i], f.loop.LoopVar) {
			add(iv, old.Values[i])
			steps = steps || iv.Kind == tir.CommReduce
			continue
		}
		for _, v := range inOrder(old.Values[i]) {
			k := slices.IndexFunc(f.loops, func(l *tir.For) bool { return l.LoopVar == v })
			if k < 0 || ofLoop[v] != nil {
				continue
			}
			own := iterOf(f.loops[k], tir.CommReduce)
			ofLoop[v] = own.Var
			add(own, v)
			steps = true
		}
		sub[iv.Var] = tir.SubstExpr(old.Values[i], ofLoop)
	}
	at := slices.Insert(slices.Clone(f.red.Indices), f.axis, tir.Expr(part.Var))
	loads := make([]tir.Expr, len(f.buffers))
	for i, buf := range f.buffers {
		loads[i] = tir.Load(buf, at...)
	}
	body, init := f.bodies(f.buffers, at, loads, f.red.Values, steps)
	b.Body = tir.SubstStmt(body, sub)
	if init != nil {
		b.Init = tir.SubstStmt(init, sub)
	}
	b.Reads = substRegions(old.Block.Reads, sub)
	for _, w := range old.Block.Writes {
		one := &tir.Range{Min: part.Var, Extent: tir.Const(part.Var.DType(), 1)}
		to := f.buffers[slices.Index(f.red.Buffers, w.Buffer)]
		b.Writes = append(b.Writes, substRegion(&tir.BufferRegion{Base: w.Base, Buffer: to, Region: slices.Insert(slices.Clone(w.Region), f.axis, one)}, sub))
	}
	run.Block = b
	own := map[*tir.Var]tir.Expr{}
	vars := make([]*tir.Var, len(f.loops))
	for i, l := range f.loops {
		v := *l.LoopVar
		vars[i], own[l.LoopVar] = &v, &v
	}
	for i, v := range run.Values {
		run.Values[i] = tir.SubstExpr(v, own)
	}
	run.Predicate = tir.SubstExpr(run.Predicate, own)
	var nest tir.Stmt = run
	for i := len(f.loops) - 1; i >= 0; i-- {
		l := *f.loops[i]
		l.LoopVar, l.Body = vars[i], nest
		nest = &l
	}
	return b, nest
}

// combine makes the block that combines the parts. All parts of a result are complete, so that of its condition only what is about results stays.
func (f *factoring) combine() *tir.BlockRealize {
	old := f.at.Realize()
	b := &tir.Block{Base: old.Block.Base, Name: old.Block.Name, Annotations: old.Block.Annotations}
	run := &tir.BlockRealize{Base: old.Base, Predicate: tir.Bool(true), Block: b}
	for _, p := range tir.Conjuncts(nil, old.Predicate) {
		if f.ofResult(p) {
			run.Predicate = tir.And(run.Predicate, p)
		}
	}
	part := iterOf(f.loop, tir.CommReduce)
	b.IterVars, run.Values = append(b.IterVars, part), append(run.Values, f.loop.LoopVar)
	sub := map[*tir.Var]tir.Expr{}
	for i, iv := range old.Block.IterVars {
		if iv.Kind == tir.DataPar {
			v := *iv.Var
			sub[iv.Var] = &v
			b.IterVars, run.Values = append(b.IterVars, iv.WithVar(&v)), append(run.Values, old.Values[i])
		}
	}
	indices := make([]tir.Expr, len(f.red.Indices))
	for i, e := range f.red.Indices {
		indices[i] = tir.SubstExpr(e, sub)
	}
	from := slices.Insert(slices.Clone(indices), f.axis, tir.Expr(part.Var))
	var loads, values []tir.Expr
	for i, buf := range f.red.Buffers {
		loads, values = append(loads, tir.Load(buf, indices...)), append(values, tir.Load(f.buffers[i], from...))
		b.Reads, b.Writes = append(b.Reads, point(f.buffers[i], from)), append(b.Writes, point(buf, indices))
	}
	b.Body, b.Init = f.bodies(f.red.Buffers, indices, loads, values, true)
	return run
}

// bodies returns the body of a block that combines the elements of buffers at indices, which loads are, with values, and its init; where there is
// but one step, the values are stored.
func (f *factoring) bodies(buffers []*tir.Buffer, indices, loads, values []tir.Expr, steps bool) (body, init tir.Stmt) {
	base := f.at.Block().Base
	store := func(b *tir.Buffer, e tir.Expr) tir.Stmt {
		return &tir.BufferStore{Base: base, Buffer: b, Value: e, Indices: indices}
	}
	stores, inits := make([]tir.Stmt, len(buffers)), make([]tir.Stmt, len(buffers))
	if !steps {
		for i, b := range buffers {
			stores[i] = store(b, values[i])
		}
		return tir.Seq(stores...), nil
	}
	c := f.red.Reducer
	sub := map[*tir.Var]tir.Expr{}
	for i := range buffers {
		sub[c.LHS[i]], sub[c.RHS[i]] = loads[i], values[i]
		inits[i] = store(buffers[i], c.Identity[i])
	}
	if len(buffers) == 1 {
		return store(buffers[0], tir.SubstExpr(c.Result[0], sub)), inits[0]
	}
	vars := make([]*tir.Var, len(buffers))
	for i, b := range buffers {
		vars[i] = tir.NewVar("v_"+b.Name, b.DType)
		stores[i] = store(b, vars[i])
	}
	body = tir.Seq(stores...)
	for i := len(vars) - 1; i >= 0; i-- {
		body = &tir.LetStmt{Base: base, Var: vars[i], Value: tir.SubstExpr(c.Result[i], sub), Body: body}
	}
	return body, tir.Seq(inits...)
}

// inOrder returns the variables of an expression, each at its first place.
func inOrder(e tir.Expr) []*tir.Var {
	var out []*tir.Var
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok && !slices.Contains(out, v) {
			out = append(out, v)
		}
		return true
	})
	return out
}
