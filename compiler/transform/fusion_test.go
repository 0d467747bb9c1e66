package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/dtype"
)

// convNet is two equal layers conv2d + bias + relu and a pooling.
func convNet(b *builder) {
	x := f32in("x", 1, 4, 6, 6)
	b.main(vars(x), func() relax.Expr {
		cur := relax.Expr(x)
		for i, name := range []string{"fire2_squeeze1x1", "fire3_squeeze1x1"} {
			w, bias := weight(uint64(10+i), 4, 4, 3, 3), weight(uint64(20+i), 4, 1, 1)
			c := b.e(op.Conv2D(cur, w, op.Conv2DAttrs{Padding: []int64{1}}), name)
			cur = b.e(op.Relu(b.e(op.Add(c, bias), name+"_bias")), name+"_relu")
		}
		return op.MaxPool2D(cur, op.Pool2DAttrs{PoolSize: []int64{2, 2}, Strides: []int64{2, 2}})
	})
}

// diamond joins two elementwise branches again.
func diamond(b *builder) {
	x := f32in("x", 2, 3)
	b.main(vars(x), func() relax.Expr {
		a := b.e(op.Relu(x), "start")
		l, r := b.e(op.Unary("negative", a), "left"), b.e(op.Multiply(a, a), "right")
		return op.Add(l, r)
	})
}

// squeezeExcite scales a large tensor by a small computed one.
func squeezeExcite(b *builder) {
	x := f32in("x", 1, 4, 5, 5)
	b.main(vars(x), func() relax.Expr {
		mean := b.e(op.Reduce("mean", x, []int64{2, 3}, true), "mean")
		gate := b.e(op.Conv2D(mean, weight(1, 4, 4, 1, 1), op.Conv2DAttrs{}), "gate")
		return op.Multiply(x, b.e(op.Unary("sigmoid", gate), "sigmoid"))
	})
}

func symbolicMLP(b *builder) {
	n := symbol("n")
	x := f32in("x", n, 8)
	b.main(vars(x), func() relax.Expr {
		h := b.e(op.Relu(b.e(op.Add(b.e(op.Matmul(x, weight(1, 8, 4), dtype.Void), "fc1"), weight(2, 4)), "fc1_bias")), "fc1_relu")
		return op.Softmax(b.e(op.Add(h, h), "twice"), -1)
	})
}

func scalars(b *builder) {
	x := f32in("x", 2, 3)
	b.main(vars(x), func() relax.Expr {
		return op.Relu(b.e(op.Subtract(b.e(op.Divide(x, scalar(255)), "scaled"), scalar(0.5)), "shifted"))
	})
}

func TestAnnotateTIROpPattern(t *testing.T) {
	runGolden(t, transform.AnnotateTIROpPattern, goldenCase{name: "layers", mod: func(b *builder) {
		x, v := f32in("x", 1, 4, 6, 6), f32in("v", 6, 6)
		b.main(vars(x, v), func() relax.Expr {
			c := b.e(op.Conv2D(x, weight(1, 4, 4, 3, 3), op.Conv2DAttrs{Padding: []int64{1}}), "conv")
			a := b.e(op.Add(c, weight(2, 4, 1, 1)), "bias")
			p := b.e(op.MaxPool2D(b.e(op.Relu(a), "relu"), op.Pool2DAttrs{PoolSize: []int64{2, 2}}), "pool")
			s := b.e(op.Reduce("sum", p, []int64{2}, false), "sum")
			tr := b.e(op.PermuteDims(s, 0, 2, 1), "transposed")
			sm := b.e(op.Softmax(tr, -1), "softmax")
			cat := b.e(op.Concat(2, sm, sm), "concat")
			m := b.e(op.Matmul(v, v, dtype.Void), "matmul")
			outer := b.e(op.Add(b.e(op.Reduce("max", m, []int64{1}, true), "m1"), b.e(op.Reduce("max", m, []int64{0}, true), "m2")), "outer")
			return &relax.Tuple{Fields: []relax.Expr{cat, outer}}
		})
	}})
}

