package relaypass_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// legalizeBy is Legalize with the rules of a table.
func legalizeBy(t passtest.Failer, table string) *pass.Pass {
	t.Helper()
	p, err := relaypass.Legalize.With(ir.NewAttrs("legalize_map_attr_name", table))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLegalizePairs(t *testing.T) {
	const (
		x  = "%x: Tensor[(2, 4), int32]"
		re = "%0 = qnn.requantize(%x, 1f, 0, 1f, -128, axis=1, out_dtype=\"int8\");\n"
		qd = "%x: Tensor[(2, 4), uint8], %w: Tensor[(3, 4), int8], %z: Tensor[(3), int32]"
		qc = "%x: Tensor[(1, 2, 4, 4), uint8], %w: Tensor[(3, 2, 3, 3), int8], %z: Tensor[(3), int32]"
	)
	runPairs(t, relaypass.Legalize, []pair{
		{name: "a clip to the type", params: x, before: re + "clip(%0, a_min=-128f, a_max=127f)", after: re + "%0"},
		{name: "a clip to less", params: x, before: re + "clip(%0, a_min=-127f, a_max=127f)"},
		{name: "a clip behind something else", params: "%x: Tensor[(2), int8]", before: "clip(%x, a_min=-128f, a_max=127f)"},
		{name: "erf of float16", params: "%x: Tensor[(2), float16]", before: "erf(%x)", after: "cast(erf(cast(%x, dtype=\"float32\")), dtype=\"float16\")"},
		{name: "erf of float64", params: "%x: Tensor[(2), float64]", before: "erf(%x)"},
		{name: "another table", params: qd, before: "qnn.dense(%x, %w, 1, 0, 1f, 1f, units=3, out_dtype=\"int32\")"},
	})
	runPairs(t, legalizeBy(t, "FTVMQnnLegalize"), []pair{
		{
			name: "dense", params: qd, before: "qnn.dense(%x, %w, 1, 2, 1f, 1f, units=3, out_dtype=\"int32\")",
			after: `%0 = subtract(cast(%x, dtype="int16"), cast(1, dtype="int16")); %1 = subtract(cast(%w, dtype="int16"), cast(2, dtype="int16")); nn.dense(%0, %1, units=3, out_dtype="int32")`,
		},
		{
			name: "a zero point for each row", params: qd, before: "qnn.dense(%x, %w, 1, %z, 1f, 1f, units=3, out_dtype=\"int32\")",
			after: `%0 = subtract(cast(%x, dtype="int16"), cast(1, dtype="int16")); %1 = nn.bias_add(cast(%w, dtype="int16"), negative(cast(%z, dtype="int16")), axis=0); nn.dense(%0, %1, units=3, out_dtype="int32")`,
		},
		{
			name: "a convolution", params: qc, before: `qnn.conv2d(%x, %w, 1, %z, 1f, 1f, padding=[1, 1, 1, 1], channels=3, kernel_size=[3, 3], out_dtype="int32")`,
			after: `%0 = subtract(cast(%x, dtype="int16"), cast(1, dtype="int16")); %1 = nn.bias_add(cast(%w, dtype="int16"), negative(cast(%z, dtype="int16")), axis=0); nn.conv2d(%0, %1, padding=[1, 1, 1, 1], channels=3, kernel_size=[3, 3], out_dtype="int32")`,
		},
		{name: "more bits", params: "%x: Tensor[(2, 4), int16], %w: Tensor[(3, 4), int8]", before: "qnn.dense(%x, %w, 1, 2, 1f, 1f, units=3, out_dtype=\"int32\")"},
		{name: "another operator", params: qd, before: "add(%w, %w)"},
	})
	ours := relaypass.CustomLegalize(map[string]relaypass.LegalizeRule{"nn.relu": func(l *relaypass.Legalization) (relax.Expr, error) {
		t := l.Tensor(l.Call().Args[0])
		if t == nil || t.NDim != 1 {
			return l.Declined("it is no vector")
		}
		if _, ok := l.Value(l.Call().Args[0]).(*relax.Call); ok {
			return l.Call().Args[0], nil
		}
		return op.Unary("exp", op.Unary("nn.relu", l.Call().Args[0])), nil
	}})
	runPairs(t, once(ours), []pair{
		{name: "a rule of a user", params: "%x: Tensor[(2), float32]", before: "nn.relu(%x)", after: "exp(nn.relu(%x))"},
		{name: "a value that is looked up", params: "%x: Tensor[(2), float32]", before: "nn.relu(sin(%x))", after: "sin(%x)"},
		{name: "a rule that declines", params: "%x: Tensor[(2, 2), float32]", before: "nn.relu(%x)"},
	})
}

// once is a pass that changes a module again when it is run again, by a mark that it leaves.
func once(p *pass.Pass) *pass.Pass {
	q := *p
	q.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		if strings.Contains(passtest.Text(m), "R.exp(") {
			return m, nil
		}
		return p.Run(c, m)
	}
	return &q
}

