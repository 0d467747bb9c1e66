package transform_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/dtype"
)

// chain has three kernels that cannot be fused and whose tensors have equal sizes.
func chain(b *builder) {
	x := f32in("x", 2, 8)
	b.main(vars(x), func() relax.Expr {
		a := b.e(op.Softmax(x, -1), "a")
		c := b.e(op.Softmax(a, 0), "c")
		d := b.e(op.Softmax(c, -1), "d")
		return op.Softmax(d, 0)
	})
}

// views reshapes a value twice, and uses it again after its views.
func views(b *builder) {
	x := f32in("x", 2, 8)
	b.main(vars(x), func() relax.Expr {
		a := b.e(op.Softmax(x, -1), "a")
		v := b.e(op.Reshape(a, extents(4, 4)...), "v")
		w := b.e(op.Reshape(v, extents(16)...), "w")
		s := b.e(op.Softmax(v, -1), "s")
		r := b.e(op.Reshape(s, extents(16)...), "r")
		return op.Softmax(b.e(op.Add(w, r), "sum"), 0)
	})
}

func branches(b *builder) {
	c, x := boolIn("c"), f32in("x", 2, 8)
	b.fn("main", vars(c, x), false, func() relax.Expr {
		a := b.e(op.Softmax(x, -1), "a")
		r := b.cond(c, "r", func() relax.Expr {
			p := b.e(op.Softmax(a, 0), "p")
			return b.e(op.Softmax(p, -1), "q")
		}, func() relax.Expr { return a })
		s := b.e(op.Softmax(r, 0), "s")
		return b.e(op.Softmax(s, -1), "t")
	})
}

func tuples(b *builder) {
	x := f32in("x", 2, 8)
	b.main(vars(x), func() relax.Expr {
		parts := b.e(must(op.New("relax.split", []relax.Expr{x}, ir.NewAttrs("indices_or_sections", 2, "axis", 1))), "parts")
		l := b.e(&relax.TupleGetItem{Tuple: parts, Index: 0}, "l")
		r := b.e(&relax.TupleGetItem{Tuple: parts, Index: 1}, "r")
		return op.Add(b.e(op.Softmax(l, -1), "sl"), b.e(op.Softmax(r, -1), "sr"))
	})
}

// dynamic has a symbolic batch, an extent computed from it, a match_cast, and a kernel that
// needs a symbolic variable beside its tensors.
func dynamic(b *builder) {
	n, m := symbol("n"), symbol("m")
	x := f32in("x", n, 4)
	y := f32in("y", tir.Mul(n, tir.Int(2)), 4)
	b.main(vars(x, y), func() relax.Expr {
		both := b.e(op.Concat(0, x, x), "both")
		sum := b.e(op.Add(both, y), "sum")
		cast := b.cast(sum, f32info(m, 4), "cast")
		flat := b.e(op.Reshape(cast, tir.Mul(m, tir.Int(4))), "flat")
		soft := b.e(op.Softmax(flat, 0), "soft")
		// The extent of soft does not tell the kernel where to stop.
		return op.StridedSlice(soft, []int64{0}, extents(0), []tir.Expr{m}, extents(1))
	})
}

func TestRewriteDataflowReshape(t *testing.T) {
	runGolden(t, transform.RewriteDataflowReshape,
		goldenCase{name: "views", mod: views},
		goldenCase{name: "output_keeps_its_memory", mod: func(b *builder) {
			x := f32in("x", 2, 8)
			b.main(vars(x), func() relax.Expr { return op.Reshape(x, extents(16)...) })
		}},
		goldenCase{name: "other_kernels", mod: func(b *builder) {
			x := f32in("x", 2, 8)
			b.main(vars(x), func() relax.Expr {
				tr := b.e(op.PermuteDims(x, 1, 0), "tr")
				half := b.e(op.StridedSlice(tr, []int64{0}, extents(0), extents(4), extents(1)), "half")
				return op.Softmax(half, -1)
			})
		}},
		goldenCase{name: "symbolic", mod: func(b *builder) {
			x := f32in("x", symbol("n"), 8)
			b.main(vars(x), func() relax.Expr {
				return op.Softmax(b.e(op.ExpandDims(b.e(op.Softmax(x, -1), "a"), 1), "view"), -1)
			})
		}},
	)
}

func TestToNonDataflow(t *testing.T) {
	runGolden(t, transform.ToNonDataflow, goldenCase{name: "chain", mod: chain}, goldenCase{name: "branches", mod: branches})
}

func TestRemovePurityChecking(t *testing.T) {
	runGolden(t, transform.RemovePurityChecking,
		goldenCase{name: "chain", mod: chain},
		goldenCase{name: "call_pure_packed", mod: func(b *builder) {
			x, s := f32in("x", 2, 6), &relax.Var{Name: "s", SInfo: relax.StaticTensor(dtype.Int64T, 2)}
			b.fn("main", vars(x, s), false, func() relax.Expr {
				raw := &relax.ShapeStructInfo{NDim: 2}
				call := must(op.New("relax.call_pure_packed", []relax.Expr{&relax.ExternFunc{Symbol: "vm.builtin.tensor_to_shape"}, s}, nil))
				call.SInfoArgs = []relax.StructInfo{raw}
				return b.e(call, "shape")
			})
		}, still: true},
	)
}

