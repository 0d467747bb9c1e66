package tirpass

import (
	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// ConvertSSA gives each definition a variable of its own.
var ConvertSSA = &pass.Pass{
	Name: "tir.ConvertSSA", Kind: pass.Module,
	Doc: "Gives each definition in the module a variable of its own, where passes or readers made several definitions of one. The threads of a function stay one variable each.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		s := newSSA(c, nil)
		return pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			s.b = c.Budget()
			return s.function(f), nil
		})(c, m)
	},
}

// ssaConverter walks functions in the order of their scopes. The first definition of a variable keeps it, each
// further one gets a copy, which stands for the variable until the scope ends. Buffers follow the variables in them.
type ssaConverter struct {
	c       *pass.Context
	b       *budget.Budget
	m       tir.Mapper
	defined map[*tir.Var]bool     // by anything so far, in scope or not
	active  map[*tir.Var]int      // how many definitions of a variable are in scope
	now     map[*tir.Var]*tir.Var // what stands for a variable in the scope around
	threads map[*tir.Var]*tir.Var // what stands for a thread in the function
	named   map[*tir.Var]*tir.Var // what an attribute says of a loop further inside
	buffers map[*tir.Buffer]*tir.Buffer
	inScope map[*tir.Buffer]bool // declared buffers
}

// newSSA returns a converter that has seen nothing yet, under a budget, which may be nil.
func newSSA(c *pass.Context, b *budget.Budget) *ssaConverter {
	s := &ssaConverter{
		c: c, b: b, defined: map[*tir.Var]bool{}, active: map[*tir.Var]int{}, now: map[*tir.Var]*tir.Var{},
		threads: map[*tir.Var]*tir.Var{}, named: map[*tir.Var]*tir.Var{},
		buffers: map[*tir.Buffer]*tir.Buffer{}, inScope: map[*tir.Buffer]bool{},
	}
	s.m = tir.Mapper{Expr: s.expr, Stmt: s.stmt, Buffer: s.buffer, Var: s.current}
	return s
}

// current returns what stands for v.
func (s *ssaConverter) current(v *tir.Var) *tir.Var {
	if x, ok := s.now[v]; ok {
		return x
	}
	if x, ok := s.threads[v]; ok {
		return x
	}
	if x, ok := s.named[v]; ok {
		return x
	}
	return v
}

// define returns the variable that a definition of v gets, and what ends its scope.
func (s *ssaConverter) define(v *tir.Var) (*tir.Var, func()) {
	out, promised := s.named[v]
	switch {
	case promised:
		delete(s.named, v)
	case s.defined[v]:
		again := *v
		out = &again
	default:
		s.defined[v] = true
		s.active[v]++
		return v, func() { s.active[v]-- }
	}
	s.c.Rewrite("give a definition a variable of its own", v, out)
	before, had := s.now[v]
	s.now[v] = out
	s.active[v]++
	return out, func() {
		s.active[v]--
		if delete(s.now, v); had {
			s.now[v] = before
		}
	}
}

// buffer returns what stands for b: b itself, or one over the variables of the scope.
func (s *ssaConverter) buffer(b *tir.Buffer) *tir.Buffer {
	out := b.MapExprs(s.value)
	if out == b && !s.inScope[b] {
		return b
	}
	if old, ok := s.buffers[b]; ok && (out == b || sameView(old, out)) {
		return old
	}
	if out != b {
		s.buffers[b] = out
	}
	return out
}

// sameView reports whether two buffers that were made of one lie over the same memory in the same way.
func sameView(a, b *tir.Buffer) bool {
	equal := func(x, y []tir.Expr) bool {
		for i := range x {
			if !tir.Equal(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	return a.Data == b.Data && equal(a.Shape, b.Shape) && equal(a.Strides, b.Strides) &&
		(a.ElemOffset == nil || tir.Equal(a.ElemOffset, b.ElemOffset))
}

// declare brings a buffer into scope, whose variables are defined already. A buffer that is declared again inside its own scope
// is another one there.
func (s *ssaConverter) declare(b *tir.Buffer) func() {
	before, had := s.buffers[b]
	undo := func() {
		if delete(s.buffers, b); had {
			s.buffers[b] = before
		}
	}
	if s.inScope[b] && s.buffer(b) == b {
		again := *b
		s.buffers[b] = &again
		s.c.Rewrite("give a declaration a buffer of its own", b, &again)
		return undo
	}
	if s.inScope[b] {
		return undo
	}
	s.inScope[b] = true
	return func() { delete(s.inScope, b); undo() }
}

func (s *ssaConverter) value(e tir.Expr) tir.Expr {
	if v, ok := e.(*tir.Var); ok {
		return s.current(v)
	}
	return s.expr(e)
}

func (s *ssaConverter) expr(e tir.Expr) tir.Expr {
	s.b.Spend(1)
	switch e := e.(type) {
	case *tir.Var:
		return s.current(e)
	case *tir.Let:
		value := s.expr(e.Value)
		v, done := s.define(e.Var)
		defer done()
		return e.WithVar(v).WithValue(value).WithBody(s.expr(e.Body))
	case *tir.Reduce:
		defer s.axes(e.Axis)()
		defer s.operands(e.Combiner)()
		return s.m.MapExpr(e)
	}
	return s.m.MapExpr(e)
}

// axes defines iteration variables.
func (s *ssaConverter) axes(list []*tir.IterVar) func() {
	var undo []func()
	for _, iv := range list {
		_, done := s.define(iv.Var)
		undo = append(undo, done)
	}
	return func() { endScopes(undo) }
}

// operands defines the variables of a reduction.
func (s *ssaConverter) operands(r *tir.CommReducer) func() {
	var undo []func()
	for _, list := range [][]*tir.Var{r.LHS, r.RHS} {
		for _, v := range list {
			_, done := s.define(v)
			undo = append(undo, done)
		}
	}
	return func() { endScopes(undo) }
}

// endScopes ends scopes, the innermost first.
func endScopes(undo []func()) {
	for i := len(undo) - 1; i >= 0; i-- {
		undo[i]()
	}
}
