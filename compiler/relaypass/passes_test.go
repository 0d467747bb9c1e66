package relaypass_test

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relay"
	"github.com/irscope/irscope/compiler/relaypass"
)

// TestPassSettings: levels, kinds and required passes are those of TVM v0.18.
func TestPassSettings(t *testing.T) {
	for _, c := range []struct {
		pass     *pass.Pass
		level    int
		kind     pass.Kind
		required []string
	}{
		{relaypass.InferType, 0, pass.Module, nil},
		{relaypass.SimplifyInference, 0, pass.Function, []string{"relay.InferType"}},
		{relaypass.RemoveUnusedFunctions, 1, pass.Module, nil},
		{relaypass.DeadCodeElimination, 1, pass.Module, []string{"relay.InferType"}},
		{relaypass.CanonicalizeOps, 3, pass.Function, []string{"relay.InferType"}},
		{relaypass.FlattenAtrousConv, 0, pass.Function, []string{"relay.InferType"}},
		{relaypass.FoldExplicitPadding, 0, pass.Function, []string{"relay.InferType"}},
		{relaypass.ToANormalForm, 1, pass.Module, nil},
		{relaypass.Inline, 1, pass.Module, nil},
		{relaypass.SimplifyExpr, 0, pass.Function, []string{"relay.InferType"}},
		{relaypass.SimplifyExprPostAlterOp, 0, pass.Function, []string{"relay.InferType"}},
		{relaypass.ToGraphNormalForm, 1, pass.Function, nil},
		{relaypass.ToBasicBlockNormalForm, 1, pass.Module, nil},
		{relaypass.FoldConstant, 2, pass.Function, nil},
		{relaypass.ForwardFoldScaleAxis, 3, pass.Function, []string{"relay.InferType"}},
		{relaypass.BackwardFoldScaleAxis, 3, pass.Function, []string{"relay.InferType"}},
		{relaypass.FoldScaleAxis, 3, pass.Function, []string{"relay.InferType"}},
		{relaypass.FuseOps, 0, pass.Function, []string{"relay.InferType"}},
		{relaypass.CombineParallelConv2D, 4, pass.Function, []string{"relay.InferType"}},
		{relaypass.CombineParallelDense, 4, pass.Function, []string{"relay.InferType"}},
		{relaypass.CombineParallelBatchMatmul, 4, pass.Function, []string{"relay.InferType"}},
		{relaypass.EliminateCommonSubexpr, 3, pass.Function, []string{"relay.InferType"}},
		{relaypass.EtaExpand, 1, pass.Module, nil},
		{relaypass.CanonicalizeCast, 3, pass.Function, []string{"relay.InferType"}},
		{relaypass.DivToMul, 0, pass.Function, []string{"relay.InferType", "relay.FoldConstant"}},
		{relaypass.FastMath, 4, pass.Function, []string{"relay.InferType"}},
		{relaypass.FakeQuantizationToInteger, 0, pass.Function, []string{"relay.InferType", "relay.DivToMul"}},
		{relaypass.QuantizedProducts, 2, pass.Function, nil},
		{relaypass.DefuseOps, 3, pass.Function, []string{"relay.InferType"}},
		{relaypass.FirstOrderGradient, 0, pass.Module, nil},
		{relaypass.LambdaLift, 1, pass.Module, nil},
		{relaypass.DynamicToStatic, 2, pass.Function, nil},
		{relaypass.ToMixedPrecision, 0, pass.Function, nil},
		{relaypass.Legalize, 1, pass.Function, []string{"relay.InferType"}},
		{relaypass.AlterOpLayout, 3, pass.Function, []string{"relay.InferType"}},
	} {
		if p := c.pass; p.Level != c.level || p.Kind != c.kind || !slices.Equal(p.Required, c.required) || p.Lowering {
			t.Errorf("%s: %s", p.Name, p)
		}
	}
}

// pair is a program and what a pass makes of it, in Relay's text: the body of main over its parameters.
type pair struct {
	name, params  string
	before, after string // after is empty where nothing changes
}