// TestLegalizeErrors: a rule that fails is named, and so are tables that are not there.
func TestLegalizeErrors(t *testing.T) {
	m := read(t, "def @main(%x: Tensor[(2), float32]) { nn.relu(%x) }")
	p := relaypass.CustomLegalize(map[string]relaypass.LegalizeRule{"nn.relu": func(*relaypass.Legalization) (relax.Expr, error) {
		return nil, errors.New("no")
	}})
	if _, err := passtest.NewContext().Run(p, m); err == nil || !strings.Contains(err.Error(), "the rule for nn.relu: no") {
		t.Error(err)
	}
	if _, err := relaypass.Legalize.With(ir.NewAttrs("legalize_map_attr_name", "FTVMNothing")); err == nil || !strings.Contains(err.Error(), "FTVMQnnLegalize") {
		t.Error(err)
	}
}

// TestLegalizeKeepsMeaning runs random quantized products before and after.
func TestLegalizeKeepsMeaning(t *testing.T) {
	seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
		text := quantizedProduct(r)
		m := read(t, text)
		out, _ := passtest.Check(t, passtest.NewContext(), legalizeBy(t, "FTVMQnnLegalize"), m)
		if out == m {
			t.Fatalf("nothing changed in\n%s", text)
		}
		if d := passtest.Differ(outputs(t, spelledQuantized(t, out)), outputs(t, spelledQuantized(t, m))); d != "" {
			t.Fatalf("%s\nit made\n%s\nof\n%s", d, passtest.Text(out), text)
		}
	})
}

func quantizedProduct(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	dx, dw := pick("int8", "uint8"), pick("int8", "uint8")
	zero := map[string]string{"int8": pick("0", "-128", "127"), "uint8": pick("0", "255", "3")}
	rows := []int{0, 1, 3}[r.IntN(3)]
	wz := zero[dw]
	params := ""
	if r.IntN(2) == 0 {
		wz, params = "cast(%z, dtype=\"int32\")", fmt.Sprintf(", %%z: Tensor[(5), %s]", dw)
	}
	body := fmt.Sprintf("qnn.dense(%%x, %%w, %s, %s, 1f, 1f, units=5, out_dtype=\"int32\")", zero[dx], wz)
	shapes := []string{fmt.Sprintf("%d, 7", rows), "5, 7"}
	if r.IntN(2) == 0 {
		layout := r.IntN(2)
		body = fmt.Sprintf("qnn.conv2d(%%x, %%w, %s, %s, 1f, 1f, strides=[%d, 1], padding=[1, 0, 1, 1], data_layout=%q, kernel_layout=%q, out_dtype=\"int32\")",
			zero[dx], wz, 1+r.IntN(2), []string{"NCHW", "NHWC"}[layout], []string{"OIHW", "HWIO"}[layout])
		shapes = [][]string{{fmt.Sprintf("%d, 2, 5, 4", rows), "5, 2, 3, 2"}, {fmt.Sprintf("%d, 5, 4, 2", rows), "3, 2, 2, 5"}}[layout]
	}
	return fmt.Sprintf("def @main(%%x: Tensor[(%s), %s], %%w: Tensor[(%s), %s]%s) { %s }", shapes[0], dx, shapes[1], dw, params, body)
}
