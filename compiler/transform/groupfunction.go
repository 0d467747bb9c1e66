package transform

import (
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// groupFunction builds the function of a group. What the bindings use from outside becomes parameters, in the order of first use; of a tuple
// of which only fields are read, these. Shapes and scalars without variables stay, and so do constants unless they are lifted.
type groupFunction struct {
	u      *unit
	lift   bool
	inside map[*relax.Var]bool
	slots  []*groupSlot
	bySlot map[relax.Expr]*groupSlot
	inner  map[relax.Expr]*relax.Var // what the function calls a value
	names  map[string]bool
	consts int // operands without a name so far
	mapper relax.Mapper

	params []*relax.Var
	args   []relax.Expr
}

// groupSlot is what is used from outside: all of it, or some fields.
type groupSlot struct {
	value  relax.Expr
	name   string
	whole  bool
	fields []int
	inner  map[int]*relax.Var // of the fields
}

func newGroupFunction(u *unit, lift bool) *groupFunction {
	g := &groupFunction{
		u: u, lift: lift, inside: map[*relax.Var]bool{}, bySlot: map[relax.Expr]*groupSlot{},
		inner: map[relax.Expr]*relax.Var{}, names: map[string]bool{},
	}
	for _, b := range u.bindings {
		g.operands(b.BoundValue())
		g.inside[b.Bound()] = true
	}
	g.parameters()
	g.mapper.Expr = g.expr
	return g
}

// operands notes what a value of the group uses from outside.
func (g *groupFunction) operands(e relax.Expr) {
	switch e := e.(type) {
	case *relax.Call:
		args := e.Args
		if name := opName(e); name == opCallTIR || name == opCallTIRInplace {
			args = fieldsOf(args[1])
		}
		g.operand(e.Op)
		for _, a := range args {
			g.operand(a)
		}
	case *relax.TupleGetItem:
		if v, ok := e.Tuple.(*relax.Var); ok && !g.inside[v] {
			if s := g.slot(v, v.Name); !s.whole && !slices.Contains(s.fields, e.Index) {
				s.fields = append(s.fields, e.Index)
			}
			return
		}
		g.operand(e.Tuple)
	default:
		g.operand(e)
	}
}

func (g *groupFunction) operand(e relax.Expr) {
	switch e := e.(type) {
	case *relax.Tuple:
		for _, f := range e.Fields {
			g.operand(f)
		}
	case *relax.Var:
		if !g.inside[e] {
			g.slot(e, e.Name).whole = true
		}
	case *relax.Constant:
		if g.lift {
			g.slot(e, g.unnamed()).whole = true
		}
	case *relax.ShapeExpr:
		if len(varsOfAll(e.Values)) > 0 {
			g.slot(e, g.unnamed()).whole = true
		}
	case *relax.PrimValue:
		if len(relax.VarsOf(e.Value)) > 0 {
			g.slot(e, g.unnamed()).whole = true
		}
	}
}

func (g *groupFunction) unnamed() string {
	g.consts++
	return "param_" + strconv.Itoa(g.consts-1)
}

func (g *groupFunction) slot(e relax.Expr, name string) *groupSlot {
	s := g.bySlot[e]
	if s == nil {
		s = &groupSlot{value: e, name: name, inner: map[int]*relax.Var{}}
		g.bySlot[e] = s
		g.slots = append(g.slots, s)
	}
	return s
}

// varsOfAll returns the symbolic variables of a list.
func varsOfAll(list []tir.Expr) []*tir.Var {
	var out []*tir.Var
	for _, e := range list {
		out = append(out, relax.VarsOf(e)...)
	}
	return out
}

// parameters makes the parameters and what the call passes for them.
func (g *groupFunction) parameters() {
	for _, s := range g.slots {
		if s.whole {
			g.inner[s.value] = g.param(s.name, relax.SInfoOf(s.value), s.value)
			continue
		}
		infos := relax.SInfoOf(s.value).(*relax.TupleStructInfo).Fields
		for _, i := range s.fields {
			s.inner[i] = g.param(s.name+"_"+strconv.Itoa(i), infos[i], &relax.TupleGetItem{Base: s.value.Meta(), Tuple: s.value, Index: i, SInfo: infos[i]})
		}
	}
}

func (g *groupFunction) param(name string, info relax.StructInfo, arg relax.Expr) *relax.Var {
	for hint, n := name, 1; g.names[name]; n++ {
		name = hint + strconv.Itoa(n)
	}
	g.names[name] = true
	p := &relax.Var{Base: arg.Meta(), Name: name, SInfo: info}
	g.params, g.args = append(g.params, p), append(g.args, arg)
	return p
}

// expr maps what the bindings of the group use to what the function calls it.
func (g *groupFunction) expr(e relax.Expr) relax.Expr {
	if v := g.inner[e]; v != nil {
		return v
	}
	return g.mapper.MapExpr(e)
}

// build returns the function and a name for it. Symbolic variables that no parameter defines come as a shape behind the others.
func (g *groupFunction) build(base ir.Base) (*relax.Function, string) {
	var bindings []relax.Binding
	name := []string{"fused"}
	for _, b := range g.u.bindings {
		name = append(name, calledIn(b.BoundValue())...)
		if field, ok := b.BoundValue().(*relax.TupleGetItem); ok {
			if s := g.bySlot[field.Tuple]; s != nil && s.inner[field.Index] != nil {
				g.inner[b.Bound()] = s.inner[field.Index]
				continue
			}
		}
		v := *b.Bound()
		v.Dataflow = !slices.Contains(g.u.outputs, b.Bound())
		value := g.mapper.Expr(b.BoundValue())
		g.inner[b.Bound()] = &v
		bindings = append(bindings, &relax.VarBinding{Base: b.Meta(), Var: &v, Value: value})
	}
	var result relax.Expr
	var info relax.StructInfo
	if first := g.inner[g.u.outputs[0]]; len(g.u.outputs) == 1 {
		result, info = first, first.SInfo
	} else {
		t, infos := &relax.Tuple{}, &relax.TupleStructInfo{}
		for _, v := range g.u.outputs {
			t.Fields = append(t.Fields, g.inner[v])
			infos.Fields = append(infos.Fields, v.SInfo)
		}
		result, info = t, infos
	}
	fn := &relax.Function{
		Base: base, Params: g.params, Ret: info, Pure: true, Attrs: g.u.group.attrs.With(attrPrimitive, true),
		Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{{Bindings: bindings, Dataflow: true}}, Body: result},
	}
	if free := freeSymbols(fn); len(free) > 0 {
		dims := make([]tir.Expr, len(free))
		for i, v := range free {
			dims[i] = v
		}
		g.param("tir_vars", &relax.ShapeStructInfo{Values: dims, NDim: len(dims)}, &relax.ShapeExpr{Values: dims})
		fn = fn.WithParams(g.params)
	}
	return relax.CopyFunction(fn), strings.Join(name, "_")
}

