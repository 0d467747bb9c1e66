package tirpass_test

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestCSELimits binds what is equal after multiplying out and ordering, up to some size of an expression and of
// a product of sums.
func TestCSELimits(t *testing.T) {
	vars := make([]*tir.Var, 80)
	for i := range vars {
		vars[i] = index("x")
	}
	sum := func(list []*tir.Var) tir.Expr {
		var out tir.Expr = list[0]
		for _, v := range list[1:] {
			out = tir.NewBinary(tir.OpAdd, out, v)
		}
		return out
	}
	reversed := func(list []*tir.Var) []*tir.Var {
		out := slices.Clone(list)
		slices.Reverse(out)
		return out
	}
	product := func(a, b tir.Expr) tir.Expr { return tir.NewBinary(tir.OpMul, a, b) }
	// distributed is the product of sums multiplied out.
	distributed := func(xs, ys []*tir.Var) tir.Expr {
		var out tir.Expr
		for _, x := range xs {
			for _, y := range ys {
				if p := product(y, x); out == nil {
					out = p
				} else {
					out = tir.NewBinary(tir.OpAdd, out, p)
				}
			}
		}
		return out
	}
	for _, c := range []struct {
		name  string
		a, b  tir.Expr
		bound bool
	}{
		{"127 nodes", sum(vars[:64]), sum(reversed(vars[:64])), true},
		{"129 nodes", sum(vars[:65]), sum(reversed(vars[:65])), false},
		{"a product with 30 terms", product(sum(vars[:5]), sum(vars[5:11])), distributed(vars[:5], vars[5:11]), true},
		{"a product with 32 terms", product(sum(vars[:4]), sum(vars[4:12])), distributed(vars[:4], vars[4:12]), true},
		{"a product with 33 terms", product(sum(vars[:3]), sum(vars[3:14])), product(sum(reversed(vars[3:14])), sum(vars[:3])), true},
		{"another product with 33 terms", product(sum(vars[:3]), sum(vars[3:14])), product(sum(vars[3:14]), sum(vars[1:4])), false},
	} {
		a := tir.NewBuffer("A", dtype.Int32T, shape(4), "")
		params := []any{a}
		for _, v := range vars {
			params = append(params, v)
		}
		f := fn(tir.Seq(store(a, c.a, n(0)), store(a, c.b, n(1))), params...)
		c2 := passtest.NewContext(config("tir.enable_equiv_terms_in_cse_tir", true)...)
		out, err := c2.Run(tirpass.CommonSubexprElimTIR, moduleOf(f))
		if err != nil {
			t.Fatal(err)
		}
		whole := 0 // stores of one variable
		ir.Walk(funcOf(out).Body, func(n ir.Node) bool {
			if s, ok := n.(*tir.BufferStore); ok {
				if _, ok := s.Value.(*tir.Var); ok {
					whole++
				}
			}
			return true
		})
		if (whole == 2) != c.bound {
			t.Errorf("%s: %d of 2 values are bound\n%s", c.name, whole, print(funcOf(out)))
		}
	}
}
