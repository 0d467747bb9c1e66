package starpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// relaxExpr walks an expression of the graph level. A mutator brings what comes of it into
// A-normal form: calls in calls are bound, and a sequence is emitted into the current one.
func (k *walk) relaxExpr(e relax.Expr) relax.Expr {
	image := k.dispatch(e, func() ir.Node { return k.defaultRelax(e) })
	if !k.w.mutates {
		return e
	}
	out := must[relax.Expr](k, e, image, "a graph-level expression")
	if out == e || k.depth == 0 {
		return out
	}
	switch out.(type) {
	case *relax.SeqExpr:
		if _, ok := e.(*relax.SeqExpr); ok { // a body or branch stays a sequence
			return out
		}
	case *relax.Function:
		return out
	}
	n, err := k.bb.Normalize(out)
	k.try(err)
	return n
}

func (k *walk) defaultRelax(e relax.Expr) ir.Node {
	switch e := e.(type) {
	case *relax.Var:
		if v := k.remap[e]; v != nil {
			return v
		}
		return e
	case *relax.Function:
		return k.function(e)
	case *relax.SeqExpr:
		return k.seq(e)
	case *relax.If:
		cond, then, otherwise := k.relaxExpr(e.Cond), k.branch(e.Then), k.branch(e.Else)
		if cond == e.Cond && then == e.Then && otherwise == e.Else {
			return e
		}
		return &relax.If{Base: e.Base, Cond: cond, Then: then, Else: otherwise}
	}
	out := k.rm.MapExpr(e)
	if c, ok := out.(*relax.Call); ok && out != e {
		copied := *c
		copied.SInfo = nil // is inferred anew
		return &copied
	}
	return out
}

func (k *walk) branch(s *relax.SeqExpr) *relax.SeqExpr {
	switch out := k.relaxExpr(s).(type) {
	case *relax.SeqExpr:
		return out
	default:
		return &relax.SeqExpr{Base: s.Base, Body: out}
	}
}

// builder returns the block builder of the function that is walked.
func (k *walk) builder() *relax.BlockBuilder {
	if k.bb == nil {
		k.bb = op.NewBlockBuilder(k.mod)
	}
	return k.bb
}

func (k *walk) function(f *relax.Function) ir.Node {
	params := ir.MapSame(f.Params, k.varDef)
	if !k.w.mutates {
		k.relaxExpr(f.Body)
		return f
	}
	bb := k.builder()
	bb.BeginFunction("", params, relax.FuncOpts{Attrs: f.Attrs, Private: true, Impure: !f.Pure, Base: f.Base})
	k.depth++
	image := k.dispatch(f.Body, func() ir.Node { return k.seqInto(f.Body) })
	var result relax.Expr
	switch s := image.(type) {
	case *relax.SeqExpr: // of a handler
		n, err := bb.Normalize(s)
		k.try(err)
		result = n
	default:
		result = must[relax.Expr](k, f.Body, image, "a graph-level expression")
	}
	k.depth--
	out, err := bb.EndLocalFunction(result)
	k.try(err)
	out.Body = out.Body.OrSame(f.Body)
	if out.Body == f.Body && sameVars(params, f.Params) {
		return f
	}
	return out
}

func sameVars(a, b []*relax.Var) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// seq walks a sequence in a scope of its own.
func (k *walk) seq(s *relax.SeqExpr) ir.Node {
	if !k.w.mutates {
		k.seqInto(s)
		return s
	}
	bb := k.builder()
	bb.BeginSeq()
	k.depth++
	result := k.seqInto(s)
	k.depth--
	out, err := bb.EndSeq(result)
	k.try(err)
	return out.OrSame(s)
}

// seqInto walks the blocks of s, emitting into the current sequence, and returns what it
// yields.
func (k *walk) seqInto(s *relax.SeqExpr) relax.Expr {
	for _, b := range s.Blocks {
		k.block(b)
	}
	return k.relaxExpr(s.Body)
}

