package relaypass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relaypass"
)

func TestFoldConstantPairs(t *testing.T) {
	const x = "%x: Tensor[(2), float32]"
	runPairs(t, relaypass.FoldConstant, []pair{
		{name: "a chain", params: x, before: "add(%x, multiply(add(1f, 2f), 4f))", after: "add(%x, 12f)"},
		{name: "lets", params: x, before: "let %a = 1f; let %b = add(%a, %a); let %c = add(%b, %x); %c", after: "let %c = add(2f, %x); %c"},
		{name: "fields", params: x, before: "%0 = (%x, 1f); add(add(%0.1, 1f), %0.0)", after: "add(2f, %x)"},
		{name: "a tuple of constants", params: "", before: "%0 = (1f, 2f); sum(stack(%0))", after: "3f"},
		{name: "no arguments", params: "", before: "ones(shape=[2], dtype=\"float32\")"},
		{name: "no constants", params: x, before: "add(%x, ones(shape=[2], dtype=\"float32\"))"},
		{name: "a condition", params: x, before: "if (less(1f, 2f)) { let %a = exp(%x); add(%a, 1f) } else { %x }", after: "let %a = exp(%x); add(%a, 1f)"},
		{name: "a condition inside", params: x, before: "if (False) { %x } else { if (True) { abs(%x) } else { exp(%x) } }", after: "abs(%x)"},
		{name: "a branch that gives a constant", params: x, before: "%0 = if (True) { 1f } else { 2f }; add(%x, add(%0, 1f))", after: "add(%x, 2f)"},
		{name: "a branch that is not known", params: x + ", %p: bool", before: "if (%p) { add(%x, add(1f, 1f)) } else { %x }", after: "if (%p) { add(%x, 2f) } else { %x }"},
		{name: "shape_of", params: x, before: "sum(shape_of(exp(%x), dtype=\"int32\"))", after: "2"},
		{name: "ndarray_size", params: "%x: Tensor[(2, 3), float32]", before: "add(ndarray_size(%x, dtype=\"float32\"), 1f)", after: "7f"},
		{name: "ndarray_size of a scalar", params: "%x: float32", before: "ndarray_size(%x, dtype=\"int32\")", after: "1"},
		{name: "an extent that is not known", params: "%x: Tensor[(?), float32]", before: "shape_of(%x, dtype=\"int32\")"},
		{name: "a quantized one", params: "", before: "qnn.quantize(1f, 0.5f, 0, out_dtype=\"int8\")"},
		{name: "a kernel", params: x, before: "%0 = fn (%a: Tensor[(2), float32], Primitive=1) { add(%a, add(1f, 1f)) }; %0(%x)"},
		{name: "a function inside", params: x, before: "%0 = fn (%a: Tensor[(2), float32]) { add(%a, add(1f, 1f)) }; %0(%x)", after: "%0 = fn (%a: Tensor[(2), float32]) { add(%a, 2f) }; %0(%x)"},
	})
}

// TestFoldRelayOperators: operators that only Relay has are computed by what they mean. The results are those of numpy, by hand.
func TestFoldRelayOperators(t *testing.T) {
	for before, after := range map[string]string{
		"full_like(1f, 3f)":   "3f",
		"zeros_like(2)":       "0",
		"ones_like(2)":        "1",
		"cast_like(2.5f, 1)":  "2",
		"copy(2)":             "2",
		"where(True, 1f, 2f)": "1f",
		"sum(full(2f, shape=[2, 3], dtype=\"float32\"))":                                                                                     "12f",
		"sum(broadcast_to(2f, shape=[3]))":                                                                                                   "6f",
		"sum(nn.pad(full(2f, shape=[2], dtype=\"float32\"), 1f, pad_width=[[1, 2]]))":                                                        "7f",
		"sum(nn.bias_add(full(2f, shape=[2, 3], dtype=\"float32\"), full(1f, shape=[2], dtype=\"float32\"), axis=0))":                        "18f",
		"sum(nn.dense(full(2f, shape=[2, 3], dtype=\"float32\"), full(3f, shape=[4, 3], dtype=\"float32\")))":                                "144f",
		"sum(nn.batch_matmul(full(2f, shape=[1, 2, 3], dtype=\"float32\"), full(3f, shape=[1, 4, 3], dtype=\"float32\"), transpose_b=True))": "144f",
		"sum(nn.matmul(full(2f, shape=[3, 2], dtype=\"float32\"), full(3f, shape=[3, 4], dtype=\"float32\"), transpose_a=True))":             "144f",
		"qnn.dequantize(qnn.quantize(1.3f, 0.5f, 10, out_dtype=\"int8\"), 0.5f, 10)":                                                         "1.5f",
		"cast(qnn.quantize(1000f, 0.5f, 10, out_dtype=\"int8\"), dtype=\"int32\")":                                                           "127",
		"cast(qnn.quantize(-1000f, 0.5f, 10, out_dtype=\"uint8\"), dtype=\"int32\")":                                                         "0",
		"cast(qnn.add(cast(1, dtype=\"uint8\"), cast(1, dtype=\"uint8\"), 2f, 0, 2f, 0, 1f, 0), dtype=\"int32\")":                            "4",
		"cast(qnn.subtract(cast(9, dtype=\"uint8\"), cast(1, dtype=\"uint8\"), 2f, 1, 1f, 0, 1f, 3), dtype=\"int32\")":                       "18",
	} {
		m := read(t, "def @main() { "+before+" }")
		p, err := relaypass.FoldConstant.With(ir.NewAttrs("fold_qnn", true))
		if err != nil {
			t.Fatal(err)
		}
		out, _ := passtest.Check(t, passtest.NewContext(), p, m)
		if want := read(t, "def @main() { "+after+" }"); !ir.StructuralEqualModule(out, want, ir.EqualOpts{}) {
			t.Errorf("%s is\n%s\nwant %s", before, passtest.Text(out), after)
		}
	}
}