func read(t passtest.Failer, text string) *ir.Module {
	t.Helper()
	m, found := relay.Read("test.relay", text)
	if m == nil {
		t.Fatalf("%s\n%s", found[0], text)
	}
	return m
}

func runPairs(t *testing.T, p *pass.Pass, pairs []pair) {
	for _, x := range pairs {
		t.Run(x.name, func(t *testing.T) {
			m := read(t, "def @main("+x.params+") {\n"+x.before+"\n}")
			passtest.WellFormed(t, "before", m)
			out, _ := passtest.Check(t, passtest.NewContext(), p, m)
			if x.after == "" {
				if out != m {
					t.Errorf("the module changed to\n%s", passtest.Text(out))
				}
				return
			}
			text, err := relay.Text(out)
			if err != nil {
				t.Fatal(err)
			}
			want := read(t, "def @main("+x.params+") {\n"+x.after+"\n}")
			if got := read(t, text); !ir.StructuralEqualModule(got, want, ir.EqualOpts{}) {
				wanted, err := relay.Text(want)
				t.Errorf("got\n%s\nwant\n%s%v", text, wanted, err)
			}
		})
	}
}

func TestInferTypePairs(t *testing.T) {
	runPairs(t, relaypass.InferType, []pair{{name: "nothing", params: "%x: Tensor[(2), float32]", before: "nn.relu(%x)"}})
}

func TestSimplifyInferencePairs(t *testing.T) {
	const bn = "%x: Tensor[(2, 3, 4), float32], %g: Tensor[(3), float32], %b: Tensor[(3), float32], %m: Tensor[(3), float32], %v: Tensor[(3), float32]"
	runPairs(t, relaypass.SimplifyInference, []pair{
		{
			name: "batch_norm", params: bn, before: "nn.batch_norm(%x, %g, %b, %m, %v, epsilon=0.5f).0", after: `
%0 = divide(1f, sqrt(add(%v, 0.5f)));
%1 = multiply(%0, %g);
%2 = multiply(%x, expand_dims(%1, axis=1));
%3 = add(multiply(negative(%m), %1), %b);
add(%2, expand_dims(%3, axis=1))`,
		},
		{
			name: "without scale and center", params: bn, before: "nn.batch_norm(%x, %g, %b, %m, %v, scale=False, center=False).0", after: `
%0 = divide(1f, sqrt(add(%v, 1e-05f)));
%1 = multiply(%x, expand_dims(%0, axis=1));
add(%1, expand_dims(multiply(negative(%m), %0), axis=1))`,
		},
		{name: "the other results", params: bn, before: "nn.batch_norm(%x, %g, %b, %m, %v).1"},
		{
			name: "the last axis, and the tuple is used", params: "%x: Tensor[(2, 3), float32], %g: Tensor[(3), float32]",
			before: "%0 = nn.batch_norm(%x, %g, %g, %g, %g, axis=-1); (%0.0, %0.1)", after: `
%0 = nn.batch_norm(%x, %g, %g, %g, %g, axis=-1);
%1 = divide(1f, sqrt(add(%g, 1e-05f)));
%2 = multiply(%1, %g);
(add(multiply(%x, %2), add(multiply(negative(%g), %2), %g)), %0.1)`,
		},
		{name: "dropout", params: "%x: Tensor[(2), float32]", before: "nn.relu(nn.dropout(%x, rate=0.3f).0)", after: "nn.relu(%x)"},
		{name: "the mask of dropout", params: "%x: Tensor[(2), float32]", before: "nn.dropout(%x).1"},
		{
			name: "l2_normalize", params: "%x: Tensor[(2, 3), float32]", before: "nn.l2_normalize(%x, eps=0.25f, axis=[1])",
			after: "divide(%x, sqrt(maximum(sum(multiply(%x, %x), axis=[1], keepdims=True), 0.25f)))",
		},
	})
}

