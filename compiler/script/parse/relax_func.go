package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// graphFunc is a Relax function under construction.
type graphFunc struct {
	attrs   *ir.Attrs
	result  relax.Expr
	ended   bool            // a return was read
	outputs map[string]bool // of the dataflow block that is open
}

// sizeParams defines the symbolic variables that a signature declares: def f[n](...).
func (b *builder) sizeParams(s *syntax.Stmt, d dtype.DType) {
	for _, p := range s.Sizes {
		v := &tir.Var{Base: ir.Base{Span: b.spans.span(p.At, p.End)}, Name: p.Name, Type: &ir.PrimType{DType: d}}
		if p.Ann != nil {
			v.Type = b.typeOf(p.Ann)
		}
		b.env.define(p.Name, v)
	}
}

// declareSizes defines the symbolic variables that the statements at the start of a body
// declare, which may be used in the signature before.
func (b *builder) declareSizes(body []*syntax.Stmt) {
	for _, s := range body {
		if s.Kind != syntax.Assign || len(s.Targets) != 1 {
			continue
		}
		names, values := []*syntax.Node{s.Targets[0]}, []*syntax.Node{s.Value}
		if s.Targets[0].Kind == syntax.Tuple && s.Value.Kind == syntax.Tuple && len(s.Targets[0].Kids) == len(s.Value.Kids) {
			names, values = s.Targets[0].Kids, s.Value.Kids
		}
		for i, n := range names {
			v := values[i]
			d, ok := b.calledType(v)
			if !ok || n.Kind != syntax.Name || len(v.Kids) != 1 || !d.IsInteger() && !d.IsFloat() && !d.IsBool() {
				continue
			}
			if old, ok := b.env.lookup(n.Text); ok {
				if _, outer := old.(*tir.Var); outer {
					continue // of the function around this one
				}
			}
			x := b.eval(v).(fresh).v
			x.Name, x.Base = n.Text, b.span(n)
			b.env.define(n.Text, x)
		}
	}
}

// params evaluates the signature of a function in the scope that is open.
func (b *builder) graphParams(s *syntax.Stmt) ([]*relax.Var, relax.StructInfo) {
	b.sizeParams(s, dtype.Int64T)
	b.declareSizes(s.Body)
	vars := make([]*relax.Var, 0, len(s.Params))
	for i := range s.Params {
		p := &s.Params[i]
		v := &relax.Var{Base: b.input(p), Name: p.Name}
		if p.Ann == nil {
			b.failAt(p.At, p.End, `write its struct info, such as R.Tensor((2, 3), dtype="float32")`, "parameter %s has no annotation", p.Name)
		}
		v.SInfo = b.sinfo(p.Ann)
		vars = append(vars, v)
		b.env.define(p.Name, v)
	}
	if s.Ann == nil {
		return vars, nil
	}
	return vars, b.sinfo(s.Ann)
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
func (b *builder) signature(s *syntax.Stmt) *relax.Function {
	defer b.enterGraph()()
	params, ret := b.graphParams(s)
	if ret == nil {
		ret = &relax.ObjectStructInfo{}
	}
	return &relax.Function{Base: b.stmtBase(s), Params: params, Ret: ret, Pure: b.roleFlag(s, "pure", true)}
}

// graphFunction builds a function of the module.
func (b *builder) graphFunction(s *syntax.Stmt) ir.Function {
	f := b.function(s)
	b.checkPrivate(s, f.Attrs)
	if !b.private(s) && !f.Attrs.Has(ir.AttrGlobalSymbol) {
		f.Attrs = f.Attrs.With(ir.AttrGlobalSymbol, s.Name)
	}
	return f
}

// function builds a Relax function, of the module or local.
func (b *builder) function(s *syntax.Stmt) *relax.Function {
	defer b.enterGraph()()
	params, ret := b.graphParams(s)
	bb := b.blockBuilder()
	b.rf = &graphFunc{}
	bb.BeginFunction(s.Name, params, relax.FuncOpts{Private: true, Impure: !b.roleFlag(s, "pure", true), Base: b.stmtBase(s)})
	b.graphBody(s.Body)
	if !b.rf.ended && !b.d.Failed() {
		b.d.Add(s.At, s.End, "the function "+s.Name+" returns nothing", "end it with a return statement")
	}
	if b.rf.result == nil {
		b.rf.result = &relax.Tuple{}
	}
	fn, err := bb.EndLocalFunction(b.rf.result)
	if err != nil {
		b.mod.bb = nil // it is in the middle of a function
		if !b.d.Failed() {
			b.d.Add(s.At, s.End, err.Error(), "")
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

// normalize brings a value into normal form and returns its struct info: the annotation
// where there is one, which must not contradict what is inferred.
func (b *builder) normalize(e relax.Expr, at *syntax.Node, ann relax.StructInfo) (relax.Expr, relax.StructInfo) {
	bb := b.blockBuilder()
	value, err := bb.Normalize(e)
	if err != nil {
		if c, ok := e.(*relax.Call); ok && ann != nil {
			return b.asAnnotated(c, ann, at), ann
		}
		b.fail(at, "", "%s", opMessage(err))
	}
	info := bb.Context().SInfoOf(value)
	if ann == nil {
		if info == nil {
			b.fail(at, "annotate the variable with its struct info", "the struct info of this value is not known")
		}
		return value, info
	}
	if _, call := value.(*relax.Call); !call && info != nil && bb.Context().IsBaseOf(ann, info) == relax.False && bb.Context().IsBaseOf(info, ann) == relax.False {
		b.fail(at, "remove the annotation or correct it", "the annotation says %s, but the value is %s", relax.FormatSInfo(ann), relax.FormatSInfo(info))
	}
	switch x := value.(type) {
	case *relax.Call:
		x.SInfo = ann
	case *relax.TupleGetItem:
		x.SInfo = ann
	case *relax.If:
		x.SInfo = ann
	}
	return value, ann
}

// asAnnotated brings the arguments of a call of which nothing can be inferred into normal
// form.
func (b *builder) asAnnotated(c *relax.Call, ann relax.StructInfo, at *syntax.Node) *relax.Call {
	out := *c
	out.Args = append([]relax.Expr{}, c.Args...)
	for i, a := range out.Args {
		x, err := b.leaf(a)
		if err != nil {
			b.fail(at, "", "%s", opMessage(err))
		}
		out.Args[i] = x
	}
	out.SInfo = ann
	return &out
}

// leaf returns an argument in normal form, binding what is nested.
func (b *builder) leaf(e relax.Expr) (relax.Expr, error) {
	switch x := e.(type) {
	case *relax.Call, *relax.TupleGetItem, *relax.If, *relax.Function, *relax.SeqExpr:
		return b.blockBuilder().Emit(e, "")
	case *relax.Tuple:
		for i, f := range x.Fields {
			y, err := b.leaf(f)
			if err != nil {
				return nil, err
			}
			x.Fields[i] = y
		}
	}
	return e, nil
}
