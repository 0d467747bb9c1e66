package tirpass

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// OOBChecker rejects functions with accesses whose index leaves its dimension for some values of the variables.
var OOBChecker = &pass.Pass{
	Name: "tir.OOBChecker", Kind: pass.PrimFunc,
	Doc: "Rejects functions with an access that is out of bounds for some iteration, as far as that can be proved from the bounds of its index.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		o := &oobChecker{Mutator: *arith.NewMutator(c.Budget())}
		o.Stmt, o.Expr = o.stmt, o.expr
		o.MutateStmt(f.Body)
		if o.found != nil {
			return nil, o.report(f)
		}
		return f, nil
	}),
}

// oobChecker visits accesses with what is known of variables there; it changes nothing. As in TVM, an index is compared by its bounds: they leave
// the dimension if some value of the variables does, where the bounds are exact, which they are for indices of one variable.
type oobChecker struct {
	arith.Mutator
	found []outOfBounds
}

// outOfBounds is an index that leaves its dimension.
type outOfBounds struct {
	buffer *tir.Buffer
	dim    int
	index  tir.Expr
	at     ir.Node
	bounds arith.IntSet
	extent tir.Expr
}

func (o *oobChecker) stmt(s tir.Stmt) tir.Stmt {
	if st, ok := s.(*tir.BufferStore); ok {
		o.access(st, st.Buffer, st.Indices)
	}
	return o.VisitStmt(s)
}

func (o *oobChecker) expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.BufferLoad:
		o.access(e, e.Buffer, e.Indices)
	case *tir.Select:
		o.branches(e.Cond, e.True, e.False)
		return e
	case *tir.Call:
		if _, ok := tir.IsCallTo(e, tir.OpIfThenElse); ok {
			o.branches(e.Args[0], e.Args[1], e.Args[2])
			return e
		}
	}
	return o.VisitExpr(e)
}

// branches visits two values, each knowing the condition that selects it.
func (o *oobChecker) branches(cond, yes, no tir.Expr) {
	o.expr(cond)
	exit := o.Assume(cond)
	o.expr(yes)
	exit()
	defer o.Assume(o.An.RewriteSimplify(tir.LogicalNot(cond)))()
	o.expr(no)
}

func (o *oobChecker) access(at ir.Node, b *tir.Buffer, indices []tir.Expr) {
	for k, ix := range indices {
		if k >= len(b.Shape) {
			return
		}
		set, extent := o.bounds(ix), o.An.IntSet(b.Shape[k])
		above := set.HasUpper() && extent.HasLower() && o.An.CanProve(tir.GE(set.Max, tir.CastTo(set.Max.DType(), extent.Min)))
		below := set.HasLower() && o.An.CanProve(tir.LT(set.Min, tir.Const(set.Min.DType(), 0)))
		if above || below {
			o.found = append(o.found, outOfBounds{b, k, ix, at, set, extent.Min})
		}
	}
}

// bounds returns the bounds of an index: of all lanes of a vector.
func (o *oobChecker) bounds(ix tir.Expr) arith.IntSet {
	if r, ok := ix.(*tir.Ramp); ok && !r.Scalable {
		last := tir.Add(r.Start, tir.Mul(r.Stride, tir.Const(r.Stride.DType(), int64(r.Lanes-1))))
		return arith.Union(o.An.IntSet(r.Start), o.An.IntSet(last))
	}
	if ix.DType().Lanes > 1 {
		return arith.Everything()
	}
	return o.An.IntSet(ix)
}

// report is the error: the function with the indices underlined, and for each the bounds that it has.
func (o *oobChecker) report(f *tir.PrimFunc) error {
	opts := script.Options{NoSyntaxSugar: true, Annotate: map[ir.Node]string{}}
	var lines strings.Builder
	text := func(e tir.Expr) string {
		if e == nil {
			return "unknown"
		}
		return script.Node(e, script.Options{})
	}
	for _, x := range o.found {
		opts.Underline = append(opts.Underline, x.at)
		fmt.Fprintf(&lines, "Out of bounds memory access on buffer %s dimension %d. index %s with bounds [%s, %s] is outside the range [0, %s].\n",
			x.buffer.Name, x.dim, text(x.index), text(x.bounds.Min), text(x.bounds.Max), text(x.extent))
	}
	return fmt.Errorf("ScheduleError: An error occurred in the schedule primitive 'Out of bounds checker'.\n\nThe IR with diagnostic is:\n%s\nError message: %s",
		script.Function("main", f, opts).Source, lines.String())
}