func TestCanonicalizeOpsPairs(t *testing.T) {
	const params = "%x: Tensor[(2, 3, 4), float32], %b: Tensor[(3), float32], %c: Tensor[(4), float32]"
	runPairs(t, relaypass.CanonicalizeOps, []pair{
		{name: "in the middle", params: params, before: "nn.bias_add(%x, %b)", after: "add(%x, expand_dims(%b, axis=1))"},
		{name: "at the end", params: params, before: "nn.bias_add(%x, %c, axis=-1)", after: "add(%x, %c)"},
		{name: "inside of a branch", params: params + ", %p: bool", before: "if (%p) { nn.bias_add(%x, %b) } else { %x }", after: "if (%p) { add(%x, expand_dims(%b, axis=1)) } else { %x }"},
	})
}

func TestFoldExplicitPaddingPairs(t *testing.T) {
	const (
		params = "%x: Tensor[(1, 2, 8, 8), float32], %w: Tensor[(4, 2, 3, 3), float32]"
		pad    = "%0 = nn.pad(%x, 0f, pad_width=[[0, 0], [0, 0], [1, 2], [3, 4]]);\n"
	)
	runPairs(t, relaypass.FoldExplicitPadding, []pair{
		{name: "conv2d", params: params, before: pad + "nn.conv2d(%0, %w, padding=[1, 0])", after: "nn.conv2d(%x, %w, padding=[2, 3, 3, 4])"},
		{name: "the pad is used", params: params, before: pad + "(nn.conv2d(%0, %w), %0)", after: pad + "(nn.conv2d(%x, %w, padding=[1, 3, 2, 4]), %0)"},
		{name: "channels", params: "%x: Tensor[(1, 1, 8, 8), float32], %w: Tensor[(4, 2, 3, 3), float32]", before: "nn.conv2d(nn.pad(%x, 0f, pad_width=[[0, 0], [1, 0], [1, 1], [1, 1]]), %w)"},
		{name: "another value", params: params, before: "nn.conv2d(nn.pad(%x, 1f, pad_width=[[0, 0], [0, 0], [1, 1], [1, 1]]), %w)"},
		{name: "a mean counts it", params: params, before: pad + "nn.avg_pool2d(%0, pool_size=[2, 2])", after: "nn.avg_pool2d(%x, pool_size=[2, 2], padding=[1, 3, 2, 4], count_include_pad=True)"},
		{name: "a mean with a padding that it does not count", params: params, before: pad + "nn.avg_pool2d(%0, pool_size=[2, 2], padding=[1, 1])"},
		{name: "a maximum of zeros", params: params, before: pad + "nn.max_pool2d(%0, pool_size=[2, 2])"},
		{
			name: "a maximum", params: params, before: "nn.max_pool2d(nn.pad(%x, -3.4028235e38f, pad_width=[[0, 0], [0, 0], [1, 0], [0, 1]]), pool_size=[2, 2])",
			after: "nn.max_pool2d(%x, pool_size=[2, 2], padding=[1, 0, 0, 1])",
		},
		{name: "a maximum of the padding alone", params: params, before: "nn.max_pool2d(nn.pad(%x, -3.4028235e38f, pad_width=[[0, 0], [0, 0], [2, 0], [0, 0]]), pool_size=[2, 2])"},
		{name: "what is mirrored", params: params, before: "nn.conv2d(nn.pad(%x, 0f, pad_width=[[0, 0], [0, 0], [1, 1], [1, 1]], pad_mode=\"reflect\"), %w)"},
		{
			name: "a quantized convolution", params: "%x: Tensor[(1, 2, 8, 8), int8], %w: Tensor[(4, 2, 3, 3), int8]",
			before: "qnn.conv2d(nn.pad(%x, 3, pad_width=[[0, 0], [0, 0], [1, 1], [1, 1]]), %w, 3, 0, 1f, 1f, padding=[0, 0, 0, 0], out_dtype=\"int32\")",
			after:  "qnn.conv2d(%x, %w, 3, 0, 1f, 1f, padding=[1, 1, 1, 1], out_dtype=\"int32\")",
		},
		{
			name: "another zero point", params: "%x: Tensor[(1, 2, 8, 8), int8], %w: Tensor[(4, 2, 3, 3), int8]",
			before: "qnn.conv2d(nn.pad(%x, 2, pad_width=[[0, 0], [0, 0], [1, 1], [1, 1]]), %w, 3, 0, 1f, 1f, padding=[0, 0, 0, 0], out_dtype=\"int32\")",
		},
	})
}

