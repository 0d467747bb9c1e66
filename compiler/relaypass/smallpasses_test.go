package relaypass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relay"
	"github.com/irscope/irscope/compiler/relaypass"
)

// TestEtaExpand has whole modules: what is wrapped is a function of the module.
func TestEtaExpand(t *testing.T) {
	const aux = "def @aux(%x: int32, %y: int32) -> int32 { subtract(%x, %y) }\n"
	for _, c := range []struct{ name, before, after string }{
		{
			"a result", "def @main() -> fn(int32, int32) -> int32 { @aux }",
			"def @main() -> fn(int32, int32) -> int32 { fn (%x: int32, %y: int32) -> int32 { @aux(%x, %y) } }",
		},
		{
			"a field", "def @main(%z: int32) { let %t = (@aux, %z); %t.1 }",
			"def @main(%z: int32) { %0 = fn (%x: int32, %y: int32) -> int32 { @aux(%x, %y) }; let %t = (%0, %z); %t.1 }",
		},
		{"a call", "def @main(%z: int32) { @aux(%z, 1) }", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, aux+c.before)
			out, _ := passtest.Check(t, passtest.NewContext(), relaypass.EtaExpand, m)
			if c.after == "" {
				if out != m {
					t.Error(passtest.Text(out))
				}
				return
			}
			text, err := relay.Text(out)
			if err != nil {
				t.Fatal(err)
			}
			if want := read(t, aux+c.after); !ir.StructuralEqualModule(read(t, text), want, ir.EqualOpts{}) {
				t.Errorf("got\n%s\nwant\n%s", text, passtest.Text(want))
			}
		})
	}
	runPairs(t, relaypass.EtaExpand, []pair{{name: "nothing", params: "%x: float32", before: "exp(%x)"}})
	m := read(t, aux+"def @main() -> fn(int32, int32) -> int32 { @aux }")
	out, err := passtest.NewContext().Run(withArgs(t, relaypass.EtaExpand, "expand_constructor", true, "expand_global_var", false), m)
	if err != nil || out != m {
		t.Errorf("without expand_global_var: %v\n%s", err, passtest.Text(out))
	}
	if _, err := passtest.NewContext().Run(withArgs(t, relaypass.EtaExpand, "expand_global_var", false), m); err == nil {
		t.Error("a pass that is asked for nothing runs")
	}
}

func TestCanonicalizeCastPairs(t *testing.T) {
	const params = "%x: Tensor[(4), int8], %y: Tensor[(4), int32], %p: bool"
	runPairs(t, relaypass.CanonicalizeCast, []pair{
		{
			name: "two sums", params: params, before: "%0 = cast(abs(%x), dtype=\"int32\"); add(add(%0, %y), subtract(%0, %y))",
			after: "%0 = abs(%x); add(add(cast(%0, dtype=\"int32\"), %y), subtract(cast(%0, dtype=\"int32\"), %y))",
		},
		{name: "one operator twice", params: params, before: "%0 = cast(%x, dtype=\"int32\"); add(%0, %0)", after: "add(cast(%x, dtype=\"int32\"), cast(%x, dtype=\"int32\"))"},
		{name: "a narrowing cast", params: params, before: "%0 = cast(%y, dtype=\"int8\"); add(add(%0, %x), subtract(%0, %x))"},
		{name: "a reduction", params: params, before: "%0 = cast(%x, dtype=\"int32\"); add(sum(%0), abs(%0))"},
		{name: "a let", params: params, before: "let %a = cast(%x, dtype=\"int32\"); add(add(%a, %y), subtract(%a, %y))"},
	})
}

func TestDivToMulPairs(t *testing.T) {
	const params = "%x: Tensor[(2), float32], %n: Tensor[(2), int32], %d: Tensor[(2), float64]"
	runPairs(t, relaypass.DivToMul, []pair{
		{name: "a number", params: params, before: "divide(%x, 4f)", after: "multiply(%x, 0.25f)"},
		{name: "a number of another type", params: params, before: "divide(%d, cast(-8f, dtype=\"float64\"))"},
		{name: "zero", params: params, before: "divide(%x, 0f)"},
		{name: "an inverse that is not finite", params: params, before: "divide(%x, 1e-40f)"},
		{name: "an inverse that is rounded off", params: params, before: "divide(%x, 3e38f)"},
		{name: "integers", params: params, before: "divide(%n, 4)"},
		{name: "no constant", params: params, before: "divide(%x, %x)"},
	})
}

func TestFastMathPairs(t *testing.T) {
	const params = "%x: Tensor[(2, 3), float32], %n: Tensor[(2), int32]"
	runPairs(t, relaypass.FastMath, []pair{
		{
			name: "all four", params: params, before: "(exp(%x), erf(%x), tanh(%x), nn.softmax(%x, axis=0), sin(%x))",
			after: "(fast_exp(%x), fast_erf(%x), fast_tanh(%x), nn.fast_softmax(%x, axis=0), sin(%x))",
		},
		{name: "a chain", params: params, before: "exp(tanh(%x))", after: "fast_exp(fast_tanh(%x))"},
	})
}
