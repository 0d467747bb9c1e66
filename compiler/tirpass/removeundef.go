package tirpass

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// RemoveStoreUndef removes stores of values that nobody may rely on.
var RemoveStoreUndef = &pass.Pass{
	Name: "tir.RemoveStoreUndef", Kind: pass.PrimFunc,
	Doc: "Removes stores whose value is made of T.undef(), then what that leaves without effect. Refuses functions in which T.undef() remains, e.g. as an index.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if !usesOp(f.Body, tir.OpUndef) {
			return f, nil
		}
		r := &undefRemover{c: c, vars: map[*tir.Var]bool{}}
		r.m.Stmt = r.stmt
		out := f.WithBody(r.stmt(f.Body))
		if r.err != nil {
			return nil, r.err
		}
		out = removeNoOp(c, c.Budget(), out, 0, false)
		if usesOp(out.Body, tir.OpUndef) {
			return nil, errors.New("T.undef() remains after all stores of it were removed: expected it in values of stores only, not in an index, a condition, or an argument of a call")
		}
		return out, nil
	}),
}

// RemoveAssume removes assumptions.
var RemoveAssume = &pass.Pass{
	Name: "tir.RemoveAssume", Kind: pass.PrimFunc,
	Doc: "Removes calls of T.assume, which tell other passes what holds, then what that leaves without effect.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		body := tir.RewriteStmt(f.Body, reportingStmt(c, "remove an assumption", func(s tir.Stmt) tir.Stmt {
			if e, ok := s.(*tir.Evaluate); ok && isCall(e.Value, tir.OpAssume) {
				return tir.NoOp()
			}
			return s
		}), nil)
		if body == f.Body {
			return f, nil
		}
		return removeNoOp(c, c.Budget(), f.WithBody(body), 0, false), nil
	}),
}

// isCall reports whether e calls op.
func isCall(e tir.Expr, op *ir.Op) bool {
	call, ok := e.(*tir.Call)
	return ok && call.Op == ir.Callee(op)
}

type undefRemover struct {
	c    *pass.Context
	m    tir.Mapper
	vars map[*tir.Var]bool // bound to values made of T.undef()
	err  error
}

func (r *undefRemover) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.BufferStore:
		if !r.undefined(s.Value, "the value of a store to "+s.Buffer.Name) {
			return s
		}
		r.c.Rewrite("remove a store of an undefined value", s, nil)
		return tir.NoOp()
	case *tir.LetStmt:
		if r.undefined(s.Value, "the value of "+s.Var.Name) {
			r.vars[s.Var] = true
		}
	}
	return r.m.MapStmt(s)
}

// undefined reports whether T.undef() is in e, but for indices of loads, and refuses one
// that also does something else.
func (r *undefRemover) undefined(e tir.Expr, what string) bool {
	found := false
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			return false
		case *tir.Var:
			found = found || r.vars[n]
		case *tir.Call:
			found = found || n.Op == ir.Callee(tir.OpUndef)
		}
		return true
	})
	if found && arith.SideEffect(e) > tir.ReadState && r.err == nil {
		r.err = fmt.Errorf("%s uses T.undef() and has another effect: expected no call in it that writes or is unknown", what)
	}
	return found
}
