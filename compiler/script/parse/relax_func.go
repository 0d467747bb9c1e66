package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// graphFunc is a graph-level function under construction.
type graphFunc struct {
	attrs   *ir.Attrs
	result  relax.Expr
	ended   bool            // a return was read
	outputs map[string]bool // of the dataflow block that is open
}

// sizeParams defines the symbolic variables that a signature declares: def f[n](...).
func (b *builder) sizeParams(s *stmt, d dtype.DType) {
	for _, p := range s.sizes {
		v := &tir.Var{Base: ir.Base{Span: b.d.span(p.at, p.end)}, Name: p.name, Type: &ir.PrimType{DType: d}}
		if p.ann != nil {
			v.Type = b.typeOf(p.ann)
		}
		b.env.define(p.name, v)
	}
}

// declareSizes defines the symbolic variables that the statements at the start of a body
// declare, which may be used in the signature before.
func (b *builder) declareSizes(body []*stmt) {
	for _, s := range body {
		if s.kind != sAssign || len(s.targets) != 1 {
			continue
		}
		names, values := []*node{s.targets[0]}, []*node{s.value}
		if s.targets[0].kind == nTuple && s.value.kind == nTuple && len(s.targets[0].kids) == len(s.value.kids) {
			names, values = s.targets[0].kids, s.value.kids
		}
		for i, n := range names {
			v := values[i]
			if n.kind != nName || v.kind != nCall || len(v.kids) != 1 {
				continue
			}
			path, ok := b.path(v.kids[0])
			if !ok || len(path) < 3 || path[:2] != "T." {
				continue
			}
			d, ok := dtypeName(path[2:])
			if !ok || !d.IsInteger() && !d.IsFloat() && !d.IsBool() {
				continue
			}
			if old, ok := b.env.lookup(n.s); ok {
				if _, outer := old.(*tir.Var); outer {
					continue // of the function around this one
				}
			}
			x := b.newVar(d, v).(fresh).v
			x.Name, x.Base = n.s, b.span(n)
			b.env.define(n.s, x)
		}
	}
}

// params evaluates the signature of a function in the scope that is open.
func (b *builder) graphParams(s *stmt) ([]*relax.Var, relax.StructInfo) {
	b.sizeParams(s, dtype.Int64T)
	b.declareSizes(s.body)
	vars := make([]*relax.Var, 0, len(s.params))
	for i := range s.params {
		p := &s.params[i]
		v := &relax.Var{Base: b.input(p), Name: p.name}
		if p.ann == nil {
			b.d.add(p.at, p.end, "parameter "+p.name+" has no annotation", `write its struct info, such as R.Tensor((2, 3), dtype="float32")`)
			panic(failure{})
		}
		v.SInfo = b.sinfo(p.ann)
		vars = append(vars, v)
		b.env.define(p.name, v)
	}
	if s.ann == nil {
		return vars, nil
	}
	return vars, b.sinfo(s.ann)
}

func (b *builder) enterGraph() func() {
	mark := b.env.mark()
	rf, d, g, dims := b.rf, b.intType, b.graph, b.dims
	b.graph, b.intType = true, dtype.Int64T
	return func() {
		b.env.release(mark)
		b.rf, b.intType, b.graph, b.dims = rf, d, g, dims
	}
}

// signature returns the function with its signature only, for calls of it.
func (b *builder) signature(s *stmt, deco *node) *relax.Function {
	defer b.enterGraph()()
	params, ret := b.graphParams(s)
	if ret == nil {
		ret = &relax.ObjectStructInfo{}
	}
	return &relax.Function{Base: b.stmtBase(s), Params: params, Ret: ret, Pure: b.decoFlag(deco, "pure", true)}
}

// graphFunction builds a function of the module.
func (b *builder) graphFunction(s *stmt, deco *node) ir.Function {
	f := b.function(s, deco)
	if !b.private(deco) && !f.Attrs.Has(ir.AttrGlobalSymbol) {
		f.Attrs = f.Attrs.With(ir.AttrGlobalSymbol, s.name)
	}
	return f
}

// function builds a graph-level function, of the module or local.
func (b *builder) function(s *stmt, deco *node) *relax.Function {
	defer b.enterGraph()()
	params, ret := b.graphParams(s)
	bb := b.blockBuilder()
	b.rf = &graphFunc{}
	bb.BeginFunction(s.name, params, relax.FuncOpts{Private: true, Impure: !b.decoFlag(deco, "pure", true), Base: b.stmtBase(s)})
	b.graphBody(s.body)
	if !b.rf.ended && !b.d.failed() {
		b.d.add(s.at, s.end, "the function "+s.name+" returns nothing", "end it with a return statement")
	}
	if b.rf.result == nil {
		b.rf.result = &relax.Tuple{}
	}
	fn, err := bb.EndLocalFunction(b.rf.result)
	if err != nil {
		b.mod.bb = nil // it is in the middle of a function
		if !b.d.failed() {
			b.d.add(s.at, s.end, err.Error(), "")
		}
		panic(failure{})
	}
	fn.Attrs = b.rf.attrs
	if ret != nil {
		fn.Ret = ret
	}
	fn.Base = b.stmtBase(s)
	return fn
}
