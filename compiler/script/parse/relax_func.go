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
	b.declareSizes(s.body)
	vars := make([]*relax.Var, 0, len(s.params))
	for i := range s.params {
		p := &s.params[i]
		v := &relax.Var{Base: ir.Base{Span: b.d.span(p.at, p.end)}, Name: p.name}
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
	n := len(b.d.list)
	params, ret := b.graphParams(s)
	b.d.list = b.d.list[:n] // reported when the function itself is read
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

func (b *builder) graphBody(stmts []*stmt) {
	for _, s := range stmts {
		if b.rf.ended {
			b.d.add(s.at, s.end, "this statement follows a return", "")
			return
		}
		if !b.guard(s, func() { b.graphStmt(s) }) {
			b.poison(s)
			if s.kind == sReturn {
				b.rf.ended = true
			}
			if s.kind == sDef {
				b.env.define(s.name, poison{})
			}
			if s.kind == sIf {
				b.poisonBranches(s)
			}
		}
	}
}

func (b *builder) poisonBranches(s *stmt) {
	for _, list := range [][]*stmt{s.body, s.orelse} {
		if len(list) > 0 {
			b.poison(list[len(list)-1])
		}
	}
}

func (b *builder) graphStmt(s *stmt) {
	switch s.kind {
	case sExpr:
		b.graphExprStmt(s)
	case sAssign:
		b.graphAssign(s)
	case sAnnAssign:
		if s.value == nil || s.targets[0].kind != nName {
			b.fail(s.targets[0], "", "expected name: struct info = value")
		}
		b.bindGraph(s.targets[0], s.value, b.eval(s.value), b.sinfo(s.ann))
	case sReturn:
		b.rf.ended = true
		if s.value == nil {
			b.rf.result = &relax.Tuple{Base: b.stmtBase(s)}
			return
		}
		b.rf.result = b.toRelax(b.eval(s.value), s.value)
	case sIf:
		b.graphIf(s)
	case sWith:
		b.dataflow(s)
	case sDef:
		b.localFunction(s)
	case sPass:
	default:
		b.d.add(s.at, s.end, "this statement cannot stand in a graph-level function", "")
	}
}

func (b *builder) graphExprStmt(s *stmt) {
	if s.value.kind == nString || s.value.kind == nConst {
		return
	}
	if s.value.kind == nCall {
		switch path, _ := b.path(s.value.kids[0]); path {
		case "R.func_attr":
			a := b.bind(s.value, "attrs")
			b.need(s.value, a, 1, "attrs")
			attrs := b.attrDict(a[0])
			for i := range attrs.Len() {
				b.rf.attrs = b.rf.attrs.With(attrs.At(i))
			}
			return
		case "R.output", "R.func_ret_struct_info":
			return
		}
	}
	v := b.eval(s.value)
	if v == nil {
		return
	}
	if l, ok := v.(*list); ok && len(l.items) == 0 {
		return
	}
	e := b.toRelax(v, s.value)
	value, err := b.blockBuilder().Normalize(e)
	if err != nil {
		b.fail(s.value, "", "%v", err)
	}
	info := b.blockBuilder().Context().SInfoOf(value)
	if t, ok := info.(*relax.TupleStructInfo); !ok || len(t.Fields) > 0 {
		if _, ok := info.(*relax.ObjectStructInfo); !ok {
			b.fail(s.value, "assign it to a name", "the value of this expression is not used")
		}
	}
	nv := &relax.Var{Base: b.span(s.value), Name: "_", SInfo: info, Dataflow: b.blockBuilder().InDataflow()}
	b.env.define("_", nv)
	b.blockBuilder().EmitNormalized(&relax.VarBinding{Base: nv.Base, Var: nv, Value: value})
}

func (b *builder) graphAssign(s *stmt) {
	t := s.targets[0]
	switch t.kind {
	case nName:
		b.bindGraph(t, s.value, b.eval(s.value), nil)
	case nTuple, nList:
		v := b.eval(s.value)
		if l, ok := v.(*list); ok {
			if len(l.items) != len(t.kids) {
				b.fail(t, "", "%d names for %d values", len(t.kids), len(l.items))
			}
			for i, k := range t.kids {
				b.bindGraph(k, s.value, l.items[i], nil)
			}
			return
		}
		x, err := b.blockBuilder().Emit(b.toRelax(v, s.value), "")
		if err != nil {
			b.fail(s.value, "", "%v", err)
		}
		for i, k := range t.kids {
			b.bindGraph(k, s.value, &relax.TupleGetItem{Base: b.span(k), Tuple: x, Index: i}, nil)
		}
	default:
		b.fail(t, "graph-level values cannot be changed", "expected a name on the left")
	}
	for _, t := range s.targets[1:] {
		b.bindGraph(t, s.value, b.eval(s.targets[0]), nil)
	}
}

// matchCast is the value of R.match_cast until it is bound.
type matchCast struct {
	value relax.Expr
	info  relax.StructInfo
}

// bindGraph binds a name to a value. ann is its annotation, nil if there is none.
func (b *builder) bindGraph(t, at *node, v any, ann relax.StructInfo) {
	if t.kind != nName {
		b.fail(t, "", "expected a name on the left")
	}
	switch x := v.(type) {
	case fresh:
		// A declaration of a symbolic variable, which the signature may have used already.
		if old, ok := b.env.lookup(t.s); ok {
			if ov, ok := old.(*tir.Var); ok && ov.DType() == x.v.DType() {
				return
			}
		}
		x.v.Name, x.v.Base = t.s, b.span(t)
		b.env.define(t.s, x.v)
		return
	case *matchCast:
		b.bindCast(t, at, x, ann)
		return
	case namespace, moduleRef, *relax.VDevice, device:
		b.env.define(t.s, v)
		return
	case metaVar:
		b.env.define(t.s, x)
		return
	}
	if _, ok := v.(relax.StructInfo); ok {
		b.env.define(t.s, v)
		return
	}
	var e relax.Expr
	if c, ok := v.(constantRef); ok {
		e = b.missing(c, ann)
	} else if c, ok := v.(*relax.Call); ok {
		e = c
	} else {
		e = b.toRelax(v, at)
	}
	value, info := b.normalize(e, at, ann)
	nv := &relax.Var{Base: b.span(t), Name: t.s, SInfo: info, Dataflow: b.local(t.s)}
	b.env.define(t.s, nv)
	b.blockBuilder().EmitNormalized(&relax.VarBinding{Base: b.span(at), Var: nv, Value: value})
}

// local reports whether a variable of that name is visible in its dataflow block only.
func (b *builder) local(name string) bool {
	return b.blockBuilder().InDataflow() && !b.rf.outputs[name]
}

// normalize brings a value into normal form and returns its struct info: the annotation
// where there is one, which must not contradict what is inferred.
func (b *builder) normalize(e relax.Expr, at *node, ann relax.StructInfo) (relax.Expr, relax.StructInfo) {
	bb := b.blockBuilder()
	if foreign(e) {
		c := e.(*relax.Call)
		if ann == nil {
			ann = b.foreignInfo(c)
		}
		if ann != nil {
			return b.asAnnotated(c, ann, at), ann
		}
	}
	value, err := bb.Normalize(e)
	if err != nil {
		if c, ok := e.(*relax.Call); ok && ann != nil {
			return b.asAnnotated(c, ann, at), ann
		}
		b.fail(at, "", "%v", err)
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
func (b *builder) asAnnotated(c *relax.Call, ann relax.StructInfo, at *node) *relax.Call {
	out := *c
	out.Args = append([]relax.Expr{}, c.Args...)
	for i, a := range out.Args {
		x, err := b.leaf(a)
		if err != nil {
			b.fail(at, "", "%v", err)
		}
		out.Args[i] = x
	}
	out.SInfo = ann
	return &out
}

// foreignInfo returns the struct info of a call of an operator that is not in the table,
// where it is that of an argument; nil where it is not known.
func (b *builder) foreignInfo(c *relax.Call) relax.StructInfo {
	o, ok := c.Op.(*ir.Op)
	if !ok {
		return nil
	}
	if k, ok := likeArgument[o.Name]; ok && k < len(c.Args) {
		return b.infoOf(c.Args[k])
	}
	if len(c.SInfoArgs) > 0 {
		return relax.ResultOfSInfoArgs(c)
	}
	if o.Name == "relax.quantize" || o.Name == "relax.dequantize" {
		if t, ok := b.infoOf(c.Args[0]).(*relax.TensorStructInfo); ok {
			out := *t
			out.DType = dtype.Float32T
			if o.Name == "relax.quantize" {
				out.DType = dtype.Int8T
			}
			if d, err := dtype.Parse(c.Attrs.Str("out_dtype", "")); err == nil && !d.IsVoid() {
				out.DType = d
			}
			return &out
		}
	}
	return &relax.ObjectStructInfo{}
}

// emitForeign binds a call of an operator that is not in the table.
func (b *builder) emitForeign(c *relax.Call, n *node) relax.Expr {
	value, info := b.normalize(c, n, nil)
	bb := b.blockBuilder()
	v := &relax.Var{Base: b.span(n), Name: bb.FreshName("lv"), SInfo: info, Dataflow: bb.InDataflow()}
	bb.EmitNormalized(&relax.VarBinding{Base: v.Base, Var: v, Value: value})
	return v
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

func (b *builder) bindCast(t, at *node, m *matchCast, ann relax.StructInfo) {
	bb := b.blockBuilder()
	value, err := b.leaf(m.value)
	if err == nil {
		value, err = bb.Normalize(value)
	}
	if err != nil {
		b.fail(at, "", "%v", err)
	}
	info := m.info
	if ann != nil {
		info = ann
	}
	nv := &relax.Var{Base: b.span(t), Name: t.s, SInfo: info, Dataflow: b.local(t.s)}
	b.env.define(t.s, nv)
	bb.EmitNormalized(&relax.MatchCast{Base: b.span(at), Var: nv, Value: value, SInfo: m.info})
}

// dataflow builds "with R.dataflow():". The names in R.output stay visible behind it.
func (b *builder) dataflow(s *stmt) {
	path, ok := "", false
	if v := s.items[0].value; v.kind == nCall {
		path, ok = b.path(v.kids[0])
	}
	if !ok || path != "R.dataflow" {
		b.fail(s.items[0].value, "", "expected R.dataflow()")
	}
	outer := b.rf.outputs
	outputs := map[string]bool{}
	for _, x := range s.body {
		if x.kind != sExpr || x.value.kind != nCall {
			continue
		}
		if path, _ := b.path(x.value.kids[0]); path == "R.output" {
			for _, k := range x.value.kids[1:] {
				if k.kind == nName {
					outputs[k.s] = true
				}
			}
		}
	}
	bb := b.blockBuilder()
	bb.BeginDataflow()
	b.rf.outputs = outputs
	b.graphBody(s.body)
	bb.EndDataflow()
	b.rf.outputs = outer
	for _, x := range s.body {
		if x.kind == sExpr && x.value.kind == nCall {
			if path, _ := b.path(x.value.kids[0]); path == "R.output" {
				for _, k := range x.value.kids[1:] {
					b.guard(s, func() { b.eval(k) })
				}
			}
		}
	}
}

// graphIf builds a conditional, whose branches bind the same name last.
func (b *builder) graphIf(s *stmt) {
	if len(s.body) == 0 || len(s.orelse) == 0 {
		b.fail(s.value, "", "a conditional of the graph level needs both branches")
	}
	cond := b.toRelax(b.eval(s.value), s.value)
	var name *node
	branch := func(list []*stmt) func() (relax.Expr, error) {
		return func() (relax.Expr, error) {
			mark := b.env.mark()
			defer b.env.release(mark)
			last := list[len(list)-1]
			b.graphBody(list[:len(list)-1])
			var out relax.Expr
			if !b.guard(last, func() { out = b.branchResult(last, &name) }) {
				panic(failure{})
			}
			return out, nil
		}
	}
	v, err := b.blockBuilder().EmitIf(cond, branch(s.body), branch(s.orelse), "")
	if err != nil {
		b.fail(s.value, "", "%v", err)
	}
	v.Name = name.s
	v.Span = b.d.span(s.at, s.end)
	b.env.define(name.s, v)
}

// branchResult returns what the last statement of a branch binds.
func (b *builder) branchResult(s *stmt, name **node) relax.Expr {
	if s.kind == sIf {
		b.graphIf(s)
		t := s.body[len(s.body)-1]
		if len(t.targets) == 1 {
			b.sameName(t.targets[0], name)
			v, _ := b.env.lookup(t.targets[0].s)
			return b.toRelax(v, t.targets[0])
		}
	}
	if (s.kind != sAssign && s.kind != sAnnAssign) || len(s.targets) != 1 || s.targets[0].kind != nName || s.value == nil {
		b.d.add(s.at, s.end, "the last statement of a branch must bind the result", "write name = value in both branches")
		panic(failure{})
	}
	b.sameName(s.targets[0], name)
	v := b.eval(s.value)
	if m, ok := v.(*matchCast); ok {
		b.bindCast(s.targets[0], s.value, m, nil)
		x, _ := b.env.lookup(s.targets[0].s)
		return b.toRelax(x, s.value)
	}
	e := b.toRelax(v, s.value)
	if s.ann != nil {
		ann := b.sinfo(s.ann)
		switch e.(type) {
		case *relax.Call, *relax.TupleGetItem:
			value, info := b.normalize(e, s.value, ann)
			nv := &relax.Var{Base: b.span(s.targets[0]), Name: b.blockBuilder().FreshName("gv"), SInfo: info}
			b.blockBuilder().EmitNormalized(&relax.VarBinding{Base: nv.Base, Var: nv, Value: value})
			return nv
		}
	}
	return e
}

func (b *builder) sameName(n *node, name **node) {
	if *name != nil && (*name).s != n.s {
		b.fail(n, "both branches bind the result to one name", "this branch ends with %s, the other with %s", n.s, (*name).s)
	}
	*name = n
}

// localFunction binds a function that is defined inside another one.
func (b *builder) localFunction(s *stmt) {
	kind, deco := b.decorator(s)
	if kind != "function" {
		b.d.add(s.at, s.end, "function "+s.name+" is no graph-level function", "put @R.function before it")
		panic(failure{})
	}
	nv := &relax.Var{Base: b.stmtBase(s), Name: s.name, Dataflow: b.local(s.name)}
	b.env.define(s.name, nv)
	// The function may call itself: its signature is known before its body.
	func() {
		restore := b.enterGraph()
		defer restore()
		params, ret := b.graphParams(s)
		if ret == nil {
			ret = &relax.ObjectStructInfo{}
		}
		nv.SInfo = relax.FuncSInfo(&relax.Function{Params: params, Ret: ret, Pure: b.decoFlag(deco, "pure", true)})
	}()
	outer := b.rf
	fn := b.function(s, deco)
	b.rf = outer
	nv.SInfo = relax.FuncSInfo(fn)
	b.blockBuilder().EmitNormalized(&relax.VarBinding{Base: b.stmtBase(s), Var: nv, Value: fn})
}
