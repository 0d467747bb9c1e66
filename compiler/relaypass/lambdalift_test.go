package relaypass_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

func TestLambdaLiftPairs(t *testing.T) {
	const x = "%x: Tensor[(2), float32]"
	runPairs(t, relaypass.LambdaLift, []pair{
		{name: "nothing from outside", params: x, before: "let %f = fn (%y: Tensor[(2), float32]) { exp(%y) }; %f(%x)", after: "@lifted_name0(%x)\n}\ndef @lifted_name0(%y: Tensor[(2), float32]) {\nexp(%y)"},
		{
			name: "a closure", params: x, before: "let %f = fn (%y: Tensor[(2), float32]) { add(%y, %x) }; %f(%x)",
			after: "let %f = @lifted_name0(%x); %f(%x)\n}\ndef @lifted_name0(%c: Tensor[(2), float32], Closure=1) {\nlet %f = fn (%y: Tensor[(2), float32]) { add(%y, %c) }; %f",
		},
		{name: "a kernel", params: x, before: "let %f = fn (%y: Tensor[(2), float32], Primitive=1) { exp(%y) }; %f(%x)"},
		{name: "a closure for any extent", params: x, before: "let %f = fn (%y: Tensor[(?), float32]) { sum(add(%y, sum(%x))) }; %f(%x)"},
		{name: "a symbolic extent from outside", params: "%x: Tensor[(?), float32]", before: "let %f = fn (%y: float32) { add(%y, sum(%x)) }; %f(1f)", after: "let %f = @lifted_name0(%x); %f(1f)\n}\ndef @lifted_name0(%c: Tensor[(?), float32], Closure=1) {\nlet %f = fn (%y: float32) { add(%y, sum(%c)) }; %f"},
	})
}

// TestLambdaLiftRecursion: functions that call themselves, in others, are lifted, and nothing is left of them.
func TestLambdaLiftRecursion(t *testing.T) {
	m := read(t, `def @main(%x: Tensor[(2), float32], %n: int32) -> Tensor[(2), float32] {
  let %f = fn (%y: Tensor[(2), float32], %k: int32) -> Tensor[(2), float32] {
    if (equal(%k, 0)) { %y } else { let %g = fn (%z: Tensor[(2), float32]) -> Tensor[(2), float32] { add(%z, %x) }; %f(%g(%y), subtract(%k, 1)) }
  };
  let %h = fn (%k: int32) -> int32 { if (less(%k, 2)) { 3 } else { %h(subtract(%k, 1)) } };
  %f(%x, %h(%n))
}`)
	out, _ := passtest.Check(t, passtest.NewContext(), relaypass.LambdaLift, m)
	if out.Len() != 4 {
		t.Errorf("it made\n%s", passtest.Text(out))
	}
	ir.Walk(ir.MustLookup[*relax.Function](out, "main").Body, func(n ir.Node) bool {
		if _, ok := n.(*relax.Function); ok {
			t.Errorf("it left\n%s", passtest.Text(out))
		}
		return true
	})
	if d := passtest.Differ(outputs(t, out), outputs(t, m)); d != "" {
		t.Error(d)
	}
}

// TestLambdaLiftKeepsMeaning runs random programs of functions in functions before and after.
func TestLambdaLiftKeepsMeaning(t *testing.T) {
	seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
		extent := []string{"0", "1", "3", "?"}[r.IntN(4)]
		text := fmt.Sprintf("def @main(%%x: Tensor[(%s), float32]) {\n%s}", extent, lambdas(r, extent, 0, "%x"))
		m := read(t, text)
		out, _ := passtest.Check(t, passtest.NewContext(), relaypass.LambdaLift, m)
		if out == m || extent == "?" { // sums of unknown extents have no kernels
			return
		}
		if d := passtest.Differ(outputs(t, out), outputs(t, m)); d != "" {
			t.Fatalf("%s\nit made\n%s\nof\n%s", d, passtest.Text(out), text)
		}
	})
}

// lambdas writes the body of a function in which values are known.
func lambdas(r *rand.Rand, extent string, depth int, values ...string) string {
	pick := func() string { return values[r.IntN(len(values))] }
	body := ""
	for i := range 1 + r.IntN(3) {
		v := fmt.Sprintf("%%v%d_%d_%d", depth, i, len(values))
		switch {
		case depth < 3 && r.IntN(2) == 0:
			f, y := "%f"+v[2:], "%y"+v[2:]
			inner := append([]string{}, values...)
			if r.IntN(3) == 0 {
				inner = nil
			}
			body += fmt.Sprintf("let %s = fn (%s: Tensor[(%s), float32]) {\n%s};\nlet %s = %s(%s);\n", f, y, extent, lambdas(r, extent, depth+1, append(inner, y)...), v, f, pick())
		case r.IntN(3) == 0:
			body += fmt.Sprintf("let %s = if (less(2, %d)) { exp(%s) } else { nn.relu(%s) };\n", v, r.IntN(4), pick(), pick())
		default:
			body += fmt.Sprintf("let %s = add(sin(%s), nn.relu(%s));\n", v, pick(), pick())
		}
		values = append(values, v)
	}
	return body + fmt.Sprintf("add(%s, %s)\n", values[len(values)-1], pick())
}