func TestFlattenAtrousConvPairs(t *testing.T) {
	const (
		params = "%x: Tensor[(1, 5, 5, 4), float32], %w: Tensor[(3, 3, 4, 2), float32]"
		begin  = "%0 = nn.space_to_batch_nd(%x, block_shape=[2, 2], paddings=[[2, 3], [2, 3]]);\n"
		conv   = "%1 = nn.conv2d(%0, %w, padding=[0, 0, 0, 0], data_layout=\"NHWC\", kernel_layout=\"HWIO\");\n"
		end    = "nn.batch_to_space_nd(%1, block_shape=[2, 2], crops=[[0, 1], [0, 1]])"
	)
	runPairs(t, relaypass.FlattenAtrousConv, []pair{
		{name: "dilated", params: params, before: begin + conv + end, after: `nn.conv2d(%x, %w, padding=[2, 2, 2, 2], dilation=[2, 2], data_layout="NHWC", kernel_layout="HWIO")`},
		{name: "what is cropped elsewhere", params: params, before: begin + conv + "nn.batch_to_space_nd(%1, block_shape=[2, 2], crops=[[1, 0], [0, 1]])"},
		{name: "another value", params: params, before: "%0 = nn.space_to_batch_nd(%x, block_shape=[2, 2], paddings=[[2, 3], [2, 3]], pad_value=1f);\n" + conv + end},
		{name: "between others", params: params, before: begin + "%2 = nn.relu(%0); %1 = nn.conv2d(%2, %w, data_layout=\"NHWC\", kernel_layout=\"HWIO\");" + end},
		{name: "other blocks", params: params, before: begin + conv + "nn.batch_to_space_nd(%1, block_shape=[4, 1], crops=[[0, 0], [0, 0]])"},
	})
}

func TestDeadCodeEliminationPairs(t *testing.T) {
	runPairs(t, relaypass.DeadCodeElimination, []pair{
		{name: "a let", params: "%z: int32", before: "let %x = exp(2f); let %y = 2f; add(%y, %y)", after: "let %y = 2f; add(%y, %y)"},
		{name: "a chain", params: "%z: Tensor[(2), float32]", before: "let %a = exp(%z); let %b = add(%a, %a); let %c = nn.relu(%z); %c", after: "let %c = nn.relu(%z); %c"},
		{name: "a function that calls itself", params: "%z: int32", before: "let %f = fn (%n: int32) -> int32 { if (equal(%n, 0)) { %n } else { %f(%n - 1) } }; ()", after: "()"},
		{name: "a function that is called", params: "%z: int32", before: "let %f = fn (%n: int32) -> int32 { if (equal(%n, 0)) { %n } else { %f(%n - 1) } }; %f(%z)"},
		{name: "in branches", params: "%p: bool, %z: int32", before: "if (%p) { let %a = %z + 1; %z } else { let %b = %z + 2; %b }", after: "if (%p) { %z } else { let %b = %z + 2; %b }"},
		{name: "a branch", params: "%p: bool, %z: int32", before: "let %a = if (%p) { %z + 1 } else { %z }; %z", after: "%z"},
		{name: "what casts stays", params: "%z: int32", before: "let %a: float32 = %z; %z"},
	})
}

