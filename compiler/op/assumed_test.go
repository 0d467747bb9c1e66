package op_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func TestAssumptions(t *testing.T) {
	n, m := tir.NewVar("n", dtype.Int64T), tir.NewVar("m", dtype.Int64T)
	v := func(dims ...any) relax.Expr {
		out := make([]tir.Expr, len(dims))
		for i, d := range dims {
			switch d := d.(type) {
			case int:
				out[i] = tir.Int(int64(d))
			case tir.Expr:
				out[i] = d
			}
		}
		return &relax.Var{Name: "x", SInfo: relax.TensorOf(dtype.Float32T, out...)}
	}
	shape := func(dims ...tir.Expr) relax.Expr { return &relax.ShapeExpr{Values: dims} }
	tuple := func(es ...relax.Expr) relax.Expr { return &relax.Tuple{Fields: es} }
	for _, c := range []struct {
		name string
		args []relax.Expr
		kv   []any
		want string
	}{
		{"relax.matmul", []relax.Expr{v(4, n), v(2, 3)}, nil, "n is 2"},
		{"relax.matmul", []relax.Expr{v(4, n), v(n, m)}, nil, ""},
		{"relax.matmul", []relax.Expr{v(4, 2), v(2, 3)}, nil, ""},
		{"relax.nn.conv2d", []relax.Expr{v(1, n, 8, 8), v(4, 3, 1, 1)}, []any{"groups", int64(2)}, "n is 6"},
		{"relax.concat", []relax.Expr{tuple(v(n, 2), v(m, 2), v(n, 5))}, []any{"axis", int64(1)}, "m is n"},
		{"relax.einsum", []relax.Expr{tuple(v(2, n), v(m, 1))}, []any{"subscripts", "ij,jk->ik"}, "m is n"},
		{"relax.einsum", []relax.Expr{tuple(v(2, n), v(1, 3))}, []any{"subscripts", "ij,jk->ik"}, ""},
		{"relax.reshape", []relax.Expr{v(n, 6), shape(tir.Int(2), tir.Int(3))}, nil, "n * 6 is 6"},
		{"relax.reshape", []relax.Expr{v(n, 6), shape(tir.Int(-1), tir.Int(3))}, nil, ""},
		{"relax.reshape", []relax.Expr{v(n, 5), shape(tir.Int(-1), tir.Int(3))}, nil, "n * 5 is ((n * 5) // 3) * 3"},
		{"relax.squeeze", []relax.Expr{v(n, 6)}, []any{"axis", []int64{0}}, "n is 1"},
		{"relax.nn.layer_norm", []relax.Expr{v(n, m), v(n), v(8)}, []any{"axes", []int64{1}}, "n is m; 8 is m"},
		{"relax.nn.prelu", []relax.Expr{v(1, n), v(m)}, []any{"axis", int64(1)}, "m is n"},
		// The kernel repeats what has extent 1 and refuses the rest.
		{"relax.broadcast_to", []relax.Expr{v(n), shape(m)}, nil, ""},
		{"relax.add", []relax.Expr{v(n), v(m)}, nil, ""},
	} {
		call, err := op.New(c.name, c.args, ir.NewAttrs(c.kv...))
		if err != nil {
			t.Fatal(err)
		}
		list, err := op.Assumptions(call, &relax.InferContext{Prover: arith.NewAnalyzer()})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var got []string
		for _, a := range list {
			got = append(got, fmt.Sprintf("%s is %s", relax.FormatPrim(a.Have), relax.FormatPrim(a.Want)))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
	}
}