// freeSymbols returns the symbolic variables that f uses and its parameters do not define, in the order of first use.
func freeSymbols(f *relax.Function) []*tir.Var {
	seen := map[*tir.Var]bool{}
	for _, v := range relax.DefinedSymbolicVars(f) {
		seen[v] = true
	}
	var out []*tir.Var
	add := func(list []*tir.Var) {
		for _, v := range list {
			if !seen[v] {
				seen[v] = true
				out = append(out, v)
			}
		}
	}
	var value func(e relax.Expr)
	value = func(e relax.Expr) {
		switch e := e.(type) {
		case *relax.ShapeExpr:
			add(varsOfAll(e.Values))
		case *relax.PrimValue:
			add(relax.VarsOf(e.Value))
		case *relax.Tuple:
			for _, f := range e.Fields {
				value(f)
			}
		case *relax.Call:
			for _, a := range e.Args {
				value(a)
			}
			add(relax.FreeSymbolicVars(e.SInfoArgs...))
		}
	}
	for _, p := range f.Params {
		add(relax.FreeSymbolicVars(p.SInfo))
	}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		value(b.BoundValue())
		add(relax.FreeSymbolicVars(b.Bound().SInfo))
	})
	return out
}

// calledIn returns the name of what a value calls, as the name of a group's function has it.
func calledIn(e relax.Expr) []string {
	c, ok := e.(*relax.Call)
	if !ok {
		return nil
	}
	name := ""
	switch callee := c.Op.(type) {
	case *ir.Op:
		if name = callee.Name; name == opCallTIR || name == opCallTIRInplace {
			name = c.Args[0].(*ir.GlobalVar).Name
		}
	case *ir.GlobalVar:
		name = strings.TrimPrefix(callee.Name, "fused_")
	default:
		return nil
	}
	return []string{relax.Identifier(strings.ReplaceAll(name, ".", "_"))}
}