func TestFuseOps(t *testing.T) {
	level := func(n int) []pass.ContextOption { return []pass.ContextOption{pass.OptLevel(n)} }
	runGolden(t, transform.FuseOps,
		goldenCase{name: "conv2d_add_relu", mod: convNet},
		goldenCase{name: "diamond", mod: diamond},
		goldenCase{name: "broadcast_of_a_small_tensor", mod: squeezeExcite},
		goldenCase{name: "symbolic", mod: symbolicMLP},
		goldenCase{name: "scalars", mod: scalars},
		goldenCase{name: "level_0", mod: diamond, opts: level(0)},
		goldenCase{name: "fuse_opt_level_0", mod: diamond, args: ir.NewAttrs("fuse_opt_level", 0)},
		goldenCase{name: "max_depth", mod: diamond, opts: []pass.ContextOption{pass.Configure(map[string]any{"relax.FuseOps.max_depth": 2})}},
		goldenCase{name: "value_seen_outside", mod: func(b *builder) {
			x := f32in("x", 2, 3)
			b.fn("main", vars(x), true, func() relax.Expr {
				a := b.out(op.Relu(x), "a")
				return &relax.Tuple{Fields: []relax.Expr{a, b.out(op.Add(a, a), "gv")}}
			})
		}},
		goldenCase{name: "value_in_a_tuple", mod: func(b *builder) {
			x := f32in("x", 2, 3)
			b.main(vars(x), func() relax.Expr {
				a := b.e(op.Relu(x), "a")
				pair := b.e(&relax.Tuple{Fields: []relax.Expr{a, x}}, "pair")
				return op.Add(b.e(op.Add(a, a), "s"), b.e(&relax.TupleGetItem{Tuple: pair, Index: 1}, "p1"))
			})
		}},
		goldenCase{name: "not_legalized", still: true, mod: diamond, skip: []*pass.Pass{tunedLegalizeOps}},
		goldenCase{name: "not_annotated", mod: diamond, skip: []*pass.Pass{transform.AnnotateTIROpPattern}},
	)
}

func TestFuseTIR(t *testing.T) {
	runGolden(t, transform.FuseTIR,
		goldenCase{name: "conv2d_add_relu", mod: convNet},
		goldenCase{name: "diamond", mod: diamond},
		goldenCase{name: "symbolic", mod: symbolicMLP},
		goldenCase{name: "scalars", mod: scalars},
		goldenCase{name: "not_fused", mod: diamond, skip: []*pass.Pass{transform.AnnotateTIROpPattern, transform.FuseOps}},
	)
}

// TestScalarConstantsAreInlined gives FuseTIR a kernel that takes a scalar as a buffer, which
// LegalizeOps does not make.
func TestScalarConstantsAreInlined(t *testing.T) {
	b := newBuilder()
	x, s := f32in("x", 2, 3), f32in("s")
	b.fn("main", vars(x, s), true, func() relax.Expr { return b.out(op.Relu(b.e(op.Multiply(x, s), "m")), "gv") })
	m := prefix(t, b.module(), tunedLegalizeOps, transform.FuseOps, nil)
	f := ir.MustLookup[*relax.Function](m, "main")
	bound, err := relax.BindParams(f, map[*relax.Var]relax.Expr{f.Params[1]: scalar(2)}, &relax.InferContext{})
	if err != nil {
		t.Fatal(err)
	}
	m = m.With("main", bound)
	want := outputs(t, m, 1, true)
	out, _ := check(t, passtest.NewContext(), transform.FuseTIR, runPass(t, passtest.NewContext(), transform.FuseOps, m))
	sameOutputs(t, want, outputs(t, out, 1, true))
	if text := script.Module(out, script.Options{}).Source; !strings.Contains(text, "* T.float32(2.0)") || strings.Contains(text, "const") {
		t.Errorf("the scalar is not part of the kernel:\n%s", text)
	}
}

// TestFusedKernelsAreSharedAndNamed checks names and origins of kernels that layers share.
func TestFusedKernelsAreSharedAndNamed(t *testing.T) {
	b := newBuilder()
	convNet(b)
	m := b.module()
	f := ir.MustLookup[*relax.Function](m, "main")
	layers := &relax.Mapper{}
	layers.Block = func(blk *relax.BindingBlock) *relax.BindingBlock {
		out := *blk
		out.Bindings = nil
		for _, x := range blk.Bindings {
			vb := *x.(*relax.VarBinding)
			vb.Origin = m.Origins().Add(ir.Origin{Pass: "import", Name: vb.Var.Name})
			out.Bindings = append(out.Bindings, &vb)
		}
		return &out
	}
	m = m.With("main", layers.MapFunction(f))
	out := runPass(t, passtest.NewContext(), transform.FuseTIR, prefix(t, m, tunedLegalizeOps, transform.FuseTIR, nil))
	const name = "fused_conv2d_add_relu_fire2_squeeze1x1"
	k, ok := out.Lookup(name).(*tir.PrimFunc)
	if !ok {
		t.Fatalf("no kernel %s: %v", name, kernels(out))
	}
	if len(kernels(out)) != 2 {
		t.Errorf("the layers do not share a kernel: %v", kernels(out))
	}
	var got []string
	for _, o := range out.Origins().Sources(k.Origin) {
		got = append(got, o.Name)
	}
	for _, want := range []string{"fire2_squeeze1x1", "fire2_squeeze1x1_relu", "fire3_squeeze1x1", "fire3_squeeze1x1_relu"} {
		if !strings.Contains(strings.Join(got, " ")+" ", want+" ") {
			t.Errorf("the origins %v lack %s", got, want)
		}
	}
}
