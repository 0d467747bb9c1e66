package relaypass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

const (
	gradientRule = "differentiate a function"
	// maxInlined bounds the values of local functions that are written out where they are called: functions that call each other twice double them.
	maxInlined = 100_000
)

// FirstOrderGradient makes each function return its derivatives too. After src/relay/transforms/first_order_gradient.cc of TVM v0.18.
var FirstOrderGradient = &pass.Pass{
	Name: "relay.FirstOrderGradient", Kind: pass.Module, Breaks: []*pass.Form{pass.NoDataflow},
	Doc: "Makes each function return, behind its result, the tuple of the derivatives of the sum of the result by the parameters. Values and adjoints are bound by lets, first those of the function and then, from the last to the first, the adjoints. It takes graphs, without lets, branches and calls of other functions of the module; local functions are written out where they are called.",
	Run: pass.EachRelax(func(c *pass.Context, gv *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		out, err := differentiated(c.Step().Input, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", gv.Name, err)
		}
		c.Rewrite(gradientRule, f, out)
		return out, nil
	}),
}

// backprop differentiates one function.
type backprop struct {
	bb *relax.BlockBuilder
	// local are the functions that variables stand for, values what they are bound to in the function that is made.
	local  map[*relax.Var]*relax.Function
	values map[*relax.Var]relax.Expr
	// tape are the values in their order, adjoints theirs.
	tape     []*relax.Var
	adjoints map[*relax.Var]*cotangent
	lets     map[*relax.Var]bool
	depth    int // of the calls that are written out
	inlined  int
}

// differentiated returns f with its derivatives.
func differentiated(m *ir.Module, f *relax.Function) (*relax.Function, error) {
	p := &backprop{
		bb: op.NewBlockBuilder(m), local: map[*relax.Var]*relax.Function{}, values: map[*relax.Var]relax.Expr{},
		adjoints: map[*relax.Var]*cotangent{}, lets: map[*relax.Var]bool{},
	}
	p.bb.BeginFunction("", f.Params, relax.FuncOpts{Attrs: f.Attrs, Impure: !f.Pure, Base: f.Base, Private: true})
	for _, v := range f.Params {
		if !ofTensors(v.SInfo) {
			return nil, fmt.Errorf("parameter %s is %s; there are derivatives only by tensors and tuples of them", v.Name, relax.FormatSInfo(v.SInfo))
		}
		p.values[v] = v
	}
	result, err := p.forward(f.Body)
	if err != nil {
		return nil, err
	}
	seed, err := p.ones(result)
	if err != nil {
		return nil, err
	}
	if err := p.add(result, seed); err != nil {
		return nil, err
	}
	if err := p.backward(); err != nil {
		return nil, err
	}
	grads := make([]relax.Expr, len(f.Params))
	for i, v := range f.Params {
		if grads[i], err = p.adjoint(v).value(p, v); err != nil {
			return nil, err
		}
	}
	out, err := p.bb.EndLocalFunction(&relax.Tuple{Fields: []relax.Expr{result, &relax.Tuple{Fields: grads}}})
	if err != nil {
		return nil, err
	}
	return p.grouped(m, out)
}

// forward binds the values of a sequence by lets and returns its result.
func (p *backprop) forward(s *relax.SeqExpr) (relax.Expr, error) {
	for _, block := range s.Blocks {
		for _, b := range block.Bindings {
			vb, ok := b.(*relax.VarBinding)
			if !ok {
				return nil, fmt.Errorf("at %s: a value of which the type is checked when the program runs cannot be differentiated", b.Bound().Name)
			}
			if err := p.binding(vb, block.Dataflow); err != nil {
				return nil, fmt.Errorf("at %s: %w", vb.Var.Name, err)
			}
		}
	}
	return p.mapped(s.Body), nil
}