func TestCallTIRRewrite(t *testing.T) {
	runGolden(t, transform.CallTIRRewrite,
		goldenCase{name: "chain", mod: chain},
		goldenCase{name: "tuples", mod: tuples},
		goldenCase{name: "branches", mod: branches},
		goldenCase{name: "dynamic", mod: dynamic},
	)
	b := newBuilder()
	chain(b)
	m := prefix(t, b.module(), tunedLegalizeOps, transform.ToNonDataflow, nil)
	if _, err := passtest.NewContext().Run(transform.CallTIRRewrite, m); err == nil {
		t.Error("kernels in a dataflow block were rewritten")
	}
}

func TestStaticPlanBlockMemory(t *testing.T) {
	bounded := func(b *builder) {
		x := f32in("x", symbol("n"), 8)
		b.BeginFunction("main", vars(x), relax.FuncOpts{Attrs: ir.NewAttrs("tir_var_upper_bound", ir.NewAttrs("n", 16))})
		b.BeginDataflow()
		out := b.out(op.Softmax(b.e(op.Softmax(b.e(op.Softmax(x, -1), "a"), 0), "c"), -1), "out")
		b.EndDataflow()
		must(b.EndFunction(out))
	}
	runGolden(t, transform.StaticPlanBlockMemory,
		goldenCase{name: "chain", mod: chain},
		goldenCase{name: "views_keep_memory_alive", mod: views},
		goldenCase{name: "branches", mod: branches},
		goldenCase{name: "tuples", mod: tuples},
		goldenCase{name: "upper_bound", mod: bounded},
		goldenCase{name: "dynamic_is_left", mod: dynamic},
		goldenCase{name: "not_rewritten", mod: chain, skip: []*pass.Pass{transform.CallTIRRewrite}},
	)
}

func TestLowerAllocTensor(t *testing.T) {
	runGolden(t, transform.LowerAllocTensor, goldenCase{name: "chain", mod: chain}, goldenCase{name: "dynamic", mod: dynamic})
}

func TestKillAfterLastUse(t *testing.T) {
	runGolden(t, transform.KillAfterLastUse,
		goldenCase{name: "chain", mod: chain},
		goldenCase{name: "views", mod: views},
		goldenCase{name: "branches", mod: branches},
		goldenCase{name: "tuples", mod: tuples},
		goldenCase{name: "dynamic", mod: dynamic},
		goldenCase{name: "aliases", mod: func(b *builder) {
			x := f32in("x", 2, 8)
			b.fn("main", vars(x), false, func() relax.Expr {
				a := b.e(op.Softmax(x, -1), "a")
				alias := b.e(a, "alias")
				c := b.e(op.Softmax(a, 0), "c")
				return b.e(op.Add(c, alias), "out")
			})
		}},
	)
}

func TestLowerRuntimeBuiltin(t *testing.T) {
	runGolden(t, transform.LowerRuntimeBuiltin, goldenCase{name: "views", mod: views}, goldenCase{name: "branches", mod: branches})
}

func TestComputePrimValue(t *testing.T) {
	runGolden(t, transform.ComputePrimValue,
		goldenCase{name: "dynamic", mod: dynamic},
		goldenCase{name: "scalar_result", still: true, mod: func(b *builder) {
			n := symbol("n")
			x := f32in("x", n, 8)
			b.fn("main", vars(x), false, func() relax.Expr {
				return b.e(&relax.PrimValue{Value: tir.Add(tir.Mul(n, n), tir.Int(1))}, "size")
			})
		}},
	)
}

func TestVMShapeLower(t *testing.T) {
	runGolden(t, transform.VMShapeLower,
		goldenCase{name: "static", mod: chain},
		goldenCase{name: "dynamic", mod: dynamic},
		goldenCase{name: "without_error_context", mod: dynamic, args: ir.NewAttrs("emit_err_ctx", false)},
		goldenCase{name: "match_cast_in_branches", mod: func(b *builder) {
			c, x := boolIn("c"), f32in("x", symbol("n"), 4)
			b.fn("main", vars(c, x), false, func() relax.Expr {
				less := b.e(relax.Expr(b.cast(x, relax.TensorOfRank(dtype.Float32T, 2), "less")), "less2")
				return b.cond(c, "r", func() relax.Expr {
					m := symbol("m")
					t := b.cast(less, f32info(m, 4), "t")
					return b.e(op.Add(t, t), "tt")
				}, func() relax.Expr {
					k := symbol("k")
					e := b.cast(less, f32info(k, 4), "e")
					return b.e(op.Multiply(e, e), "ee")
				})
			})
		}},
	)
}

func TestAttachGlobalSymbol(t *testing.T) {
	runGolden(t, transform.AttachGlobalSymbol, goldenCase{name: "chain", mod: chain})
	b := newBuilder()
	chain(b)
	m := prefix(t, b.module(), tunedLegalizeOps, transform.AttachGlobalSymbol, nil)
	out := runPass(t, passtest.NewContext(), transform.AttachGlobalSymbol, m.WithAttrs(ir.NewAttrs("system_lib_prefix", "lib_")))
	if s := ir.GlobalSymbol(out.Lookup("lib_softmax")); s != "lib_softmax" {
		t.Errorf("symbol %q", s)
	}
}
