package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// ruleLiftConstants is the name of the rule in rewrites and decisions.
const ruleLiftConstants = "compute when the program is loaded"

// LiftConstantCalls moves what depends on constants alone to functions that run once. LiftTransformParams does so with what depends on
// weights that are parameters.
var LiftConstantCalls = &pass.Pass{
	Name: "LiftConstantCalls", Level: 2, Kind: pass.Module,
	Doc: "Moves the calls of kernels in dataflow blocks whose arguments are constants, and what depends on these calls alone, to a function NAME_once with the attribute run_once: it runs when the program is loaded, and its results stay in memory. So weights are brought into the form that kernels read once, and not at each inference.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		mu := newMutator(c, m, ruleLiftConstants)
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok || f.Attrs.Bool(ir.AttrRunOnce, false) || f.Attrs.Has(attrPrimitive) {
				continue
			}
			if err := c.Err(); err != nil {
				return nil, err
			}
			c.Working(gv.Name)
			l := &constantLift{c: c, m: m, over: overwritesOf(f), lifted: map[*relax.Var]bool{}, field: map[*relax.Var]int{}}
			l.collect(f)
			if len(l.results) == 0 {
				continue
			}
			out, err := l.apply(mu, gv.Name, f)
			if err != nil {
				return nil, err
			}
			mu.Builder().UpdateFunc(gv.Name, out)
		}
		c.Working("")
		return mu.Builder().Module(), nil
	},
}

// constantLift is what is lifted out of one function.
type constantLift struct {
	c    *pass.Context
	m    *ir.Module
	over *overwrites
	// lifted are the variables whose bindings are lifted, in order in bindings.
	lifted   map[*relax.Var]bool
	bindings []relax.Binding
	// results are those that the rest of the function uses; field is the place of each.
	results []*relax.Var
	field   map[*relax.Var]int
	blocks  int // that have something lifted
}

// collect finds what can be lifted, and what of it the rest of f uses.
func (l *constantLift) collect(f *relax.Function) {
	for _, blk := range f.Body.Blocks {
		before := len(l.bindings)
		for _, b := range blk.Bindings {
			if vb, ok := b.(*relax.VarBinding); ok && blk.Dataflow && l.liftable(vb) {
				l.lifted[vb.Var] = true
				l.bindings = append(l.bindings, vb)
			}
		}
		if len(l.bindings) > before {
			l.blocks++
		}
	}
	if len(l.bindings) == 0 {
		return
	}
	use := func(v *relax.Var) {
		if _, known := l.field[v]; l.lifted[v] && !known {
			l.field[v] = len(l.results)
			l.results = append(l.results, v)
		}
	}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if !l.lifted[b.Bound()] {
			eachUsed(b.BoundValue(), use)
		}
	})
	usedVars(f.Body.Body, use)
}

// liftable reports whether a binding depends on constants and on what is lifted alone.
func (l *constantLift) liftable(vb *relax.VarBinding) bool {
	if get, ok := vb.Value.(*relax.TupleGetItem); ok {
		v, ok := get.Tuple.(*relax.Var)
		return ok && l.lifted[v] && !l.over.has(vb.Var)
	}
	if kernelOf(l.m, vb.Value) == nil {
		return false
	}
	call := vb.Value.(*relax.Call)
	fields := fieldsOf(call.Args[1])
	for _, a := range fields {
		if v, ok := a.(*relax.Var); ok && l.lifted[v] {
			continue
		}
		if _, ok := a.(*relax.Constant); !ok {
			return false
		}
	}
	declined := func(why string) bool {
		l.c.Declined(ruleLiftConstants, vb, why)
		return false
	}
	switch {
	case len(fields) == 0:
		return declined("it takes nothing: its result would only occupy memory")
	case len(call.Args) > 2 || !hasStaticShape(vb.Var.SInfo):
		return declined("the shape of the result is not known")
	case l.over.has(vb.Var):
		return declined("a later call writes over the result")
	}
	return true
}

// hasStaticShape reports whether the extents of a tensor, or of all in a tuple, are known.
func hasStaticShape(s relax.StructInfo) bool {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		_, known := s.StaticDims()
		return known
	case *relax.TupleStructInfo:
		for _, f := range s.Fields {
			if !hasStaticShape(f) {
				return false
			}
		}
		return true
	}
	return false
}

// apply adds the function that computes what is lifted, and returns f with a call of it.
func (l *constantLift) apply(mu *relax.ExprMutator, name string, f *relax.Function) (*relax.Function, error) {
	once, err := l.function(mu, f)
	if err != nil {
		return nil, err
	}
	gv := mu.Builder().AddFunc(name+"_once", once)
	l.c.Rewrite(ruleLiftConstants, nil, once)
	var all relax.Expr
	mu.Binding = func(b relax.Binding) {
		v := b.Bound()
		if !l.lifted[v] {
			mu.VisitBinding(b)
			return
		}
		if all == nil {
			emit := mu.Emit
			if l.blocks > 1 { // the others see outputs only
				emit = mu.EmitOutput
			}
			all = emit(&relax.Call{Base: b.Meta(), Op: gv, SInfo: once.Ret}, "params")
		}
		i, used := l.field[v]
		switch {
		case !used:
		case len(l.results) == 1:
			mu.EmitNormalized(mu.WithValue(b, all))
		default:
			mu.EmitNormalized(mu.WithValue(b, &relax.TupleGetItem{Base: b.Meta(), Tuple: all, Index: i}))
		}
	}
	defer func() { mu.Binding = nil }()
	return mu.Function(f)
}

// function returns the function that computes what is lifted: its result, or a tuple of them. What was an output of a block of f is none there.
func (l *constantLift) function(mu *relax.ExprMutator, f *relax.Function) (*relax.Function, error) {
	var out relax.Expr = l.results[0]
	info := l.results[0].SInfo
	if len(l.results) > 1 {
		fields, infos := make([]relax.Expr, len(l.results)), make([]relax.StructInfo, len(l.results))
		for i, v := range l.results {
			fields[i], infos[i] = v, v.SInfo
		}
		out, info = &relax.Tuple{Base: f.Base, Fields: fields}, &relax.TupleStructInfo{Fields: infos}
	}
	result := &relax.Var{Base: f.Base, Name: "params", SInfo: info}
	bindings := append(l.bindings, &relax.VarBinding{Base: f.Base, Var: result, Value: out})
	body := &relax.SeqExpr{Base: f.Base, Blocks: []*relax.BindingBlock{{Base: f.Base, Dataflow: true, Bindings: bindings}}, Body: result}
	once, err := mu.Builder().NormalizeFunction(&relax.Function{Base: f.Base, Body: body, Pure: true, Attrs: ir.NewAttrs(ir.AttrRunOnce, true)})
	if err != nil {
		return nil, err
	}
	local := op.NewExprMutator(l.m)
	local.VarDef = func(v *relax.Var) *relax.Var {
		if v.Dataflow || v == result {
			return v
		}
		out := *v
		out.Dataflow = true
		return &out
	}
	if once, err = local.Function(once); err != nil {
		return nil, err
	}
	return relax.CopyFunction(once), nil
}
