package compact_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/compact"
)

// function puts lines into the body of a function.
func function(lines ...string) string {
	return "@R.function\ndef main():\n" + strings.Join(lines, "\n")
}

// TestLines writes one line of each form.
func TestLines(t *testing.T) {
	const tensor = `R.Tensor((1, 16), dtype="float32")`
	for _, c := range []struct{ line, text, typ string }{
		{`    x: ` + tensor + ` = R.nn.relu(y)`, "  x = relu(y)", "f32[1,16]"},
		{`    x = R.add(y, R.const(0.5, "float32"))`, "  x = add(y, 0.5)", ""},
		{`    x = R.add(y, R.const(9.999999747378752e-06, "float32"))`, "  x = add(y, 1e-05)", ""},
		{`    x = R.add(y, R.const(9.999999747378752e-06, "float64"))`, "  x = add(y, 9.999999747378752e-06)", ""},
		{`    x = R.add(y, R.const(-1, "int64"))`, "  x = add(y, -1)", ""},
		{`    x = R.add(y, R.const(1.0, "float32"))`, "  x = add(y, 1.0)", ""},
		{`    x = R.const([1, 2], "int64")`, "  x = const([1,2], \"int64\")", ""},
		{`    a: ` + tensor + ` = R.add(y, metadata["relax.expr.Constant"]["4e62e7a2f599"])  # float32[16, 3]`, "  a = add(y, c4e6)", "f32[1,16]"},
		{`    a = R.nn.conv2d(x, w, data_layout="NCHW", dilation=[1, 1], groups=1, padding=[1, 1, 1, 1], strides=[2, 2])`, "  a = conv2d(x, w, pad 1, stride 2)", ""},
		{`    a = R.nn.conv2d(x, w, data_layout="NHWC", groups=2, padding=[1, 1, 2, 2], strides=[1, 2])`, `  a = conv2d(x, w, data_layout "NHWC", groups 2, pad [1,1,2,2], stride [1,2])`, ""},
		{`    a = R.nn.conv2d(x, w, data_layout="NCHW2c", groups=1, kernel_layout="OIHW2i2o", out_layout="NCHW2c")`, `  a = conv2d(x, w, data_layout "NCHW2c", kernel_layout "OIHW2i2o")`, ""},
		{`    a = R.nn.max_pool2d(x, layout="NCHW2c", out_layout="NCHW2c")`, `  a = max_pool2d(x, layout "NCHW2c")`, ""},
		{`    a = R.nn.max_pool2d(x, layout="NCHW2c", out_layout="NCHW")`, `  a = max_pool2d(x, layout "NCHW2c", out_layout "NCHW")`, ""},
		{`    a = R.nn.conv2d(x, w, data_layout="NCHW2c", kernel_layout="OIHW2i2o", out_layout="NCHW")`, `  a = conv2d(x, w, data_layout "NCHW2c", kernel_layout "OIHW2i2o", out_layout "NCHW")`, ""},
		{`    a = R.nn.conv2d(x, w, data_layout="NCHW2c", kernel_layout="OIHW", out_layout="NCHW4c")`, `  a = conv2d(x, w, data_layout "NCHW2c", out_layout "NCHW4c")`, ""},
		{`    a = R.layout_transform(x, axis_separators=[], index_map=T.index_map(lambda i0, i1: (i1 // 16, i0, i1 % 16), index_dtype="int32"), pad_value=None)`, "  a = layout_transform(x, (i0, i1) -> (i1 // 16, i0, i1 % 16))", ""},
		{`    a = R.layout_transform(x, index_map=T.index_map(lambda i: (i // 4, i % 4)))`, "  a = layout_transform(x, (i) -> (i // 4, i % 4))", ""},
		{`    a = R.layout_transform(x, index_map=T.index_map(lambda i, j: (j, i), inverse_index_map=T.index_map(lambda j, i: (i, j))))`, "  a = layout_transform(x, index_map T.index_map(lambda i, j: (j, i), inverse_index_map=T.index_map(lambda j, i: (i, j))))", ""},
		{`    a = R.mean(x, axis=[2, 3], keepdims=True)`, "  a = mean(x, axis [2,3], keepdims)", ""},
		{`    a = R.mean(x, axis=None, keepdims=False)`, "  a = mean(x)", ""},
		{`    a = R.reshape(x, R.shape([n, 4 * n]))`, "  a = reshape(x, [n, 4 * n])", ""},
		{`    a = R.call_tir(cls.fused_conv2d_add_conv1_Conv_conv2d, (x, y), out_sinfo=` + tensor + `)`, "  a = cls.fused_conv2d_add_conv1(x, y)", "f32[1,16]"},
		{`    a = R.call_tir(cls.f, (x,), out_sinfo=[R.Tensor((n,), dtype="int64"), R.Tensor((), dtype="bool")], tir_vars=R.shape([n]))`, "  a = cls.f(x, tir_vars=[n])", "(i64[n], bool[])"},
		{`    a = R.call_tir(cls.f, (x,), out_sinfo=` + tensor + `, tir_vars=R.shape([n]))`, "  a = cls.f(x, tir_vars=[n])", "f32[1,16]"},
		{`    a: ` + tensor + ` = R.match_cast(x, ` + tensor + `)`, "  a = match_cast(x)", "f32[1,16]"},
		{`    a = R.match_cast(x, ` + tensor + `)`, "  a = match_cast(x, f32[1,16])", ""},
		{`    a: R.Tuple(R.Tensor(dtype="float16", ndim=2), R.Tensor("bfloat16"), R.Shape([n, 1]), R.Prim("int64")) = (x, y, z, w)`, "  a = (x, y, z, w)", "(f16[?,?], bf16[*], shape[n,1], i64)"},
		{`    a: R.Tuple(R.Object, R.Tuple) = x`, "  a = x", "(object, R.Tuple)"},
		{`    a: R.Shape(ndim=2) = R.shape_of(x)`, "  a = shape_of(x)", "shape[?,?]"},
		{`    a: R.Tensor(ndim=0) = (x,)`, "  a = (x,)", "tensor[]"},
		{`    a: R.Callable((R.Object,), R.Object, True) = x`, "  a = x", "R.Callable((R.Object,), R.Object, True)"},
		{`    storage: R.Object = R.vm.alloc_storage(R.shape([64]), R.prim_value(0), R.dtype("uint8"), R.str("global"))`, `  storage = vm.alloc_storage([64], 0, u8, "global")`, "object"},
		{`    R.vm.kill_object(conv1_Conv)`, "  vm.kill_object(conv1_Conv)", ""}, // which nothing binds
		{`    R.call_packed("f(, \" #", x, sinfo_args=(R.Tuple,))`, `  call_packed("f(, \" #", x)`, ""},
		{`    cls.fused_add_n12_Conv_n13(x)`, "  cls.fused_add_n12_n13(x)", ""},
		{`    x = y  # noted`, "  x = y  # noted", ""},
		{`    # noted`, "    # noted", ""},
		{`    if c[0] and not d:`, "  if c[0] and not d:", ""},
		{`        return (x, y)`, "    return (x, y)", ""},
		{`        R.output(x)`, "    output(x)", ""},
		{`    conv1_Conv_conv2d = x`, "  conv1_conv2d = x", ""},
		{`    bn1_BatchNormalization_batch_norm_var = x`, "  bn1_var = x", ""},
		{`    fc1_MatMul_matmul = x`, "  fc1_matmul = x", ""},
		{`    Conv_conv_2 = x`, "  conv_2 = x", ""},
		{`    _ = R.add(`, "  _ = add(", ""},
		{`    x: R.Tensor((1, 16),`, "  x: Tensor((1, 16),", ""},
		{`    é_Conv = "\`, `  é = "\`, ""},
		{`    = = :`, "  = = :", ""},
		{``, "", ""},
	} {
		l := compact.Of(function(c.line)).Lines[2]
		if l.Text != c.text || l.Type != c.typ {
			t.Errorf("%s\n is  %q, type %q\nwant %q, type %q", c.line, l.Text, l.Type, c.text, c.typ)
		}
		ordered(t, c.line, l)
	}
}

// ordered checks that the parts of a line cover it and stand for columns in order.
func ordered(t *testing.T, src string, l compact.Line) {
	t.Helper()
	if l.Parts == nil {
		if l.Text != src {
			t.Errorf("%q has no parts and is %q", src, l.Text)
		}
		return
	}
	at, from := 0, 0
	for _, p := range l.Parts {
		if p.At != at || p.End <= p.At || p.From < from || p.To < p.From || p.To > len(src) {
			t.Fatalf("%q, %q: parts %v", src, l.Text, l.Parts)
		}
		at, from = p.End, p.From
	}
	if at != len(l.Text) {
		t.Errorf("%q: the parts of %q end at %d", src, l.Text, at)
	}
}

// TestNames checks that a name is short only while it names one thing, in all texts.
func TestNames(t *testing.T) {
	text := function("    a_Conv = R.add(x, y)", "    a_Relu = R.nn.relu(a_Conv)", "    b_Conv = R.nn.relu(a_Relu)", "    b_1 = cls.b_Conv(b_Conv)")
	want := "@R.function\ndef main():\n  a_Conv = add(x, y)\n  a_Relu = relu(a_Conv)\n  b = relu(a_Relu)\n  b_1 = cls.b(b)"
	if got := compact.Of(text).String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := compact.Of(function("    bn_BatchNormalization_batch_norm_out = x", "    bn_out = y")).Lines[2].Text; got != "  bn_batch_norm_out = x" {
		t.Errorf("beside bn_out, the name is in %q", got)
	}
	both := compact.Views(function("    a_Conv = x"), function("    a_Relu = x"))
	for i, want := range []string{"  a_Conv = x", "  a_Relu = x"} {
		if got := both[i].Lines[2].Text; got != want {
			t.Errorf("beside another, %q is %q", want, got)
		}
	}
	if got := compact.Of(function(`    x = (metadata["relax.expr.Constant"]["abcd01"], metadata["relax.expr.Constant"]["abcd12"], metadata["relax.expr.Constant"]["abe"])`)).Lines[2].Text; got != "  x = (cabcd0, cabcd1, cabe)" {
		t.Errorf("constants are %s", got)
	}
}

// TestPositions carries positions over: what stands in both is found, what is left out leads to what stands before it.
func TestPositions(t *testing.T) {
	src := `    y_Conv: R.Tensor((4,), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"]["4e62e7a2f599"], groups=1, padding=[1, 1, 1, 1])`
	l := compact.Of(function(src)).Lines[2]
	if l.Text != "  y = conv2d(x, c4e6, pad 1)" {
		t.Fatal(l.Text)
	}
	for _, c := range []struct{ text, src string }{{"y =", "y_Conv"}, {"x,", "x,"}, {"c4e6", "metadata"}, {"pad", "padding"}, {"1)", "[1, 1"}, {")", "])"}} {
		at, from := strings.Index(l.Text, c.text), strings.Index(src, c.src)
		if c.text == ")" {
			at, from = len(l.Text)-1, len(src)-1
		}
		if got := l.Source(at); got != from {
			t.Errorf("%q stands for column %d, want %d", c.text, got, from)
		}
		if got := l.Column(from); got != at {
			t.Errorf("%q is shown in column %d, want %d", c.src, got, at)
		}
	}
	if got, want := l.Column(strings.Index(src, "groups")), strings.Index(l.Text, ", pad"); got != want {
		t.Errorf("what is left out is shown in column %d, want %d", got, want)
	}
	if got := l.Column(strings.Index(src, "R.Tensor")); l.Text[got:got+3] != " = " {
		t.Errorf("the type is shown in column %d", got)
	}
	same := compact.Of("x = 1").Lines[0]
	if same.Source(3) != 3 || same.Column(3) != 3 {
		t.Error("a line that is as printed has other columns")
	}
}

// FuzzViews reads any text: each line has a view, and its parts are in order.
func FuzzViews(f *testing.F) {
	f.Add(function("    x: R.Tensor((1,), dtype=\"float32\") = R.add(y, R.const(1, \"int64\"))  # float32[1]", ") -> R.Object:", "@R.function(private=True)"))
	f.Add("  @R.function\n  def f(x: R.Tuple(R.Tensor), \"")
	f.Add(function("    a = R.call_tir(cls.f, (), out_sinfo=[])", "    b = R.match_cast(", "    x.y[0](1)(2) = R.const(-, \"float32\")", "    R.dtype()", "    R.shape([1], [2])", "    metadata[\"relax.expr.Constant\"][]"))
	f.Fuzz(func(t *testing.T, text string) {
		v := compact.Of(text)
		lines := strings.Split(text, "\n")
		if len(v.Lines) != len(lines) {
			t.Fatalf("%d lines, want %d", len(v.Lines), len(lines))
		}
		for i, l := range v.Lines {
			ordered(t, lines[i], l)
			for at := 0; at <= len(l.Text); at += 1 + len(l.Text)/8 {
				if s := l.Source(at); s < 0 || s > len(lines[i]) {
					t.Fatalf("%q: column %d stands for %d", lines[i], at, s)
				}
			}
			for at := 0; at <= len(lines[i]); at += 1 + len(lines[i])/8 {
				if c := l.Column(at); c < 0 || c > len(l.Text) {
					t.Fatalf("%q: column %d is shown at %d", lines[i], at, c)
				}
			}
		}
	})
}
