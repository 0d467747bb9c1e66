package relaypass_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// mixedTo is ToMixedPrecision with a type.
func mixedTo(t passtest.Failer, dt string, mode int) *pass.Pass {
	t.Helper()
	p, err := relaypass.ToMixedPrecision.With(ir.NewAttrs("mixed_precision_type", dt, "missing_op_mode", mode))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestToMixedPrecisionPairs(t *testing.T) {
	const (
		params = "%x: Tensor[(2, 4), float32], %w: Tensor[(4, 4), float32]"
		dense  = "%0 = nn.dense(%x, %w, units=4);\n"
		half   = `%1 = cast(%x, dtype="float16"); %2 = cast(%w, dtype="float16"); %0 = nn.dense(%1, %2, units=4, out_dtype="float16");` + "\n"
	)
	runPairs(t, relaypass.ToMixedPrecision, []pair{
		{name: "always", params: params, before: dense + "%0", after: half + "%0"},
		{name: "what follows", params: params, before: dense + "nn.relu(add(%0, %0))", after: half + "nn.relu(add(%0, %0))"},
		{name: "a parameter is cast", params: params, before: dense + "add(%0, %x)", after: half + "add(%0, %1)"},
		{name: "what never does", params: params, before: dense + "nn.softmax(%0)", after: half + `nn.softmax(cast(%0, dtype="float32"))`},
		{name: "behind what never does", params: params, before: "%0 = nn.softmax(%x); add(%0, %0)"},
		{name: "a let", params: params, before: "let %v = nn.dense(%x, %w, units=4); add(%v, %v)", after: strings.Replace(half, "%0 =", "let %v =", 1) + "add(%v, %v)"},
		{name: "a cast is not cast back", params: params, before: dense + "%3 = nn.softmax(%0); nn.dense(%3, %x, units=2)", after: half + `%4 = nn.softmax(cast(%0, dtype="float32")); nn.dense(cast(%4, dtype="float16"), %1, units=2, out_dtype="float16")`},
		{name: "integers", params: "%x: Tensor[(2, 4), int32]", before: "add(%x, %x)"},
		{name: "bounds that it does not hold", params: params, before: "clip(%x, a_min=-128000f, a_max=128000f)"},
		{name: "a constant that it does not hold", params: params, before: "multiply(%x, 100000f)"},
		{name: "branches", params: params + ", %p: bool", before: "if (%p) { " + dense + "add(%0, %x) } else { %x }", after: "if (%p) { " + half + `cast(add(%0, %1), dtype="float32") } else { %x }`},
		{name: "a tuple", params: params, before: dense + "split(concatenate((%0, %0)), indices_or_sections=2).1", after: half + "split(concatenate((%0, %0)), indices_or_sections=2).1"},
		{name: "a tuple of both", params: params, before: dense + "concatenate((%0, %x))", after: half + `concatenate((cast(%0, dtype="float32"), %x))`},
	})
	runPairs(t, mixedTo(t, "float64", 1), []pair{
		{name: "more digits", params: params, before: dense + "%0", after: strings.ReplaceAll(half, "float16", "float64") + "%0"},
	})
}

// TestToMixedPrecisionMissing: what is done with operators that have no category.
func TestToMixedPrecisionMissing(t *testing.T) {
	m := read(t, "def @main(%x: Tensor[(2, 4), float32]) { round(%x) }")
	if _, err := passtest.NewContext().Run(mixedTo(t, "float16", 0), m); err != nil {
		t.Errorf("Relax knows round: %v", err)
	}
	m = read(t, "def @main(%x: Tensor[(2, 4), float32]) { cumsum(%x, axis=0) }")
	if _, err := passtest.NewContext().Run(mixedTo(t, "float16", 0), m); err == nil || !strings.Contains(err.Error(), "cumsum") {
		t.Error(err)
	}
	for mode, want := range map[int]int{1: 1, 2: 0} {
		c := passtest.NewContext()
		if _, err := c.Run(mixedTo(t, "float16", mode), m); err != nil || len(c.Diagnostics()) != want {
			t.Error(mode, err, c.Diagnostics())
		}
	}
}

// TestToMixedPrecisionKeepsMeaning runs random programs before and after: in float64, whose results are those of float32 up to what that rounds.
func TestToMixedPrecisionKeepsMeaning(t *testing.T) {
	changed := 0
	seed.Each(t, 120, func(t *testing.T, r *rand.Rand) {
		text := program(r)
		if r.IntN(2) == 0 {
			text = imageProgram(r)
		}
		m := read(t, text)
		c := passtest.NewContext(pass.Configure(map[string]any{"relay.ToMixedPrecision.keep_orig_output_dtype": true}))
		out, _ := passtest.Check(t, c, mixedTo(t, "float64", 2), m)
		passtest.Check(t, passtest.NewContext(), mixedTo(t, "float16", 2), m)
		if out == m || strings.Contains(text, "e38") || strings.Contains(text, "max_pool2d") && strings.Contains(text, "ceil_mode=True") {
			// The first float64 adds to. In the second a window may lie behind the data, whose maximum is the least number of the type.
			return
		}
		changed++
		if d := passtest.Differ(outputs(t, plainLayouts(t, out)), outputs(t, plainLayouts(t, m))); d != "" {
			t.Fatalf("%s\nit made\n%s\nof\n%s", d, passtest.Text(out), text)
		}
	})
	t.Log(changed)
}

// TestToMixedPrecisionOutputs: fields of a tuple that a block puts out are known in the block alone.
func TestToMixedPrecisionOutputs(t *testing.T) {
	m, found := parse.Module("test.py", `@R.function
def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")):
    with R.dataflow():
        a = R.matmul(x, w)
        b = R.nn.relu(a)
        c = (a, b)
        R.output(c)
    return c
`, parse.Options{})
	if m == nil {
		t.Fatal(found)
	}
	c := passtest.NewContext(pass.Configure(map[string]any{"relay.ToMixedPrecision.keep_orig_output_dtype": true}))
	out, _ := passtest.Check(t, c, mixedTo(t, "float16", 1), m)
	if out == m || !strings.Contains(passtest.Text(out), "float16") {
		t.Error(passtest.Text(out))
	}
}