func TestToANormalFormPairs(t *testing.T) {
	const x = "%x: Tensor[(2), float32]"
	runPairs(t, relaypass.ToANormalForm, []pair{
		{name: "constants and calls", params: x, before: "add(%x, multiply(2f, 3f))", after: "let %b = 2f; let %c = 3f; let %d = multiply(%b, %c); let %e = add(%x, %d); %e"},
		{name: "branches", params: x, before: "if (True) { 2 } else { 3 }", after: "let %c = True; let %d = if (%c) { let %a = 2; %a } else { let %b = 3; %b }; %d"},
		{name: "a tuple", params: x, before: "concatenate((%x, nn.relu(%x)))", after: "let %a = nn.relu(%x); let %b = (%x, %a); let %c = concatenate(%b); %c"},
		{name: "the result is a tuple", params: x, before: "(%x, 1f)", after: "let %a = 1f; let %b = (%x, %a); %b"},
		{name: "a node of two branches", params: x + ", %p: bool", before: "%0 = exp(%x); if (%p) { nn.relu(%0) } else { %0 }", after: "let %a = exp(%x); let %c = if (%p) { let %b = nn.relu(%a); %b } else { %a }; %c"},
		{name: "a function", params: x, before: "let %f = fn (%y: Tensor[(2), float32]) { add(%y, 1f) }; %f(%x)", after: "let %f = fn (%y: Tensor[(2), float32]) { let %a = 1f; let %b = add(%y, %a); %b }; let %c = %f(%x); %c"},
		{name: "one kernel", params: x, before: "let %f = fn (%y: Tensor[(2), float32], Primitive=1) { add(%y, 1f) }; let %c = %f(%x); %c"},
		{name: "lets", params: x, before: "let %a = exp(%x); let %b = nn.relu(%a); %b"},
		{name: "a parameter", params: x, before: "%x"},
	})
}

func TestToGraphNormalFormPairs(t *testing.T) {
	const x = "%x: Tensor[(2), float32]"
	runPairs(t, relaypass.ToGraphNormalForm, []pair{
		{name: "lets", params: x, before: "let %a = exp(%x); let %b = 2f; let %c = add(%a, %b); %c", after: "add(exp(%x), 2f)"},
		{name: "a let that nothing uses", params: x, before: "let %a = exp(%x); let %b = nn.relu(%x); %b", after: "nn.relu(%x)"},
		{name: "another name", params: x, before: "let %a = exp(%x); let %b = %a; add(%a, %b)", after: "%0 = exp(%x); add(%0, %0)"},
		{name: "branches", params: x + ", %p: bool", before: "let %a = exp(%x); let %c = if (%p) { let %b = nn.relu(%a); %b } else { %a }; nn.relu(%c)", after: "%0 = exp(%x); let %c = if (%p) { nn.relu(%0) } else { %0 }; nn.relu(%c)"},
		{name: "a graph", params: x, before: "add(exp(%x), 2f)"},
	})
}

func TestToBasicBlockNormalFormPairs(t *testing.T) {
	const params = "%x: float32, %p: bool"
	runPairs(t, relaypass.ToBasicBlockNormalForm, []pair{
		{name: "two branches", params: params, before: "%0 = add(%x, 1f); if (%p) { multiply(%0, 2f) } else { multiply(%0, 1f) }", after: "let %v = add(%x, 1f); if (%p) { multiply(%v, 2f) } else { multiply(%v, 1f) }"},
		{name: "a branch and the body", params: params, before: "%0 = exp(%x); %1 = if (%p) { add(%0, 1f) } else { %x }; add(%0, %1)", after: "let %v = exp(%x); %1 = if (%p) { add(%v, 1f) } else { %x }; add(%v, %1)"},
		{name: "what only the condition uses", params: params, before: "%0 = exp(%x); if (equal(%0, 2f)) { 1f } else { 2f }"},
		{name: "what a shared node uses", params: params, before: "%0 = exp(%x); %1 = add(%0, 1f); if (%p) { multiply(%1, 2f) } else { %1 }", after: "%0 = exp(%x); let %v = add(%0, 1f); if (%p) { multiply(%v, 2f) } else { %v }"},
		{name: "nested", params: params, before: "if (%p) { %0 = add(%x, %x); if (equal(%x, 1f)) { %0 } else { add(3f, %0) } } else { 1f }", after: "if (%p) { let %v = add(%x, %x); if (equal(%x, 1f)) { %v } else { add(3f, %v) } } else { 1f }"},
		{name: "a function", params: params, before: "%0 = exp(%x); let %f = fn (%y: float32) { add(%y, %0) }; add(%f(%x), %0)", after: "let %v = exp(%x); let %f = fn (%y: float32) { add(%y, %v) }; add(%f(%x), %v)"},
		{name: "lets", params: params, before: "let %v = exp(%x); if (%p) { %v } else { add(%v, 1f) }"},
	})
}

