package relaypass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/compiler/script/parse"
)

func TestFuseOpsPairs(t *testing.T) {
	const x = "%x: Tensor[(2, 3), float32]"
	runPairs(t, relaypass.FuseOps, []pair{
		{
			name: "one operator", params: x, before: "nn.relu(%x)",
			after: "%0 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { nn.relu(%p0) }; %0(%x)",
		},
		{
			name: "a chain with a number", params: x, before: "exp(add(%x, 1f))",
			after: "%0 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { exp(add(%p0, 1f)) }; %0(%x)",
		},
		{
			name: "an argument that is taken twice", params: x, before: "add(exp(%x), %x)",
			after: "%0 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { add(exp(%p0), %p0) }; %0(%x)",
		},
		{
			name: "a diamond behind a product", params: x + ", %w: Tensor[(4, 3), float32]", before: "%0 = nn.dense(%x, %w); add(nn.relu(%0), exp(%0))",
			after: "%0 = fn (%p0: Tensor[(2, 3), float32], %p1: Tensor[(4, 3), float32], Primitive=1) { %1 = nn.dense(%p0, %p1); add(nn.relu(%1), exp(%1)) }; %0(%x, %w)",
		},
		{
			name: "two reductions", params: x, before: "sum(sum(exp(%x), axis=[0]))",
			after: "%0 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { sum(exp(%p0), axis=[0]) }; %1 = fn (%p0: Tensor[(3), float32], Primitive=1) { sum(%p0) }; %2 = %0(%x); %1(%2)",
		},
		{
			name: "a value that is an output", params: x, before: "%0 = exp(%x); (%0, abs(%0))",
			after: "%0 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { exp(%p0) }; %1 = %0(%x); %2 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { abs(%p0) }; (%1, %2(%1))",
		},
		{
			name: "not across a let", params: x, before: "let %a = exp(%x); abs(%a)",
			after: "%0 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { exp(%p0) }; let %a = %0(%x); %1 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { abs(%p0) }; %1(%a)",
		},
		{
			name: "inside of a branch", params: x + ", %p: bool", before: "if (%p) { exp(%x) } else { %x }",
			after: "if (%p) { %0 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { exp(%p0) }; %0(%x) } else { %x }",
		},
		{
			name: "stop_fusion", params: x, before: "abs(annotation.stop_fusion(exp(%x)))",
			after: "%0 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { exp(%p0) }; %1 = %0(%x); %2 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { abs(%p0) }; %2(%1)",
		},
		{
			name: "a tuple between", params: x, before: "%0 = (exp(%x), abs(%x)); add(concatenate(%0), 1f)",
			after: "%0 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { %1 = (exp(%p0), abs(%p0)); add(concatenate(%1), 1f) }; %0(%x)",
		},
		{
			name: "a field", params: x, before: "%0 = split(%x, indices_or_sections=3, axis=1); exp(%0.1)",
			after: "%0 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { %1 = split(%p0, indices_or_sections=3, axis=1); exp(%1.1) }; %0(%x)",
		},
		{
			name: "only reshapes", params: x, before: "squeeze(reshape(%x, newshape=[6, 1]))",
			after: "%0 = fn (%p0: Tensor[(2, 3), float32], Primitive=1, relay.reshape_only=1) { squeeze(reshape(%p0, newshape=[6, 1])) }; %0(%x)",
		},
		{name: "a function that is one already", params: x, before: "%0 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { abs(exp(%p0)) }; %0(%x)"},
		{name: "nothing to do", params: x, before: "(%x, %x)"},
	})
}

func TestDefuseOpsPairs(t *testing.T) {
	const x = "%x: Tensor[(2, 3), float32]"
	runPairs(t, relaypass.DefuseOps, []pair{
		{
			name: "two calls", params: x, after: "exp(add(abs(%x), 1f))",
			before: "%0 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { abs(%p0) }; %1 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { exp(add(%p0, 1f)) }; %1(%0(%x))",
		},
		{
			name: "one inside of another", params: x, after: "exp(abs(%x))",
			before: "%0 = fn (%p: Tensor[(2, 3), float32]) { %1 = fn (%q: Tensor[(2, 3), float32]) { abs(%q) }; exp(%1(%p)) }; %0(%x)",
		},
		{name: "one that a let names", params: x, before: "let %f = fn (%p: Tensor[(2, 3), float32]) { abs(%p) }; %f(%x)"},
		{name: "none", params: x, before: "abs(%x)"},
	})
}

// TestFuseOpsKeepsNumbers: what a kernel is made for, such as the axes of a slice, is no parameter of the function that an operator becomes.
func TestFuseOpsKeepsNumbers(t *testing.T) {
	m, found := parse.Module("slice.py", `
@R.function
def main(x: R.Tensor((4, 2), "float32")) -> R.Tensor((4, 1), "float32"):
    with R.dataflow():
        y = R.strided_slice(x, axes=[1], begin=[1], end=[2])
        R.output(y)
    return y
`, parse.Options{})
	for _, d := range found {
		t.Fatal(d.Format())
	}
	for _, level := range []int64{0, 3} {
		p, err := relaypass.FuseOps.With(ir.NewAttrs("fuse_opt_level", level))
		if err != nil {
			t.Fatal(err)
		}
		out, _ := passtest.Check(t, passtest.NewContext(), p, m)
		params := -1
		ir.Walk(out.Lookup("main"), func(n ir.Node) bool {
			if f, ok := n.(*relax.Function); ok && f.Attrs.Has("Primitive") {
				params = len(f.Params)
			}
			return true
		})
		if params != 1 {
			t.Errorf("at level %d the function takes %d parameters, want 1\n%s", level, params, passtest.Text(out))
		}
	}
}
