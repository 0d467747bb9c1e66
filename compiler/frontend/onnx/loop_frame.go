package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// frame is the state of a function that is being built.
type frame struct {
	*recursion
	g      *graph // as it was outside
	params []*relax.Var
	number *relax.Var
	cond   *relax.Var
	limit  relax.Expr // in the function
	in     turn
	count  *tir.Var // the rows that there is room for in what was collected before
	got    []*relax.Var
	outer  []relax.Expr // what was passed
}

// open begins the function, whose parameters get the types that are known so far.
func (r *recursion) open() *frame {
	g := r.g
	saved := *g
	f := &frame{recursion: r, g: &saved}
	g.bb = relax.NewBlockBuilder(saved.bb.Module(), op.Table(), g.prover)
	g.names, g.values, g.cached, g.assumed = names{}, map[string]*value{}, nil, nil
	param := func(name string, info relax.StructInfo) *relax.Var {
		v := &relax.Var{Base: ir.Base{Origin: r.origin}, Name: g.names.fresh(name), SInfo: info}
		f.params = append(f.params, v)
		return v
	}
	if len(r.outer) > 0 {
		var own []tir.Expr
		for _, v := range r.outer {
			own = append(own, r.sub.Prims[v])
		}
		param("extents", relax.ShapeOf(own...))
	}
	f.number = param(r.inputName(0, "number"), relax.StaticTensor(dtype.Int64T))
	f.in.number = &value{expr: f.number}
	if r.until != nil {
		if _, constant := r.until.(*relax.Constant); constant {
			f.limit = r.until
		} else {
			f.limit = param("limit", relax.StaticTensor(dtype.Int64T))
		}
	}
	f.in.cond = &value{known: scalar(dtype.BoolT, tir.Bool(true))}
	if r.dynamic {
		f.cond = param(r.inputName(1, "condition"), relax.StaticTensor(dtype.BoolT))
	}
	first := 0
	if r.numbered {
		first = 2
	}
	for i, t := range r.carried {
		f.in.carried = append(f.in.carried, &value{expr: param(r.body.Inputs[first+i].Name, t)})
	}
	f.count = tir.NewVar("room", dtype.Int64T)
	for k, t := range r.scanned {
		dims, _ := t.Dims()
		f.got = append(f.got, param(r.body.Outputs[len(r.body.Outputs)-r.scans+k].Name, relax.TensorOf(t.DType, append([]tir.Expr{f.count}, dims...)...)))
	}
	for i, e := range r.passed {
		name := "outer"
		if v, ok := e.(*relax.Var); ok {
			name = v.Name
		}
		_, constant := e.(*relax.Constant)
		if i < len(r.sources) && constant {
			f.outer = append(f.outer, e)
			continue
		}
		f.outer = append(f.outer, param(name, r.sub.SInfo(relax.SInfoOf(e))))
	}
	next := len(r.sources)
	for _, name := range r.names {
		v := saved.values[name]
		switch {
		case v.stack != nil:
			g.values[name] = &value{stack: f.outer[next]}
			next++
		case isPassed(v):
			g.values[name] = &value{expr: f.outer[next]}
			next++
		case v.known != nil:
			k := *v.known
			k.elems = slices.Clone(k.elems)
			for i := range k.elems {
				k.elems[i] = r.sub.Prim(k.elems[i])
			}
			inner := &value{known: &k}
			if _, ok := v.expr.(*relax.Constant); ok {
				inner.expr = v.expr
			}
			g.values[name] = inner
		default:
			g.values[name] = &value{expr: v.expr}
		}
	}
	return f
}

// inputName is that of an input of the body, by default another.
func (r *recursion) inputName(i int, def string) string {
	if r.numbered && r.body.Inputs[i].Name != "" {
		return r.body.Inputs[i].Name
	}
	return def
}

// close goes back to what is outside of the function.
func (f *frame) close() {
	g := f.recursion.g
	g.bb, g.names, g.values, g.cached, g.assumed = f.g.bb, f.g.names, f.g.values, f.g.cached, f.g.assumed
}

// once converts the body in the function.
func (f *frame) once() turn {
	in := f.in
	for i, s := range f.sources {
		var at relax.Expr = f.number
		if s.reverse {
			last := f.emit("relax.subtract", args(f.limit, f.integers([]int64{}, []int64{1})))
			at = f.emit("relax.subtract", args(last, at))
		}
		in.elements = append(in.elements, &value{expr: f.pick(f.outer[i], s.axis, at)})
	}
	return f.run(in)
}