func TestRemoveUnusedFunctions(t *testing.T) {
	m := read(t, "def @main(%x: int32) { @a(%x) }\ndef @a(%x: int32) -> int32 { @a(%x - 1) }\ndef @b(%x: int32) { @c(%x) }\ndef @c(%x: int32) -> int32 { @b(%x) }")
	out, _ := passtest.Check(t, passtest.NewContext(), relaypass.RemoveUnusedFunctions, m)
	if out.Len() != 2 || out.Lookup("a") == nil || out.Lookup("b") != nil {
		t.Errorf("it left\n%s", passtest.Text(out))
	}
	all, err := relaypass.RemoveUnusedFunctions.With(ir.NewAttrs("entry_functions", []string{"main", "c", "none"}))
	if err != nil {
		t.Fatal(err)
	}
	if out, _ := passtest.Check(t, passtest.NewContext(), all, m); out != m {
		t.Errorf("it left\n%s", passtest.Text(out))
	}
}

func TestSimplifyExprPostAlterOpPairs(t *testing.T) {
	const (
		x = "%x: Tensor[(2, 3), float32]"
		i = "%x: Tensor[(2, 3), int32]"
	)
	runPairs(t, relaypass.SimplifyExprPostAlterOp, []pair{
		{name: "neutral operands", params: x, before: "divide(multiply(1f, add(%x, zeros_like(%x))), 1f)", after: "%x"},
		{name: "reshapes", params: x, before: "reshape(reshape(reshape(%x, newshape=[3, 2]), newshape=[6]), newshape=[-1, 1])", after: "reshape(%x, newshape=[6, 1])"},
		{name: "casts", params: i, before: "cast(cast(cast(%x, dtype=\"int32\"), dtype=\"int64\"), dtype=\"float32\")", after: "cast(%x, dtype=\"float32\")"},
		{name: "casts behind a clip", params: i, before: "cast(cast(clip(%x, a_min=0f, a_max=255f), dtype=\"uint8\"), dtype=\"int32\")", after: "clip(%x, a_min=0f, a_max=255f)"},
		{name: "a clip of what is in range", params: "%x: Tensor[(4), uint8]", before: "clip(%x, a_min=-1f, a_max=255f)", after: "%x"},
		{name: "layouts stay", params: "%x: Tensor[(1, 2, 3, 4), float32]", before: `layout_transform(layout_transform(%x, src_layout="NHWC", dst_layout="NCHW"), src_layout="NCHW", dst_layout="NHWC")`},
		{name: "what only SimplifyExpr does", params: i, before: "transpose(transpose(add(%x, %x)))"},
		{name: "no elements", params: "%x: Tensor[(0, 3), float32]", before: "multiply(%x, 1f)", after: "%x"},
		{name: "an extent that is not known", params: "%x: Tensor[(?, 3), float32]", before: "cast(cast(%x, dtype=\"float64\"), dtype=\"float64\")", after: "cast(%x, dtype=\"float64\")"},
	})
}

