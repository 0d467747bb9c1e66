package relaypass

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

const (
	liftRule    = "lift a function"
	closureAttr = "Closure"
)

// LambdaLift makes functions of the module of those inside of functions.
var LambdaLift = &pass.Pass{
	Name: "relay.LambdaLift", Level: 1, Kind: pass.Module, Breaks: []*pass.Form{pass.NoDataflow},
	Doc: "Moves functions inside of functions to the module. One that uses values from outside becomes a function of these, marked Closure, that returns it, and is called in its place. Kernels (Primitive) and functions for external compilers stay.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		l := &lambdaLifter{c: c, m: m, byVar: map[*relax.Var]*lambda{}, within: map[string]bool{}}
		for gv, fn := range m.Funcs() {
			if f, ok := fn.(*relax.Function); ok && !isPrimitive(f) && !f.Attrs.Has("Compiler") {
				var returned relax.Expr
				if f.Attrs.Has(closureAttr) { // made by this pass
					returned = f.Body.Body
				}
				l.within[gv.Name] = l.collect(f.Body, returned)
			}
		}
		if len(l.inner) == 0 {
			return m, nil
		}
		return l.lift()
	},
}

// lambda is a function that is the value of a variable.
type lambda struct {
	self     *relax.Var
	fn       *relax.Function
	captured []*relax.Var
	params   []*relax.Var // those that stand for captured in the lifted function
	gv       *ir.GlobalVar
}

// lambdaLifter lifts as TVM's LambdaLifter (src/relay/backend/vm/lambda_lift.cc) does: first what is captured is found, then each function is
// rewritten once, inner ones before those around them.
type lambdaLifter struct {
	c      *pass.Context
	m      *ir.Module
	inner  []*lambda // each behind those inside of it
	byVar  map[*relax.Var]*lambda
	within map[string]bool // functions that hold some
	mu     *relax.ExprMutator
}

// collect notes the lambdas of a sequence but the one that is returned, and tells whether there are any.
func (l *lambdaLifter) collect(s *relax.SeqExpr, returned relax.Expr) bool {
	n := len(l.inner)
	for _, block := range s.Blocks {
		for _, b := range block.Bindings {
			switch v := b.BoundValue().(type) {
			case *relax.If:
				l.collect(v.Then, nil)
				l.collect(v.Else, nil)
			case *relax.Function:
				if isPrimitive(v) || v.Attrs.Has("Compiler") {
					continue
				}
				l.collect(v.Body, nil)
				if relax.Expr(b.Bound()) == returned {
					continue
				}
				x := &lambda{self: b.Bound(), fn: v}
				if why := x.capture(); why != "" {
					l.c.Declined(liftRule, v, why)
					continue
				}
				l.inner, l.byVar[x.self] = append(l.inner, x), x
			}
		}
	}
	return len(l.inner) > n
}

// capture finds what a lambda takes from outside; it says why it cannot be lifted.
func (x *lambda) capture() (why string) {
	var infos []relax.StructInfo
	for _, v := range relax.FreeVars(x.fn) {
		if v == x.self {
			continue
		}
		x.captured = append(x.captured, v)
		x.params = append(x.params, &relax.Var{Base: v.Base, Name: v.Name, SInfo: v.SInfo})
		infos = append(infos, v.SInfo)
	}
	if len(x.captured) > 0 && slices.ContainsFunc(append(infos, x.self.SInfo), symbolicFunction) {
		return "the type of the closure would have symbolic variables of its own"
	}
	if v := relax.UndefinedSymbol(x.fn, infos...); v != nil {
		return "it uses the symbolic variable " + v.Name + " from outside, which nothing that it captures defines"
	}
	return ""
}

// symbolicFunction reports whether s is the type of a function with symbolic extents.
func symbolicFunction(s relax.StructInfo) bool {
	f, ok := s.(*relax.FuncStructInfo)
	symbolic := false
	if ok {
		ir.Walk(f, func(n ir.Node) bool {
			_, v := n.(*tir.Var)
			symbolic = symbolic || v
			return !symbolic
		})
	}
	return symbolic
}

