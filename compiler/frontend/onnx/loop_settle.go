package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// settle finds the types of what is carried and collected: it converts the body until it yields what it takes. An extent that a turn changes becomes
// symbolic.
func (r *recursion) settle() {
	g := r.g
	for {
		names, built, born := g.functionNames.clone(), len(g.built), len(g.symbols.born)
		f := r.open()
		g.bb.BeginFunction(r.name, f.params, relax.FuncOpts{Private: true})
		out := f.once()
		var own []*tir.Var // symbols that the body made
		own = append(own, g.symbols.born[born:]...)
		changed := false
		if r.numbered && !r.dynamic {
			holds, known := r.truth(out.cond)
			r.dynamic = !holds || !known
			changed = r.dynamic
		}
		for i, v := range out.carried {
			changed = r.widen(i, r.carriedInfo(i, v), own) || changed
		}
		for i, w := range r.widened {
			have, _ := r.carried[i].Dims()
			for axis := range w {
				own = append(own, have[axis].(*tir.Var))
			}
		}
		r.scanned = nil
		for k, v := range out.elements {
			x := r.tensor(v)
			dims := r.extents(x, k)
			for _, d := range dims {
				if mentions(d, own) {
					r.fail("output %d of the body (%q) is collected, but its extent %s may differ from turn to turn", len(r.body.Outputs)-r.scans+k, r.body.Outputs[len(r.body.Outputs)-r.scans+k].Name, relax.FormatPrim(d))
				}
			}
			r.scanned = append(r.scanned, relax.TensorOf(relax.SInfoOf(x).(*relax.TensorStructInfo).DType, dims...))
		}
		f.close()
		g.functionNames, g.built = names, g.built[:built]
		if !changed {
			return
		}
	}
}

// carriedInfo is the type of what the body yields for carried value i.
func (r *recursion) carriedInfo(i int, v *value) *relax.TensorStructInfo {
	t := v.tensorInfo()
	want := r.carried[i]
	switch {
	case t == nil:
		r.fail("the body carries a value on that is not a tensor")
	case t.DType != want.DType:
		r.fail("carried value %d has element type %s, but the body yields %s", i, want.DType, t.DType)
	case t.NDim != want.NDim:
		r.fail("carried value %d has %d dimensions, but the body yields %d", i, want.NDim, t.NDim)
	}
	return t
}

// widen makes extents of carried value i symbolic that the body changes, and reports whether there are any.
func (r *recursion) widen(i int, t *relax.TensorStructInfo, own []*tir.Var) bool {
	have, _ := r.carried[i].Dims()
	next, known := t.Dims()
	ctx := &relax.InferContext{Prover: r.g.prover}
	dims := slices.Clone(have)
	changed := false
	for axis := range have {
		if r.widened[i][axis] || known && ctx.Equal(have[axis], next[axis]) == relax.True && !mentions(next[axis], own) {
			continue
		}
		dims[axis] = tir.NewVar(identifier(r.body.Inputs[len(r.body.Inputs)-len(r.sources)-len(r.carried)+i].Name)+"_extent", dtype.Int64T)
		r.widened[i][axis], changed = true, true
	}
	if changed {
		r.carried[i] = relax.TensorOf(t.DType, dims...)
	}
	return changed
}
