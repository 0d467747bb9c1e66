package relay

import (
	"regexp"
	"strconv"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// entry is a binding of a scope, in a dataflow block or outside.
type entry struct {
	bind     relax.Binding
	dataflow bool
}

// builder makes the functions of a module.
type builder struct {
	edit      *ir.Editor
	ctx       *relax.InferContext
	ops       relax.OpTable
	defs      map[string]*definition
	vars      map[string]*ir.GlobalVar
	constants []*ir.Blob
	state     map[*definition]int // 1: begun, 2: built

	names  map[string]int // how often a name was asked for in the function
	bound  map[*relax.Var]relax.Expr
	open   map[*relax.Var]bool // parameters without a type, which an operator may give them
	impure bool
}

func newBuilder(defs []*definition, constants []*ir.Blob) *builder {
	b := &builder{
		edit: ir.NewModule().Edit(), ops: op.Table(), defs: map[string]*definition{}, vars: map[string]*ir.GlobalVar{}, constants: constants,
		state: map[*definition]int{}, bound: map[*relax.Var]relax.Expr{}, open: map[*relax.Var]bool{},
	}
	for _, d := range defs {
		b.defs[d.name], b.vars[d.name] = d, ir.NewGlobalVar(d.name)
	}
	b.ctx = &relax.InferContext{
		Prover: arith.NewAnalyzer(), Func: func(name string) ir.Function { return b.edit.Lookup(name) },
		Bound: func(v *relax.Var) relax.Expr { return b.bound[v] },
	}
	return b
}

func fail(at *ir.Span, msg string) { panic(&fault{at, msg}) }

// module builds all functions, what they call first, and puts them in the order of the text.
func (b *builder) module(defs []*definition) *ir.Module {
	built := map[*definition]*relax.Function{}
	for _, d := range defs { // what is called before it is built is known by its signature
		f := &relax.Function{Ret: known(d.fn.ret), Pure: true, Body: &relax.SeqExpr{Body: &relax.Tuple{}}}
		for _, p := range d.fn.params {
			info := p.info
			if info == nil {
				info = guess(p)
			}
			f.Params = append(f.Params, &relax.Var{Name: p.name, SInfo: info})
		}
		b.edit.Set(d.name, f)
	}
	type step struct {
		d    *definition
		done bool
	}
	for _, d := range defs {
		stack := []step{{d: d}}
		for len(stack) > 0 {
			s := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if s.done {
				built[s.d] = b.global(s.d)
				b.edit.Set(s.d.name, built[s.d])
				b.state[s.d] = 2
				continue
			}
			if b.state[s.d] != 0 {
				continue
			}
			b.state[s.d] = 1
			stack = append(stack, step{s.d, true})
			for _, callee := range b.callees(s.d) {
				if b.state[callee] == 0 {
					stack = append(stack, step{d: callee})
				}
			}
		}
	}
	out := ir.NewModule().Edit()
	main := b.defs["main"] != nil
	for _, d := range defs {
		fn := built[d]
		if public(d.name, main) && !fn.Attrs.Has(ir.AttrGlobalSymbol) {
			fn = fn.WithAttrs(fn.Attrs.With(ir.AttrGlobalSymbol, d.name))
		}
		out.Adopt(b.vars[d.name], fn)
	}
	return out.Done()
}

// public reports whether a function is an entry of its module: main, and without one all functions.
func public(name string, main bool) bool { return name == "main" || !main }

// callees returns the functions of the module that d refers to.
func (b *builder) callees(d *definition) (out []*definition) {
	for _, e := range walk(d.fn.body) {
		if e.kind != evNode || e.n.kind != kGlobal {
			continue
		}
		if callee := b.defs[e.n.name]; callee != nil {
			out = append(out, callee)
		}
	}
	return out
}

// global builds a function of the module.
func (b *builder) global(d *definition) *relax.Function {
	b.names, b.impure = map[string]int{}, false
	root := &node{kind: kFn, span: d.span, fn: d.fn}
	events := walk(root)
	reset(events)
	place(events, root, &scope{})
	b.run(events)
	f := b.finish(root)
	settleDataflow(f)
	return f
}

// reset forgets what an earlier function made of nodes that both refer to.
func reset(events []event) {
	for _, e := range events {
		e.n.uses, e.n.scope, e.n.value = 0, nil, nil
	}
}

// run builds the nodes in the order of the events.
func (b *builder) run(events []event) {
	for _, e := range events {
		n := e.n
		switch {
		case e.kind == evBegin && n.kind == kFn:
			for _, v := range n.fn.params {
				b.parameter(v, n)
			}
		case e.kind == evBegin && n.kind == kLet && n.args[0].kind == kFn:
			b.declare(n)
		case e.kind == evBind:
			b.let(n)
		case e.kind == evNode:
			b.node(n)
		}
	}
}

// parameter makes the variable of a parameter. Where its type is not written, that of what the function is called with counts, else
// what its uses say.
func (b *builder) parameter(v *variable, fn *node) {
	info := v.info
	for _, args := range fn.fn.calls {
		for i, p := range fn.fn.params {
			if p == v && info == nil && i < len(args) {
				info = b.plainInfo(args[i])
			}
		}
	}
	open := info == nil && !v.called && v.fields == 0
	if info == nil {
		info = guess(v)
	}
	v.rv = &relax.Var{Base: spanBase(v.span), Name: b.name(v.name), SInfo: info}
	v.scope = fn.inner[0]
	if open {
		b.open[v.rv] = true
	}
}

// plainInfo is what is known of a value before it is built, nil if nothing is.
func (b *builder) plainInfo(n *node) relax.StructInfo {
	var info relax.StructInfo
	switch {
	case n.value != nil:
		if v, ok := n.value.(*relax.Var); !ok || !b.open[v] {
			info = b.ctx.SInfoOf(n.value)
		}
	case n.kind == kVar && n.v.rv != nil && !b.open[n.v.rv]:
		info = n.v.rv.SInfo
	case n.kind == kConst && n.blob != nil:
		info = relax.StaticTensor(n.blob.DType(), n.blob.Shape()...)
	}
	if info == nil || len(relax.FreeSymbolicVars(info)) > 0 {
		return nil // the variables of a caller mean nothing in a function
	}
	return info
}

// guess is what the uses of a variable say of its value.
func guess(v *variable) relax.StructInfo {
	tensor := relax.TensorOfRank(dtype.Void, -1)
	switch {
	case v.called:
		return &relax.FuncStructInfo{Opaque: true, Pure: true, Ret: tensor}
	case v.fields > 0:
		out := &relax.TupleStructInfo{}
		for range v.fields {
			out.Fields = append(out.Fields, tensor)
		}
		return out
	case v.operand:
		return tensor
	}
	return relax.Object()
}

// declare makes the variable of a let before its value, a function that may call itself.
func (b *builder) declare(n *node) {
	fn := n.args[0].fn
	info := &relax.FuncStructInfo{Pure: true, Ret: known(fn.ret)}
	for _, p := range fn.params {
		info.Params = append(info.Params, known(p.info))
	}
	n.v.rv = &relax.Var{Base: spanBase(n.span), Name: b.letName(n.v.name), SInfo: info}
	n.v.scope = n.scope
}

// let binds the variable of a let, whose value is built.
func (b *builder) let(n *node) {
	val := n.args[0]
	value, info := val.value, b.ctx.SInfoOf(val.value)
	if v, ok := value.(*relax.Var); ok && val.uses == 1 {
		// What was bound for this let alone is its value.
		if last, ok := b.takeBack(n.scope, v); ok {
			value = last
		}
	}
	want := n.v.info
	cast := want != nil && (info == nil || b.ctx.IsBaseOf(want, info) != relax.True)
	if !cast {
		want = info
	}
	if n.v.rv == nil {
		n.v.rv = &relax.Var{Base: spanBase(n.span), Name: b.letName(n.v.name)}
		n.v.scope = n.scope
	}
	v := n.v.rv
	v.SInfo = want
	if !cast {
		b.bound[v] = value
		n.scope.entries = append(n.scope.entries, entry{&relax.VarBinding{Base: v.Base, Var: v, Value: value}, false})
		return
	}
	if !isLeaf(value) { // only what is bound can be cast
		tmp := &relax.Var{Base: v.Base, Name: b.name("lv"), SInfo: info}
		b.bound[tmp] = value
		n.scope.entries = append(n.scope.entries, entry{&relax.VarBinding{Base: v.Base, Var: tmp, Value: value}, b.flows(value)})
		value = tmp
	}
	n.scope.entries = append(n.scope.entries, entry{&relax.MatchCast{Base: v.Base, Var: v, Value: value, SInfo: want}, false})
}

// takeBack takes the last binding of a scope away where it binds v, and returns its value.
func (b *builder) takeBack(s *scope, v *relax.Var) (relax.Expr, bool) {
	if len(s.entries) == 0 {
		return nil, false
	}
	last, ok := s.entries[len(s.entries)-1].bind.(*relax.VarBinding)
	if !ok || last.Var != v || IsLet(last, s.entries[len(s.entries)-1].dataflow) {
		return nil, false
	}
	s.entries = s.entries[:len(s.entries)-1]
	delete(b.bound, v)
	return last.Value, true
}

func isLeaf(e relax.Expr) bool {
	switch e.(type) {
	case *relax.Var, *relax.Constant, *relax.Tuple, *ir.GlobalVar, *relax.ExternFunc:
		return true
	}
	return false
}

// flows reports whether a value may be bound in a dataflow block.
func (b *builder) flows(value relax.Expr) bool {
	switch v := value.(type) {
	case *relax.If:
		return false
	case *relax.Call:
		if !relax.CallIsPure(v, b.ops, b.ctx) {
			b.impure = true
			return false
		}
	}
	return true
}

// emit binds a value of the graph to a new variable of its scope.
func (b *builder) emit(n *node, value relax.Expr) *relax.Var {
	info := b.ctx.SInfoOf(value)
	flows := b.flows(value)
	hint := "lv"
	if !flows {
		hint = "gv"
	}
	v := &relax.Var{Base: spanBase(n.span), Name: b.name(hint), SInfo: known(info), Dataflow: flows}
	b.bound[v] = value
	n.scope.entries = append(n.scope.entries, entry{&relax.VarBinding{Base: v.Base, Var: v, Value: value}, flows})
	return v
}

// generated matches the names of what no let names.
var generated = regexp.MustCompile(`^gv[0-9]*$`)

// IsGenerated reports whether a value that can stand in no dataflow block (an if, a call of something unknown) is no let under this name,
// but a node of the graph.
func IsGenerated(name string) bool { return generated.MatchString(name) }

// IsLet reports whether a binding is one of a let: it stands outside of a dataflow block, and is not what can stand in none, an if
// or a call of something unknown under the name that such values get.
func IsLet(b relax.Binding, dataflow bool) bool {
	if dataflow {
		return false
	}
	switch b.BoundValue().(type) {
	case *relax.If, *relax.Call:
		return !IsGenerated(b.Bound().Name)
	}
	return true
}

// letName is a name for the variable of a let that IsLet does not take for a generated one.
func (b *builder) letName(name string) string {
	if IsGenerated(name) {
		name += "_"
	}
	return b.name(name)
}

// name returns a name like hint that no other variable of the function has.
func (b *builder) name(hint string) string {
	hint = relax.Identifier(hint)
	for {
		n := b.names[hint]
		b.names[hint]++
		if n == 0 {
			return hint
		}
		if s := hint + strconv.Itoa(n); b.names[s] == 0 {
			b.names[s]++
			return s
		}
	}
}