func TestSimplifyExprPairs(t *testing.T) {
	const (
		x  = "%x: Tensor[(2, 3), float32]"
		i  = "%x: Tensor[(2, 3), int32]"
		xy = "%x: Tensor[(4), int32], %y: Tensor[(4), int32]"
	)
	runPairs(t, relaypass.SimplifyExpr, []pair{
		{name: "zeros_like", params: x, before: "zeros_like(%x)", after: "zeros(shape=[2, 3], dtype=\"float32\")"},
		{name: "full_like", params: x + ", %v: float32", before: "full_like(%x, %v)", after: "full(%v, shape=[2, 3], dtype=\"float32\")"},
		{name: "reshape_like", params: x + ", %y: Tensor[(6), float32]", before: "reshape_like(%x, %y)", after: "reshape(%x, newshape=[6])"},
		{name: "broadcast_to_like", params: x + ", %y: Tensor[(4, 2, 3), float32]", before: "broadcast_to_like(%x, %y)", after: "broadcast_to(%x, shape=[4, 2, 3])"},
		{name: "cast_like", params: x + ", %y: Tensor[(6), int32]", before: "cast_like(%x, %y)", after: "cast(%x, dtype=\"int32\")"},
		{name: "a shape that is not known", params: "%x: Tensor[(?, 3), float32]", before: "zeros_like(%x)"},
		{name: "x+x", params: i, before: "add(%x, %x)", after: "multiply(%x, 2)"},
		{name: "by a root", params: x, before: "divide(2f, sqrt(%x))", after: "multiply(2f, rsqrt(%x))"},
		{name: "neutral operands", params: x, before: "divide(subtract(multiply(1f, add(%x, zeros_like(%x))), 0f), 1f)", after: "%x"},
		{name: "0-x and 1/x", params: x, before: "add(subtract(0f, %x), divide(1f, %x))"},
		{name: "what a zero broadcasts", params: "%x: Tensor[(3), float32], %y: Tensor[(2, 3), float32]", before: "add(%x, zeros_like(%y))", after: "add(%x, zeros(shape=[2, 3], dtype=\"float32\"))"},
		{name: "reshapes", params: x, before: "contrib_reverse_reshape(reshape(%x, newshape=[3, 2]), newshape=[-1, 1])", after: "reshape(%x, newshape=[6, 1])"},
		{name: "transposes", params: "%x: Tensor[(2, 3, 4), float32]", before: "transpose(transpose(%x, axes=[0, 2, 1]), axes=[2, 0, 1])", after: "transpose(%x, axes=[1, 0, 2])"},
		{name: "transposes that undo each other", params: x, before: "transpose(transpose(%x))", after: "%x"},
		{name: "layouts", params: "%x: Tensor[(1, 2, 3, 4), float32]", before: `layout_transform(layout_transform(%x, src_layout="NHWC", dst_layout="NCHW"), src_layout="NCHW", dst_layout="NHWC")`, after: "%x"},
		{name: "the same type", params: i, before: "cast(%x, dtype=\"int32\")", after: "%x"},
		{name: "to a wider type before", params: i, before: "cast(cast(%x, dtype=\"int64\"), dtype=\"float32\")", after: "cast(%x, dtype=\"float32\")"},
		{name: "to a narrower type before", params: i, before: "cast(cast(%x, dtype=\"int8\"), dtype=\"float32\")"},
		{name: "without a sign before, which TVM drops", params: i, before: "cast(cast(%x, dtype=\"uint32\"), dtype=\"float64\")"},
		{name: "a tensor of one value", params: x, before: "power(full(2f, shape=[2, 3], dtype=\"float32\"), %x)", after: "power(2f, %x)"},
		{name: "constants that meet", params: x, before: "add(multiply(add(multiply(%x, 2f), 3f), 4f), 5f)", after: "add(multiply(%x, 8f), 17f)"},
		{name: "argmax of what is dequantized", params: "%x: Tensor[(4, 3), int8]", before: "argmax(qnn.dequantize(%x, 2f, 0), axis=[1])", after: "argmax(%x, axis=[1])"},
		{name: "with a negative scale, which TVM takes too", params: "%x: Tensor[(4, 3), int8]", before: "argmax(qnn.dequantize(%x, -2f, 0), axis=[1])"},
		{name: "casts behind a clip", params: i, before: "cast(cast(clip(%x, a_min=0f, a_max=255f), dtype=\"uint8\"), dtype=\"int32\")", after: "clip(%x, a_min=0f, a_max=255f)"},
		{name: "a cast that wraps", params: i, before: "cast(cast(clip(%x, a_min=0f, a_max=256f), dtype=\"uint8\"), dtype=\"int32\")"},
		{name: "a clip of what is in range", params: "%x: Tensor[(4), uint8]", before: "clip(%x, a_min=-1f, a_max=255f)", after: "%x"},
		{name: "a square of a sum", params: xy, before: "add(add(multiply(%y, %y), multiply(multiply(%x, 4), %y)), multiply(4, multiply(%x, %x)))", after: "%0 = add(%y, multiply(%x, 2)); multiply(%0, %0)"},
		{name: "a product of sums", params: xy, before: "add(add(multiply(%x, %x), multiply(5, multiply(%x, %y))), multiply(6, multiply(%y, %y)))", after: "multiply(add(%x, multiply(%y, 3)), add(%x, multiply(%y, 2)))"},
		{name: "of integers that are not whole, which TVM cuts off", params: xy, before: "add(add(multiply(2, multiply(%x, %x)), multiply(5, multiply(%x, %y))), multiply(3, multiply(%y, %y)))"},
		{name: "no product of real sums", params: xy, before: "add(add(multiply(%x, %x), multiply(%x, %y)), multiply(%y, %y))"},
	})
}

