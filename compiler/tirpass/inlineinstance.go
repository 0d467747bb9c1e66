package tirpass

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// maxInlinedArgument bounds the nodes of an argument that takes the place of each use of a parameter.
const maxInlinedArgument = 16

// instance returns the body of f for one call, with variables of its own. Small arguments without effect take the place of their parameters, a
// pointer that is no variable by way of a let at each declaration of a buffer over it; the others are computed in front. last is told the
// statement that the body ends in, and returns what becomes of it.
func (in *primInliner) instance(f *tir.PrimFunc, call *tir.Call, last func(tir.Stmt) tir.Stmt) tir.Stmt {
	c := tir.NewCopier()
	declared := declaredOver(f.Body)
	pointers := map[*tir.Var]tir.Expr{}
	var front []*tir.LetStmt
	for i, p := range f.Params {
		arg := call.Args[i]
		_, variable := arg.(*tir.Var)
		small := movableArgument(arg) && !arith.LargerThan(arg, maxInlinedArgument)
		switch {
		case variable || small && !declared.used[p]:
			c.Vars[p] = arg
		case small && !declared.bare[p]:
			pointers[p] = arg
		default:
			v := *p
			c.Vars[p] = &v
			front = append(front, &tir.LetStmt{Base: call.Base, Var: &v, Value: arg})
		}
	}
	body := f.Body
	if len(pointers) > 0 {
		body = overPointers(body, pointers)
	}
	out := c.Stmt(withLast(body, last))
	for i := len(front) - 1; i >= 0; i-- {
		out = front[i].WithBody(out)
	}
	return out
}

// movableArgument is movable, where the address of an element counts as what its indices are: it reads nothing.
func movableArgument(e tir.Expr) bool {
	if c, ok := tir.IsCallTo(e, tir.OpAddressOf); ok {
		if l, ok := c.Args[0].(*tir.BufferLoad); ok {
			return !slices.ContainsFunc(l.Indices, func(i tir.Expr) bool { return !movable(i) })
		}
	}
	return movable(e)
}

// pointerUses says over which variables a body has buffers.
type pointerUses struct {
	used map[*tir.Var]bool // any
	bare map[*tir.Var]bool // some without a declaration
}

func declaredOver(s tir.Stmt) pointerUses {
	u := pointerUses{map[*tir.Var]bool{}, map[*tir.Var]bool{}}
	declared := map[*tir.Buffer]bool{}
	use := func(b *tir.Buffer) {
		u.used[b.Data] = true
		if !declared[b] {
			u.bare[b.Data] = true
		}
	}
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.DeclBuffer:
			declared[n.Buffer] = true
			use(n.Buffer)
		case *tir.BufferLoad:
			use(n.Buffer)
		case *tir.BufferStore:
			use(n.Buffer)
		case *tir.Buffer:
			use(n)
		}
		return true
	})
	return u
}

// overPointers binds the pointers of buffers where these are declared, each to a variable of its own, and puts what they are in
// the place of other uses.
func overPointers(s tir.Stmt, pointers map[*tir.Var]tir.Expr) tir.Stmt {
	m := &tir.Mapper{}
	buffers := map[*tir.Buffer]*tir.Buffer{}
	m.Buffer = func(b *tir.Buffer) *tir.Buffer {
		if out := buffers[b]; out != nil {
			return out
		}
		return b
	}
	m.Expr = func(e tir.Expr) tir.Expr {
		if v, ok := e.(*tir.Var); ok && pointers[v] != nil {
			return pointers[v]
		}
		return m.MapExpr(e)
	}
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		d, ok := s.(*tir.DeclBuffer)
		if !ok || pointers[d.Buffer.Data] == nil {
			return m.MapStmt(s)
		}
		v, b := *d.Buffer.Data, *d.Buffer
		b.Data = &v
		buffers[d.Buffer] = &b
		return &tir.LetStmt{Base: d.Base, Var: &v, Value: pointers[d.Buffer.Data], Body: d.WithBuffer(&b).WithBody(m.Stmt(d.Body))}
	}
	return m.Stmt(s)
}

// withLast returns s with what f makes of its last statement.
func withLast(s tir.Stmt, f func(tir.Stmt) tir.Stmt) tir.Stmt {
	switch x := s.(type) {
	case *tir.LetStmt:
		return x.WithBody(withLast(x.Body, f))
	case *tir.DeclBuffer:
		return x.WithBody(withLast(x.Body, f))
	case *tir.SeqStmt:
		n := len(x.Seq) - 1
		return tir.Seq(append(x.Seq[:n:n], withLast(x.Seq[n], f))...)
	}
	return f(s)
}

// dropResult keeps of a return only what computing its value does.
func dropResult(s tir.Stmt) tir.Stmt {
	if x, ok := s.(*tir.Evaluate); ok {
		if c, ok := tir.IsCallTo(x.Value, tir.OpRet); ok {
			return x.WithValue(c.Args[0])
		}
	}
	return s
}

// values returns a function that maps the expressions of s: calls of functions that compute one value without effect become that value, and
// the lets that it needs are appended to before, which then belong around s.
func (in *primInliner) values(s tir.Stmt, before *[]*tir.LetStmt) func(tir.Expr) tir.Expr {
	_, block := s.(*tir.Block) // its expressions are of several scopes
	_, while := s.(*tir.While) // its condition is computed again after each iteration
	bound := 0
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		in.c.Budget().Spend(1)
		if _, ok := e.(*tir.Let); ok {
			bound++
			defer func() { bound-- }()
		}
		e = m.MapExpr(e)
		call, ok := e.(*tir.Call)
		if !ok {
			return e
		}
		g, ok := call.Op.(*ir.GlobalVar)
		if !ok {
			return e
		}
		f := in.callee(call)
		if f == nil || block || while || bound > 0 || !plainValue(f, call) {
			in.called[g.Name] = true
			if in.bodies[g.Name] != nil {
				in.c.Declined("inline a private function", call, "it is called in an expression, and does more than compute one value from its arguments")
			}
			return e
		}
		var result tir.Expr
		out := in.instance(f, call, func(s tir.Stmt) tir.Stmt { return dropResult(s) })
		for {
			let, ok := out.(*tir.LetStmt)
			if !ok {
				result = out.(*tir.Evaluate).Value
				break
			}
			*before = append(*before, let)
			out = let.Body
		}
		in.c.Rewrite("inline a private function", call, result)
		return result
	}
	return m.Expr
}

// plainValue reports whether f, called with these arguments, is lets and a value without effect, none of which may fail.
func plainValue(f *tir.PrimFunc, call *tir.Call) bool {
	for _, a := range call.Args {
		if !movable(a) {
			return false
		}
	}
	s := f.Body
	for {
		switch x := s.(type) {
		case *tir.LetStmt:
			if !movable(x.Value) {
				return false
			}
			s = x.Body
			continue
		case *tir.Evaluate:
			c, ok := tir.IsCallTo(x.Value, tir.OpRet)
			return ok && len(c.Args) == 1 && movable(c.Args[0])
		}
		return false
	}
}
