package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// LazyGetInput makes functions ask for their weights.
var LazyGetInput = &pass.Pass{
	Name: "LazyGetInput", Kind: pass.Function,
	Doc: "Replaces the weights of public functions, which are the parameters behind the first num_input ones or all if that is not said, with a function fget_param(index, name). Each weight is asked for before its first use.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		if ir.GlobalSymbol(f) == "" {
			return f, nil
		}
		n, _, err := numInput(f)
		if err != nil {
			return nil, err
		}
		inputs, weights := f.Params[:n:n], []*relax.Var{}
		for _, p := range f.Params[n:] {
			if _, fn := p.SInfo.(*relax.FuncStructInfo); fn { // one that is asked, or told
				inputs = append(inputs, p)
			} else {
				weights = append(weights, p)
			}
		}
		if len(weights) == 0 {
			c.Declined("ask for the weights", f, "all parameters are inputs")
			return f, nil
		}
		g := &lazyInput{place: map[*relax.Var]int{}, definer: map[*tir.Var]*relax.Var{}, mu: op.NewExprMutator(c.Step().Input), scope: &fetched{}}
		out, err := g.function(f, inputs, weights)
		if err != nil {
			return nil, err
		}
		return rewritten(c, "ask for the weights", f, out), nil
	}),
}

// lazyInput fetches parameters where they are used. What was fetched is used again as long as it is visible: to the end of the scope, or of
// the dataflow block.
type lazyInput struct {
	get     *relax.Var
	place   map[*relax.Var]int
	definer map[*tir.Var]*relax.Var // the parameter that defines a symbolic variable that no input defines
	mu      *relax.ExprMutator
	scope   *fetched
}

// fetched are the parameters that were fetched in a scope, and in those around it.
type fetched struct {
	outer *fetched
	vars  map[*relax.Var]*relax.Var
	known map[*tir.Var]bool
}

func (s *fetched) lookup(p *relax.Var) *relax.Var {
	for ; s != nil; s = s.outer {
		if v := s.vars[p]; v != nil {
			return v
		}
	}
	return nil
}

func (s *fetched) knows(v *tir.Var) bool {
	for ; s != nil; s = s.outer {
		if s.known[v] {
			return true
		}
	}
	return false
}

// in runs visit in a scope of its own.
func (g *lazyInput) in(visit func()) {
	g.scope = &fetched{outer: g.scope}
	visit()
	g.scope = g.scope.outer
}

func (g *lazyInput) function(f *relax.Function, inputs, weights []*relax.Var) (*relax.Function, error) {
	g.get = &relax.Var{Name: namesOf(f).fresh("fget_param"), SInfo: &relax.FuncStructInfo{
		Params: []relax.StructInfo{&relax.PrimStructInfo{DType: dtype.Int64T}, relax.Object()}, Ret: relax.Object(), Pure: true,
	}}
	defined := map[*tir.Var]bool{}
	for _, v := range relax.DefinedSymbolicVars(f.WithParams(inputs)) {
		defined[v] = true
	}
	for i, p := range weights {
		g.place[p] = i
		for _, v := range relax.DefinableVars(p.SInfo) {
			if !defined[v] && g.definer[v] == nil {
				g.definer[v] = p
			}
		}
	}
	g.mu.Expr = func(e relax.Expr) (out relax.Expr) {
		switch e := e.(type) {
		case *relax.Var:
			if _, ok := g.place[e]; ok {
				return g.fetch(e)
			}
		case *relax.SeqExpr:
			g.in(func() { out = g.mu.VisitExpr(e) })
			return out
		}
		return g.mu.VisitExpr(e)
	}
	g.mu.Block = func(b *relax.BindingBlock) {
		if !b.Dataflow {
			g.mu.VisitBlock(b)
			return
		}
		g.in(func() { g.mu.VisitBlock(b) })
	}
	g.mu.Binding = func(b relax.Binding) {
		if v, ok := b.BoundValue().(*relax.If); ok {
			g.ahead(v)
		}
		g.mu.VisitBinding(b)
	}
	g.mu.Prim = func(e tir.Expr) tir.Expr {
		g.define(e)
		return e
	}
	out, err := g.mu.Function(f.WithParams(append(inputs, g.get)).WithRet(nil).WithAttrs(f.Attrs.With(attrNumInput, int64(len(inputs)+1))))
	if err == nil && out.Ret == nil { // nothing used the weights
		out = out.WithRet(f.Ret)
	}
	return out, err
}

// ahead fetches what the branches of a conditional use, before it: symbolic variables that are defined in a branch are not known behind it.
func (g *lazyInput) ahead(e *relax.If) {
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *relax.Var:
			if _, ok := g.place[n]; ok {
				g.fetch(n)
			}
		case *tir.Var:
			g.define(n)
		}
		return true
	})
}

// define fetches the parameters that define the symbolic variables of e.
func (g *lazyInput) define(e tir.Expr) {
	for _, v := range relax.VarsOf(e) {
		if p := g.definer[v]; p != nil && !g.scope.knows(v) {
			g.fetch(p)
		}
	}
}

// fetch returns the variable that holds parameter p, which it fetches where it is not there yet.
func (g *lazyInput) fetch(p *relax.Var) *relax.Var {
	if v := g.scope.lookup(p); v != nil {
		return v
	}
	s := g.scope
	for _, v := range relax.DefinableVars(p.SInfo) {
		s.known = with(s.known, v)
	}
	for _, v := range relax.FreeSymbolicVars(p.SInfo) { // an extent that is computed from one of another parameter
		g.define(v)
	}
	untyped := g.mu.Emit(&relax.Call{Base: p.Base, Op: g.get, Args: []relax.Expr{primInt(int64(g.place[p])), str(p.Name)}}, p.Name+"_untyped")
	v, err := g.mu.Builder().EmitMatchCast(untyped, p.SInfo, p.Name)
	if err != nil {
		g.mu.Fail(err)
		return p
	}
	if s.vars == nil {
		s.vars = map[*relax.Var]*relax.Var{}
	}
	s.vars[p] = v
	return v
}

// with returns a set with v in it.
func with[K comparable](set map[K]bool, v K) map[K]bool {
	if set == nil {
		set = map[K]bool{}
	}
	set[v] = true
	return set
}
