package relaypass_test

import (
	"encoding/binary"
	"fmt"
	"math"
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
	"github.com/irscope/irscope/runtime/dtype"
)

func fakeQuantization(t passtest.Failer, hard, qat bool) *pass.Pass {
	t.Helper()
	p, err := relaypass.FakeQuantizationToInteger.With(ir.NewAttrs("hard_fail", hard, "use_qat", qat))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFakeQuantizationToIntegerPairs(t *testing.T) {
	const (
		x  = "%x: Tensor[(2, 4), int8]"
		xw = x + ", %w: Tensor[(3, 4), int8]"
		dq = "%0 = qnn.dequantize(%x, 2f, 1);\n"
	)
	runPairs(t, relaypass.FakeQuantizationToInteger, []pair{
		{name: "a chain", params: x, before: dq + "qnn.quantize(transpose(reshape(%0, newshape=[4, 2])), 2f, 1, out_dtype=\"int8\")", after: "transpose(reshape(%x, newshape=[4, 2]))"},
		{name: "another scale", params: x, before: dq + "qnn.quantize(reshape(%0, newshape=[8]), 4f, 1, out_dtype=\"int8\")", after: "qnn.requantize(reshape(%x, newshape=[8]), 2f, 1, 4f, 1, out_dtype=\"int8\")"},
		{name: "dense", params: xw, before: dq + "%1 = qnn.dequantize(%w, 0.5f, 0); qnn.quantize(nn.dense(%0, %1, units=3), 4f, 1, out_dtype=\"int8\")", after: "%1 = qnn.dense(%x, %w, 1, 0, 2f, 0.5f, units=3, out_dtype=\"int32\"); qnn.requantize(%1, 1f, 0, 4f, 1, axis=1, out_dtype=\"int8\")"},
		{name: "clip", params: x, before: dq + "qnn.quantize(clip(%0, a_min=0f, a_max=6f), 2f, 1, out_dtype=\"int8\")", after: "clip(%x, a_min=1f, a_max=4f)"},
		{name: "a sum", params: x, before: dq + "qnn.quantize(add(%0, %0), 4f, 0, out_dtype=\"int8\")", after: "qnn.add(%x, %x, 2f, 1, 2f, 1, 4f, 0)"},
		{name: "an operator without a rule", params: x, before: dq + "qnn.quantize(sin(%0), 2f, 1, out_dtype=\"int8\")"},
		{name: "a rule that does not cover it", params: x, before: dq + "qnn.quantize(clip(reshape(%0, newshape=[8]), a_min=0f, a_max=1e30f), 2f, 1, out_dtype=\"int8\")"},
		{name: "a real number", params: x + ", %y: Tensor[(2, 4), float32]", before: dq + "qnn.quantize(add(%0, %y), 2f, 1, out_dtype=\"int8\")"},
		{name: "a negative scale", params: x, before: "%0 = qnn.dequantize(%x, -2f, 1); qnn.quantize(nn.relu(%0), 2f, 1, out_dtype=\"int8\")"},
		{name: "no quantize", params: x, before: dq + "nn.relu(%0)"},
	})
	runPairs(t, fakeQuantization(t, false, true), []pair{
		{name: "no quantize, one by one", params: x, before: dq + "sin(reshape(%0, newshape=[8]))", after: "sin(qnn.dequantize(reshape(%x, newshape=[8]), 2f, 1))"},
	})
}

func TestFakeQuantizationSettings(t *testing.T) {
	if p := relaypass.FakeQuantizationToInteger; p.Level != 0 || p.Kind != pass.Function {
		t.Error(p)
	}
}

// TestFakeQuantizationErrors: hard_fail names what has no rule.
func TestFakeQuantizationErrors(t *testing.T) {
	m := read(t, "def @main(%x: Tensor[(2), int8]) { %0 = qnn.dequantize(%x, 2f, 1); qnn.quantize(sin(%0), 2f, 1, out_dtype=\"int8\") }")
	if _, err := passtest.NewContext().Run(fakeQuantization(t, true, false), m); err == nil || !strings.Contains(err.Error(), "sin has no rule") {
		t.Error(err)
	}
	p, err := relaypass.FakeQuantizationToInteger.With(ir.NewAttrs("optional_qnn_ops", []ir.Value{"nn.relu"}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := passtest.NewContext().Run(p, m); err == nil || !strings.Contains(err.Error(), "want nn.softmax") {
		t.Error(err)
	}
}

// TestFakeQuantizationKeepsMeaning runs random quantized programs before and after. Scales are powers of two, and the type that is asked for the finest, so that
// nothing is rounded on the way.
func TestFakeQuantizationKeepsMeaning(t *testing.T) {
	changed := 0
	seed.Each(t, 120, func(t *testing.T, r *rand.Rand) {
		text := quantizedProgram(r)
		m := read(t, text)
		p := fakeQuantization(t, false, r.IntN(2) == 0)
		out, _ := passtest.Check(t, passtest.NewContext(), p, m)
		if out == m {
			return
		}
		changed++
		if d := passtest.Differ(outputs(t, spelledQuantized(t, out)), outputs(t, spelledQuantized(t, m))); d != "" {
			t.Fatalf("%s\nit made\n%s\nof\n%s", d, passtest.Text(out), text)
		}
	})
	t.Log(changed)
}

// quantizedProgram writes a program that computes on dequantized values.
func quantizedProgram(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	scale := func() string { return pick("1f", "2f") }
	zero := func() string { return pick("0", "0", "1", "-2") }
	var b strings.Builder
	n := -1
	emit := func(format string, args ...any) string {
		n++
		fmt.Fprintf(&b, "  %%%d = "+format+";\n", append([]any{n}, args...)...)
		return fmt.Sprintf("%%%d", n)
	}
	x := emit("qnn.dequantize(%%x, %s, %s)", scale(), zero())
	w := emit("qnn.dequantize(%%w, %s, %s)", scale(), zero())
	list := []string{x}
	rows, cols := 2, 4
	for range 1 + r.IntN(5) {
		v := list[len(list)-1]
		switch r.IntN(9) {
		case 0:
			rows, cols = cols, rows
			list = append(list[:0:0], emit("transpose(%s)", v))
		case 1:
			list = append(list, emit("nn.relu(%s)", v))
		case 2:
			list = append(list, emit("clip(%s, a_min=-4f, a_max=8f)", v))
		case 3:
			list = append(list, emit("%s(%s, %s)", pick("add", "maximum", "minimum", "subtract"), v, list[r.IntN(len(list))]))
		case 4:
			if cols == 4 {
				cols = 3
				list = append(list[:0:0], emit("nn.dense(%s, %s, units=3)", v, w))
			}
		case 5:
			list = append(list, emit("reshape(reshape(%s, newshape=[-1]), newshape=[%d, %d])", v, rows, cols))
		case 6:
			list = append(list[:0:0], emit("qnn.dequantize(%s, 1f, 0)", emit("qnn.quantize(%s, 1f, 0, out_dtype=\"int8\")", v)))
		case 7:
			rows *= 2
			list = append(list[:0:0], emit("concatenate((%s, %s))", v, list[r.IntN(len(list))]))
		case 8:
			list = append(list, emit("add(%s, %s)", v, pick("4f", "8f")))
		}
	}
	q := emit("qnn.quantize(%s, 1f, %s, out_dtype=\"int8\")", list[len(list)-1], zero())
	last := q
	if r.IntN(3) == 0 {
		last = list[r.IntN(len(list))]
	}
	return fmt.Sprintf("def @main(%%x: Tensor[(2, 4), int8], %%w: Tensor[(3, 4), int8]) {\n%s  (%s, %s)\n}", b.String(), q, last)
}

// spelledQuantized replaces the operators of quantized tensors by arithmetic.
func spelledQuantized(t passtest.Failer, m *ir.Module) *ir.Module {
	t.Helper()
	f := ir.MustLookup[*relax.Function](m, "main")
	float := func(e relax.Expr) relax.Expr { return op.AsType(e, dtype.Float32T) }
	real := func(q, scale, zero relax.Expr) relax.Expr {
		return op.Multiply(op.Subtract(float(q), float(zero)), scale)
	}
	integer := func(x, scale, zero relax.Expr, dt dtype.DType) relax.Expr {
		v := op.Add(op.Unary("floor", op.Add(op.Divide(x, scale), floatConst(t, 0.5))), float(zero))
		if dt == dtype.Int8T {
			v = op.Binary("minimum", op.Binary("maximum", v, floatConst(t, -128)), floatConst(t, 127))
		}
		return op.AsType(v, dt)
	}
	mu := op.NewExprMutator(m)
	mu.Call = func(c *relax.Call) relax.Expr {
		o, _ := c.Op.(*ir.Op)
		if o == nil {
			return c
		}
		a := c.Args
		out := c.Attrs.DType("out_dtype")
		switch name := strings.TrimPrefix(o.Name, "relay."); name {
		case "qnn.dequantize":
			return real(a[0], a[1], a[2])
		case "qnn.quantize":
			return integer(a[0], a[1], a[2], out)
		case "qnn.requantize":
			return integer(real(a[0], a[1], a[2]), a[3], a[4], out)
		case "qnn.dense":
			var zero relax.Expr = float(a[3])
			if d, _ := relax.SInfoOf(a[3]).(*relax.TensorStructInfo).StaticDims(); len(d) == 1 {
				zero = op.Reshape(zero, relax.Ints([]int64{d[0], 1})...)
			}
			return op.AsType(op.Matmul(op.Subtract(float(a[0]), float(a[2])), op.PermuteDims(op.Subtract(float(a[1]), zero)), dtype.Void), dtype.Int32T)
		case "qnn.conv2d":
			var zero relax.Expr = float(a[3])
			if d, _ := relax.SInfoOf(a[3]).(*relax.TensorStructInfo).StaticDims(); len(d) == 1 {
				like := []int64{1, 1, 1, 1}
				like[strings.IndexByte(c.Attrs.Str("kernel_layout", ""), 'O')] = d[0]
				zero = op.Reshape(zero, relax.Ints(like)...)
			}
			conv, err := op.New("relax.nn.conv2d", []relax.Expr{op.Subtract(float(a[0]), float(a[2])), op.Subtract(float(a[1]), zero)}, c.Attrs.Without("channels").Without("kernel_size").With("out_dtype", dtype.Float32T))
			if err != nil {
				t.Fatal(err)
			}
			return op.AsType(conv, dtype.Int32T)
		case "nn.dense":
			return op.Matmul(a[0], op.PermuteDims(a[1]), out)
		case "qnn.add":
			return integer(op.Add(real(a[0], a[2], a[3]), real(a[1], a[4], a[5])), a[6], a[7], relax.SInfoOf(c).(*relax.TensorStructInfo).DType)
		case "qnn.subtract":
			return integer(op.Subtract(real(a[0], a[2], a[3]), real(a[1], a[4], a[5])), a[6], a[7], relax.SInfoOf(c).(*relax.TensorStructInfo).DType)
		case "qnn.concatenate":
			list := &relax.Tuple{}
			for i, x := range a[0].(*relax.Tuple).Fields {
				list.Fields = append(list.Fields, real(x, a[1].(*relax.Tuple).Fields[i], a[2].(*relax.Tuple).Fields[i]))
			}
			return integer(op.Concat(c.Attrs.Int("axis", 0), list.Fields...), a[3], a[4], dtype.Int8T)
		}
		return c
	}
	out, err := mu.Function(f)
	if err != nil {
		t.Fatal(err)
	}
	return m.With("main", out)
}

func floatConst(t passtest.Failer, v float32) relax.Expr {
	blob, err := ir.NewBlob(dtype.Float32T, nil, binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
	if err != nil {
		t.Fatal(err)
	}
	return &relax.Constant{Data: blob}
}