func (l *lambdaLifter) lift() (*ir.Module, error) {
	taken, next := map[string]bool{}, 0
	for gv := range l.m.Funcs() {
		taken[gv.Name] = true
	}
	l.mu = op.NewExprMutator(l.m)
	l.mu.Binding = l.binding
	for _, x := range l.inner { // known before they are rewritten, as they may call themselves
		name := fmt.Sprintf("lifted_name%d", next)
		for ; taken[name]; name = fmt.Sprintf("lifted_name%d", next) {
			next++
		}
		next++
		x.gv = ir.NewGlobalVar(name)
		f := x.fn
		if len(x.captured) > 0 {
			f = x.closed(x.fn)
		}
		l.mu.Builder().UpdateFunc(name, f)
		if len(x.captured) == 0 {
			l.mu.Remap(x.self, x.gv)
		}
	}
	for _, x := range l.inner {
		if err := l.one(x); err != nil {
			return nil, err
		}
	}
	for gv, fn := range l.m.Funcs() {
		if !l.within[gv.Name] {
			continue
		}
		l.c.Working(gv.Name)
		out, err := l.mu.Function(fn.(*relax.Function))
		if err != nil {
			return nil, err
		}
		l.mu.Builder().UpdateFunc(gv.Name, joined(out))
	}
	l.c.Working("")
	return l.mu.Builder().Module(), nil
}

// closed is the function of what a lambda captures that returns it.
func (x *lambda) closed(fn *relax.Function) *relax.Function {
	v := &relax.Var{Base: x.self.Base, Name: x.self.Name, SInfo: x.self.SInfo}
	b := &relax.VarBinding{Base: fn.Base, Var: v, Value: fn}
	return &relax.Function{
		Base: fn.Base, Params: x.params, Ret: v.SInfo, Pure: true, Attrs: ir.NewAttrs(closureAttr, int64(1)),
		Body: &relax.SeqExpr{Base: fn.Base, Blocks: []*relax.BindingBlock{{Bindings: []relax.Binding{b}}}, Body: v},
	}
}

// one makes the function of a lambda. Inside of one that captures values, its own name is bound to the closure anew.
func (l *lambdaLifter) one(x *lambda) error {
	l.c.Working(x.gv.Name)
	f := x.fn
	if len(x.captured) > 0 {
		for i, v := range x.captured {
			l.mu.Remap(v, x.params[i])
		}
		if slices.Contains(relax.FreeVars(x.fn), x.self) {
			again := &relax.Var{Base: x.self.Base, Name: x.self.Name, SInfo: x.self.SInfo}
			b := &relax.VarBinding{Base: x.fn.Base, Var: again, Value: l.call(x)}
			l.mu.Remap(x.self, again)
			f = f.WithBody(f.Body.WithBlocks(slices.Concat([]*relax.BindingBlock{{Bindings: []relax.Binding{b}}}, f.Body.Blocks)))
		}
		f = x.closed(f)
	}
	out, err := l.mu.Function(f)
	if err != nil {
		return err
	}
	for _, v := range x.captured {
		l.mu.Remap(v, v)
	}
	if len(x.captured) > 0 {
		l.mu.Remap(x.self, x.self)
	}
	out = relax.CopyFunction(joined(out))
	l.mu.Builder().UpdateFunc(x.gv.Name, out)
	l.c.Rewrite(liftRule, x.fn, out)
	return nil
}

// call is the call that makes the value of a lambda.
func (l *lambdaLifter) call(x *lambda) *relax.Call {
	args := make([]relax.Expr, len(x.captured))
	for i, v := range x.captured {
		args[i] = l.mu.Lookup(v)
	}
	return &relax.Call{Base: x.fn.Base, Op: x.gv, Args: args, SInfo: x.self.SInfo}
}

// binding puts the call of a lifted function in the place of a lambda.
func (l *lambdaLifter) binding(b relax.Binding) {
	x := l.byVar[b.Bound()]
	switch vb, ok := b.(*relax.VarBinding); {
	case x == nil || !ok:
		l.mu.VisitBinding(b)
	case len(x.captured) > 0:
		l.mu.EmitNormalized(l.mu.WithValue(vb, l.call(x)))
	}
}

// joined puts blocks together between which a function was.
func joined(f *relax.Function) *relax.Function {
	return dropUnused(f, func(relax.Expr) bool { return false })
}
