//go:build linux && amd64

package x86_test

import (
	"context"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/compiler/topi"
)

// counts is how many operations on elements a program takes, by the units of the processor that do them.
type counts struct {
	sums     float64 // additions, minima, maxima and comparisons of floats
	products float64 // products, with a sum or without
	bits     float64 // integers, bits and choices
	divides  float64
	roots    float64
	powers   float64 // products with a power of two whose exponent is a number
}

// arithmetic counts the operations of the definition of tensors as te.CreatePrimFunc writes it, each element of each tensor once, whatever schedules make of it: elementary functions by the formulas
// that define them, products and sums contracted, what is the same along an axis once, and indices for nothing.
func arithmetic(tb testing.TB, tgt string, args []*te.Tensor) counts {
	tb.Helper()
	f, err := te.CreatePrimFunc(args, te.FuncOpts{Tuned: true})
	if err != nil {
		tb.Fatal(err)
	}
	c, err := pass.NewContext(context.Background(), pass.WithTarget(targetOf(tb, tgt)))
	if err != nil {
		tb.Fatal(err)
	}
	m := ir.NewModule().With("main", f)
	for _, p := range []*pass.Pass{tirpass.LowerMath, tirpass.ContractFMA} {
		if m, err = p.Run(c, m); err != nil {
			tb.Fatal(err)
		}
	}
	f = m.Lookup("main").(*tir.PrimFunc)
	out := counter{over: map[*tir.Var][]*tir.Var{}, n: map[*tir.Var]float64{}, data: map[*tir.Var]bool{}}
	out.stmt(f.Body)
	return out.counts
}

// counter counts the operations of a function.
type counter struct {
	counts
	over map[*tir.Var][]*tir.Var // what a variable depends on: of a block itself, or of a let statement those of blocks that are in its value
	n    map[*tir.Var]float64    // the extents of variables of blocks
	data map[*tir.Var]bool       // let statements give them what depends on elements
	seen []tir.Expr              // parts of the statement, which are computed once
}

// ofData reports whether e depends on elements, and not on indices alone.
func (c *counter) ofData(e tir.Expr) bool {
	found := false
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			found = true
		case *tir.Var:
			found = found || c.data[n]
		}
		return !found
	})
	return found
}

// stmt counts a statement.
func (c *counter) stmt(s tir.Stmt) {
	switch s := s.(type) {
	case *tir.For:
		c.stmt(s.Body)
	case *tir.SeqStmt:
		for _, x := range s.Seq {
			c.stmt(x)
		}
	case *tir.BlockRealize:
		for _, iv := range s.Block.IterVars {
			n, _ := tir.AsInt(iv.Dom.Extent)
			c.n[iv.Var], c.over[iv.Var] = float64(n), []*tir.Var{iv.Var}
		}
		c.seen = nil
		c.stmt(s.Block.Body)
	case *tir.LetStmt:
		c.expr(s.Value)
		c.data[s.Var] = c.ofData(s.Value)
		for v := range c.within(s.Value) {
			c.over[s.Var] = append(c.over[s.Var], v)
		}
		c.stmt(s.Body)
	case *tir.BufferStore:
		c.expr(s.Value)
	}
}

// within are the variables of blocks that e depends on.
func (c *counter) within(e tir.Expr) map[*tir.Var]bool {
	out := map[*tir.Var]bool{}
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok {
			for _, x := range c.over[v] {
				out[x] = true
			}
		}
		return true
	})
	return out
}

// expr counts an expression, once for all values of what it depends on.
func (c *counter) expr(e tir.Expr) {
	if _, load := e.(*tir.BufferLoad); load || !c.ofData(e) || slices.ContainsFunc(c.seen, func(x tir.Expr) bool { return tir.Equal(x, e) }) {
		return
	}
	c.seen = append(c.seen, e)
	times := 1.0
	for v := range c.within(e) {
		times *= c.n[v]
	}
	parts := []tir.Expr{}
	switch e := e.(type) {
	case *tir.Binary:
		switch {
		case !e.A.DType().IsFloat():
			c.bits += times
		case e.Op == tir.OpMul && isMinusOne(e.B): // a sign of the instruction that it goes into
		case e.Op == tir.OpMul:
			c.products += times
		case e.Op == tir.OpDiv:
			c.divides += times
		default:
			c.sums += times
		}
		parts = []tir.Expr{e.A, e.B}
	case *tir.Select:
		if o, ok := e.Cond.(*tir.Binary); !ok || !(tir.Equal(o.A, e.True) && tir.Equal(o.B, e.False) || tir.Equal(o.A, e.False) && tir.Equal(o.B, e.True)) {
			c.bits += times // that of one of two values by their order counts as the comparison
		}
		parts = []tir.Expr{e.Cond, e.True, e.False}
	case *tir.Cast:
		c.bits += times
		parts = []tir.Expr{e.Value}
	case *tir.Call:
		parts = e.Args
		switch op, _ := e.Op.(*ir.Op); op.Name {
		case tir.OpIfThenElse.Name: // whether an element is padding does not count, and where it is none it is the first one
			parts = e.Args[1:2]
		case "tir.fma":
			c.products += times
		case "tir.ldexp":
			c.powers += times
		case "tir.sqrt":
			c.roots += times
		default: // of bits
			c.bits += times
		}
	}
	for _, x := range parts {
		c.expr(x)
	}
}

func isMinusOne(e tir.Expr) bool {
	c, ok := e.(*tir.FloatImm)
	return ok && c.Value == -1
}

// TestArithmetic: the operations of definitions are those that one counts by hand.
func TestArithmetic(t *testing.T) {
	x, g, b := placeholder("x", 6, 32), placeholder("g", 32), placeholder("b", 32)
	image := placeholder("x", 1, 3, 8, 8)
	two := []int64{2, 2}
	const n = 6 * 32
	for name, c := range map[string]struct {
		args []*te.Tensor
		want counts
	}{
		"sum":        {[]*te.Tensor{x, must(topi.Binary("add", topi.T(x), topi.T(x)))}, counts{sums: n}},
		"relu":       {[]*te.Tensor{x, must(topi.Unary("relu", x))}, counts{sums: n}},
		"pool":       {[]*te.Tensor{image, must(topi.Pool("max", image, topi.PoolOpts{Size: two, Strides: two, Dilation: []int64{1, 1}, Before: []int64{0, 0}, After: []int64{0, 0}, Layout: "NCHW"}))}, counts{sums: 3 * 8 * 8}},
		"layer norm": {[]*te.Tensor{x, g, b, topi.LayerNorm(x, g, b, []int{1}, 1e-5)}, counts{sums: n + n + n + 6, products: n + 2*n, divides: 6 + 6 + 6, roots: 6}}, // a mean, a variance, and their use
		"softmax":    {[]*te.Tensor{x, topi.Softmax(x, 1)}, counts{sums: n * (1 + 4 + 1), powers: n, products: n * (3 + 6 + 1), divides: 6}},                         // the maximum, exponentials, their sum, and products with its reciprocal
		"product":    {[]*te.Tensor{x, placeholder("y", 32, 5), nil}, counts{products: 6 * 5 * 32}},
	} {
		if name == "product" {
			c.args[2] = must(topi.Matmul(c.args[0], c.args[1], topi.MatmulOpts{}))
		}
		if got := arithmetic(t, targets["avx512"], c.args); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
