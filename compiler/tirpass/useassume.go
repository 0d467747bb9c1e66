package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/bufferflow"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// UseAssumeToReduceBranches drops alternatives that give what the other one gives anyway, by what T.assume says of buffers.
//
// Where a layout has padding, a kernel stores a certain value there, by T.if_then_else, and computes with its inputs elsewhere. If the inputs are assumed to have
// certain values in their padding, what is computed of these may be the same value: then the kernel may compute everywhere.
//
// TVM takes an assumption to hold at a load if its conditions have the form of those around the load. Here it is followed to the load (bufferflow), as
// stores may change what was assumed, and indices may differ.
var UseAssumeToReduceBranches = &pass.Pass{
	Name: "tir.UseAssumeToReduceBranches", Kind: pass.PrimFunc,
	Doc: "Replaces T.if_then_else as the value of a store by one of its two values where that is the same as the other one if its condition fails, as T.assume says what buffers hold there. Works on elementwise and broadcasting kernels (op_pattern 0 and 1), as they are the ones whose loops can be vectorized then.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if !usesOp(f.Body, tir.OpAssume) {
			return f, nil
		}
		if k := f.Attrs.Int("op_pattern", -1); k != patternElemwise && k != patternBroadcast {
			c.Declined(ruleOneAlternative, f, "its op_pattern is neither 0 nor 1: tir.AnnotateTIROpPattern notes that of kernels which are elementwise or broadcast")
			return f, nil
		}
		u := &assumeUser{Mutator: newMutator(c, c.Budget()), ctx: c, facts: assumptionsOf(f), flow: bufferflow.New(f, c.Budget(), 0), outer: map[*tir.Var]tir.Expr{}}
		u.flow.Follow(nil)
		declineFlow(c, u.flow, f)
		u.Stmt = u.visit
		u.An.MarkShapes(f)
		return f.WithBody(u.visit(f.Body)), nil
	}),
}

// Values of op_pattern.
const (
	patternElemwise  = 0
	patternBroadcast = 1
)

// ruleOneAlternative is the name of the rule.
const ruleOneAlternative = "take one alternative for both"

type assumeUser struct {
	*arith.Mutator
	ctx   *pass.Context
	facts *assumptions
	flow  *bufferflow.Analysis
	outer map[*tir.Var]tir.Expr // what the variables of blocks stand for
}

func (u *assumeUser) visit(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.BlockRealize:
		for i, iv := range s.Block.IterVars {
			u.outer[iv.Var] = tir.SubstExpr(s.Values[i], u.outer)
		}
	case *tir.BufferStore:
		return u.store(s)
	}
	return u.VisitStmt(s)
}

// store takes one alternative of the value of s if it can.
func (u *assumeUser) store(s *tir.BufferStore) tir.Stmt {
	call, ok := tir.IsCallTo(s.Value, tir.OpIfThenElse)
	if !ok || len(call.Args) != 3 || arith.SideEffect(s.Value) > tir.ReadState || !call.DType().IsScalar() {
		return s
	}
	cond, yes, no := call.Args[0], call.Args[1], call.Args[2]
	not := u.An.RewriteSimplify(tir.LogicalNot(cond))
	why := ""
	for _, try := range []struct{ cond, taken, other tir.Expr }{{cond, no, yes}, {not, yes, no}} {
		if !u.same(try.cond, try.taken, try.other, s) {
			continue
		}
		if why = u.unsafe(try.cond, try.taken); why == "" {
			out := s.WithValue(u.An.Simplify(try.taken))
			u.ctx.Rewrite(ruleOneAlternative, s, out)
			return out
		}
	}
	if why == "" {
		why = "what is assumed does not make the two alternatives the same"
	}
	u.ctx.Declined(ruleOneAlternative, s, why)
	return s
}

// maxAlternatives bounds the parts of a condition that are looked at one by one.
const maxAlternatives = 8

// same reports whether a and b certainly are the same where cond holds at a statement.
func (u *assumeUser) same(cond, a, b tir.Expr, at tir.Stmt) bool {
	all := alternatives(nil, cond)
	if len(all) > maxAlternatives {
		all = []tir.Expr{cond}
	}
	for _, one := range all {
		proved := false
		u.under(one, func() {
			x, y := u.flow.SimplifyInContext(u.facts.apply(a, u.An), at, u.An), u.flow.SimplifyInContext(u.facts.apply(b, u.An), at, u.An)
			proved = arith.Equal(x, y) || x.DType().IsInteger() && u.An.CanProveEqual(x, y)
		})
		if !proved {
			return false
		}
	}
	return true
}

// under calls f where cond holds, in the variables of blocks and in those around them.
func (u *assumeUser) under(cond tir.Expr, f func()) {
	defer u.Assume(cond)()
	if out := tir.SubstExpr(cond, u.outer); out != cond {
		defer u.Assume(out)()
	}
	f()
}

// unsafe returns why e must not be computed where cond holds, "" if it may.
func (u *assumeUser) unsafe(cond, e tir.Expr) (why string) {
	u.under(cond, func() { why = addedValue(u.An, e) })
	return why
}

// alternatives appends the parts of a tree of || to out.
func alternatives(out []tir.Expr, e tir.Expr) []tir.Expr {
	if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpOr {
		return alternatives(alternatives(out, b.A), b.B)
	}
	return append(out, e)
}