// block walks a block; a mutator emits what comes of it.
func (k *walk) block(b *relax.BindingBlock) ir.Node {
	image := k.dispatch(b, func() ir.Node { return k.defaultBlock(b) })
	if k.w.mutates && image != nil {
		k.inSequence("a block")
		out := must[*relax.BindingBlock](k, b, image, "a block")
		k.open(out)
		for _, x := range out.Bindings {
			k.try(k.bb.Renormalize(x))
		}
		k.bb.EndDataflow()
	}
	return nil
}

func (k *walk) open(b *relax.BindingBlock) {
	k.bb.EndDataflow()
	if b.Dataflow {
		k.bb.BeginDataflow()
	}
}

// defaultBlock walks the bindings of a block.
func (k *walk) defaultBlock(b *relax.BindingBlock) ir.Node {
	if k.w.mutates {
		k.inSequence("a block")
		k.open(b)
		defer k.bb.EndDataflow()
	}
	for _, x := range b.Bindings {
		k.binding(x)
	}
	return nil
}

func (k *walk) inSequence(what string) {
	if k.depth == 0 {
		k.fail("mutator: %s is walked as a part of its function: give the mutator the function", what)
	}
}

// binding walks a binding; a mutator emits what comes of it.
func (k *walk) binding(b relax.Binding) ir.Node {
	image := k.dispatch(b, func() ir.Node { return k.defaultBinding(b) })
	if k.w.mutates && image != nil {
		k.inSequence("a binding")
		k.reemit(must[relax.Binding](k, b, image, "a binding"))
	}
	return nil
}

// defaultBinding walks the value, then the variable.
func (k *walk) defaultBinding(b relax.Binding) ir.Node {
	if k.w.mutates {
		k.inSequence("a binding")
	}
	value := k.relaxExpr(b.BoundValue())
	v := k.varDef(b.Bound())
	if !k.w.mutates {
		return nil
	}
	switch b := b.(type) {
	case *relax.VarBinding:
		if value == b.Value && v == b.Var {
			k.bb.EmitNormalized(b)
			return nil
		}
		k.reemit(&relax.VarBinding{Base: b.Base, Var: v, Value: value})
		if v != b.Var {
			k.remap[b.Var] = v
		}
	case *relax.MatchCast:
		if value == b.Value && v == b.Var {
			k.bb.EmitNormalized(b)
			return nil
		}
		k.reemit(&relax.MatchCast{Base: b.Base, Var: v, Value: value, SInfo: b.SInfo})
		if v != b.Var {
			k.remap[b.Var] = v
		}
	default:
		panic("starpass: unknown binding " + ir.TypeName(b))
	}
	return nil
}

// reemit emits a binding in normal form. A variable whose value has other struct info now is
// replaced by one that has it.
func (k *walk) reemit(b relax.Binding) {
	vb, ok := b.(*relax.VarBinding)
	if !ok {
		k.try(k.bb.Renormalize(b))
		return
	}
	value, err := k.bb.Normalize(vb.Value)
	k.try(err)
	out := vb
	if value != vb.Value {
		out = &relax.VarBinding{Base: vb.Base, Var: vb.Var, Value: value}
	}
	info := k.bb.Context().SInfoOf(value)
	if info != nil && (vb.Var.SInfo == nil || !relax.EqualSInfo(info, vb.Var.SInfo)) {
		v := *vb.Var
		v.SInfo = info
		k.remap[vb.Var] = &v
		out = &relax.VarBinding{Base: vb.Base, Var: &v, Value: value}
	}
	k.bb.EmitNormalized(out)
}

// varDef walks the definition of a variable, for a handler of VarDef.
func (k *walk) varDef(v *relax.Var) *relax.Var {
	name := "VarDef"
	if v.Dataflow {
		name = "DataflowVarDef"
	}
	h := k.w.handler(levelRelax, name)
	if h == nil {
		return v
	}
	out := must[*relax.Var](k, v, k.handle(h, v), "a relax.Var")
	if out != v {
		k.remap[v] = out
	}
	return out
}

// keepBinding and keepBlock are for the mapper, which never meets bindings: sequences are
// walked by seq.
func (k *walk) keepBinding(b relax.Binding) relax.Binding { return b }

func (k *walk) keepBlock(b *relax.BindingBlock) *relax.BindingBlock { return b }