// TestInline: what becomes of whole modules.
func TestInline(t *testing.T) {
	const (
		leaf  = "def @leaf(%a: Tensor[(2), float32], Inline=1) { nn.relu(%a) }\n"
		outer = "def @outer(%b: Tensor[(2), float32], Inline=1) { %0 = @leaf(%b); add(%0, %0) }\n"
	)
	for _, c := range []struct{ name, before, after string }{
		{"a chain", leaf + outer + "def @main(%x: Tensor[(2), float32]) { exp(@outer(@outer(%x))) }", "def @main(%x: Tensor[(2), float32]) { %0 = nn.relu(%x); %1 = add(%0, %0); %2 = nn.relu(%1); exp(add(%2, %2)) }"},
		{"nobody calls it", leaf + "def @main(%x: Tensor[(2), float32]) { exp(%x) }", ""},
		{"it is not marked", "def @f(%a: Tensor[(2), float32]) { exp(%a) }\ndef @main(%x: Tensor[(2), float32]) { @f(%x) }", ""},
		{"it calls one that stays", "def @f(%a: Tensor[(2), float32]) { exp(%a) }\ndef @g(%a: Tensor[(2), float32], Inline=1) { @f(%a) }\ndef @main(%x: Tensor[(2), float32]) { @g(%x) }", ""},
		{"it calls itself", "def @f(%a: int32, Inline=1) -> int32 { if (equal(%a, 0)) { 0 } else { @f(subtract(%a, 1)) } }\ndef @main(%x: int32) { @f(%x) }", ""},
		{"two call each other", "def @f(%a: int32, Inline=1) -> int32 { @g(%a) }\ndef @g(%a: int32, Inline=1) -> int32 { @f(%a) }\ndef @main(%x: int32) { @f(%x) }", ""},
		{
			"for an external compiler", `def @f(%a: Tensor[(2), float32], Inline=1, Compiler="c") { exp(%a) }` + "\ndef @main(%x: Tensor[(2), float32]) { add(@f(%x), %x) }",
			`def @main(%x: Tensor[(2), float32]) { %0 = fn (%a: Tensor[(2), float32], Inline=1, Compiler="c") { exp(%a) }; %1 = %0(%x); add(%1, %x) }`,
		},
		{
			"lets and branches", "def @f(%a: Tensor[(2), float32], %p: bool, Inline=1) { let %b = exp(%a); if (%p) { %b } else { %a } }\ndef @main(%x: Tensor[(2), float32], %p: bool) { nn.relu(@f(%x, %p)) }",
			"def @main(%x: Tensor[(2), float32], %p: bool) { let %b = exp(%x); %0 = if (%p) { %b } else { %x }; nn.relu(%0) }",
		},
		{
			"of any extent", "def @f(%a: Tensor[(?, 3), float32], Inline=1) { exp(%a) }\ndef @main(%x: Tensor[(2, 3), float32]) { nn.relu(@f(%x)) }",
			"def @main(%x: Tensor[(2, 3), float32]) { nn.relu(exp(%x)) }",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, c.before)
			passtest.WellFormed(t, "before", m)
			out, _ := passtest.Check(t, passtest.NewContext(), relaypass.Inline, m)
			if c.after == "" {
				if out != m {
					t.Errorf("the module changed to\n%s", passtest.Text(out))
				}
				return
			}
			text, err := relay.Text(out)
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, text); !ir.StructuralEqualModule(got, read(t, c.after), ir.EqualOpts{}) {
				t.Errorf("got\n%s\nwant\n%s", text, c.after)
			}
		})
	}
}