func (p *backprop) binding(b *relax.VarBinding, node bool) error {
	p.bb.SetOrigin(b.Var.Origin)
	defer p.bb.SetOrigin(0)
	switch v := b.Value.(type) {
	case *relax.Function:
		p.local[b.Var] = v
		return nil
	case *relax.Var:
		if f := p.local[v]; f != nil {
			p.local[b.Var] = f
			return nil
		}
	case *relax.If:
		return fmt.Errorf("branches cannot be differentiated by relay.FirstOrderGradient, which takes graphs")
	case *relax.Call:
		if callee, ok := v.Op.(*relax.Var); ok {
			return p.inline(b.Var, v, callee)
		}
		if _, ok := v.Op.(*ir.Op); !ok {
			return fmt.Errorf("calls of functions of the module cannot be differentiated: inline them first, by the attribute Inline=1 and relay.Inline")
		}
		if !isPure(v, p.bb.Context()) {
			return fmt.Errorf("what has effects cannot be differentiated")
		}
	}
	if !node && !isFunctionCall(b.Value) {
		return fmt.Errorf("it is bound by a let, and only graphs can be differentiated: run relay.ToGraphNormalForm")
	}
	e := p.mapped(b.Value)
	if get, ok := e.(*relax.TupleGetItem); ok {
		e = fieldOf(get.Tuple, get.Index)
	}
	switch e.(type) {
	case *relax.Var, *relax.Constant:
		p.values[b.Var] = e
		return nil
	}
	v, err := p.let(e, "x")
	if err != nil {
		return err
	}
	p.values[b.Var] = v
	p.tape = append(p.tape, v)
	if p.depth > 0 {
		p.inlined++
	}
	if p.inlined > maxInlined {
		return fmt.Errorf("the local functions have more than %d values when they are written out where they are called", maxInlined)
	}
	return nil
}

// isFunctionCall reports whether a value calls a function, which can stand in no dataflow block.
func isFunctionCall(e relax.Expr) bool {
	c, ok := e.(*relax.Call)
	if !ok {
		return false
	}
	_, operator := c.Op.(*ir.Op)
	return !operator
}

// inline writes out a call of a local function.
func (p *backprop) inline(to *relax.Var, call *relax.Call, callee *relax.Var) error {
	f := p.local[callee]
	if f == nil || len(f.Params) != len(call.Args) {
		return fmt.Errorf("it calls %s, of which it is not known what it does: only local functions that are bound where they are called can be differentiated", callee.Name)
	}
	for i, v := range f.Params {
		a := p.mapped(call.Args[i])
		if g, ok := call.Args[i].(*relax.Var); ok && p.local[g] != nil {
			p.local[v] = p.local[g]
			continue
		}
		p.values[v] = a
	}
	p.depth++
	result, err := p.forward(f.Body)
	p.depth--
	if err != nil {
		return err
	}
	p.values[to] = result
	return nil
}

// mapped is an expression over the values of the function that is made.
func (p *backprop) mapped(e relax.Expr) relax.Expr {
	vars := map[*relax.Var]relax.Expr{}
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*relax.Var); ok && p.values[v] != nil && p.values[v] != relax.Expr(v) {
			vars[v] = p.values[v]
		}
		return true
	})
	if len(vars) == 0 {
		return e
	}
	return relax.Bind(e, relax.Subst{Vars: vars})
}

// let binds a value.
func (p *backprop) let(e relax.Expr, name string) (*relax.Var, error) {
	v, err := p.bb.Emit(e, name)
	if err == nil {
		p.lets[v] = true
	}
	return v, err
}

// backward passes the adjoints on from the last value to the first.
func (p *backprop) backward() error {
	for i := len(p.tape) - 1; i >= 0; i-- {
		v := p.tape[i]
		a := p.adjoints[v]
		if a == nil || !a.reached() {
			continue // the result does not depend on it
		}
		p.bb.SetOrigin(v.Origin)
		err := p.pass(v, a)
		p.bb.SetOrigin(0)
		if err != nil {
			return fmt.Errorf("at %s: %w", v.Name, err)
		}
	}
	return nil
}

// pass passes the adjoint of a value on to what it is made of.
func (p *backprop) pass(v *relax.Var, a *cotangent) error {
	switch value := p.bb.LookupBinding(v).(type) {
	case *relax.Tuple:
		return p.fields(value, a)
	case *relax.TupleGetItem:
		t := value.Tuple.(*relax.Var) // that of a tuple as it is written is its field
		return p.adjoint(t).fields[value.Index].join(p, a, t.Name)
	case *relax.Call:
		grad, err := a.value(p, v)
		if err != nil {
			return err
		}
		parts, err := gradientOf(p.bb, value, v, grad)
		if err != nil {
			return err
		}
		for i, part := range parts {
			if part == nil || i >= len(value.Args) {
				continue
			}
			if err := p.add(value.Args[i], part); err != nil {
				return err
			}
		}
	}
	return nil
}

// grouped binds as nodes of the graph what no let names.
func (p *backprop) grouped(m *ir.Module, f *relax.Function) (*relax.Function, error) {
	body := &relax.SeqExpr{Base: f.Body.Base, Body: f.Body.Body}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) { place(body, b, !p.lets[b.Bound()]) })
	return withLocals(m, dropUnused(f.WithBody(body), func(e relax.Expr) bool { return isPure(e, p.bb.Context()) }))
}
