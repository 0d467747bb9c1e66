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

func TestDecomposeOps(t *testing.T) {
	norm := func(axis int64, attrs ...any) func(b *builder) {
		return func(b *builder) {
			x := f32in("x", 1, 4, 5, 4)
			c := func(s uint64) relax.Expr { return weight(s, 4) }
			b.main(vars(x), func() relax.Expr {
				n := op.BatchNorm(x, c(1), c(2), c(3), splat(1.5, 4), axis, 1e-3)
				for i := 0; i < len(attrs); i += 2 {
					n.Attrs = n.Attrs.With(attrs[i].(string), attrs[i+1])
				}
				bn := b.e(n, "bn1")
				return op.Relu(b.e(&relax.TupleGetItem{Tuple: bn, Index: 0}, "y"))
			})
		}
	}
	runGolden(t, transform.DecomposeOps,
		goldenCase{name: "batch_norm", mod: norm(1)},
		goldenCase{name: "last_axis_without_scale_and_center", mod: norm(-1, "scale", false, "center", false)},
		goldenCase{name: "tensor_to_shape", still: true, mod: func(b *builder) {
			x, s := f32in("x", 2, 6), &relax.Var{Name: "s", SInfo: relax.StaticTensor(dtype.Int64T, 2)}
			b.main(vars(x, s), func() relax.Expr {
				shape := b.e(op.Unary("tensor_to_shape", s), "shape")
				return must(op.New("relax.reshape", []relax.Expr{x, shape}, nil))
			})
		}},
		goldenCase{name: "other_function", mod: norm(1), args: ir.NewAttrs("func_name", "elsewhere")},
	)
}

func TestCanonicalizeBindings(t *testing.T) {
	x := f32in("x", 2, 3)
	runGolden(t, transform.CanonicalizeBindings,
		goldenCase{name: "names_of_names", mod: func(b *builder) {
			b.main(vars(x), func() relax.Expr {
				y := b.e(x, "y")
				z := b.e(y, "z")
				return op.Add(z, b.e(op.Relu(y), "r"))
			})
		}},
		goldenCase{name: "output_takes_the_place_of_what_it_names", mod: func(b *builder) {
			b.fn("main", vars(x), true, func() relax.Expr {
				lv := b.e(op.Relu(x), "lv")
				lv2 := b.e(op.Add(lv, lv), "lv2")
				gv, gv2 := b.out(lv, "gv"), b.out(lv, "gv2")
				return &relax.Tuple{Fields: []relax.Expr{gv, gv2, b.out(lv2, "gv3")}}
			})
		}},
		goldenCase{name: "output_of_a_parameter", mod: func(b *builder) {
			b.fn("main", vars(x), true, func() relax.Expr { return b.out(b.e(x, "y"), "gv") })
		}},
		goldenCase{name: "unused_output_becomes_local", mod: func(b *builder) {
			b.fn("main", vars(x), true, func() relax.Expr {
				a := b.out(op.Relu(x), "a")
				same := b.out(a, "same")
				return b.out(op.Add(a, same), "gv")
			})
		}},
		goldenCase{name: "fields_of_a_tuple", mod: func(b *builder) {
			b.main(vars(x), func() relax.Expr {
				r := b.e(op.Relu(x), "r")
				pair := b.e(&relax.Tuple{Fields: []relax.Expr{r, x}}, "pair")
				return op.Add(b.e(&relax.TupleGetItem{Tuple: pair, Index: 0}, "p0"), b.e(&relax.TupleGetItem{Tuple: pair, Index: 1}, "p1"))
			})
		}},
		goldenCase{name: "match_cast_to_what_is_known", mod: func(b *builder) {
			b.main(vars(x), func() relax.Expr { return op.Relu(b.cast(x, f32info(2, 3), "same")) })
		}},
		goldenCase{name: "match_cast_that_says_less", mod: func(b *builder) {
			b.main(vars(x), func() relax.Expr { return op.Relu(b.cast(x, relax.TensorOfRank(dtype.Float32T, 2), "less")) })
		}, still: true},
		goldenCase{name: "symbolic_variables", mod: func(b *builder) {
			n, m := symbol("n"), symbol("m")
			y := f32in("y", n, 4)
			b.main(vars(y), func() relax.Expr {
				z := b.cast(y, f32info(m, 4), "z")
				return op.Add(z, b.e(op.Relu(z), "r"))
			})
		}},
		goldenCase{name: "symbolic_variable_that_is_compared", mod: func(b *builder) {
			n, m := symbol("n"), symbol("m")
			y, w := f32in("y", n, 4), f32in("w", m, 4)
			b.main(vars(y, w), func() relax.Expr { return op.Add(y, b.cast(w, f32info(n, 4), "same")) })
		}},
		goldenCase{name: "branches", mod: func(b *builder) {
			c := boolIn("c")
			b.fn("main", vars(c, x), false, func() relax.Expr {
				y := b.e(x, "y")
				return b.cond(c, "r", func() relax.Expr { return b.e(y, "a") }, func() relax.Expr { return b.e(op.Relu(b.e(y, "p")), "q") })
			})
		}},
	)
}

func TestEliminateCommonSubexpr(t *testing.T) {
	x, y, c := f32in("x", 2, 3), f32in("y", 2, 3), boolIn("c")
	sum := func() relax.Expr { return op.Add(x, y) }
	runGolden(t, transform.EliminateCommonSubexpr,
		goldenCase{name: "calls", mod: func(b *builder) {
			b.main(vars(x, y), func() relax.Expr {
				a, d := b.e(sum(), "a"), b.e(sum(), "d")
				return op.Multiply(b.e(op.Relu(a), "ra"), b.e(op.Relu(d), "rd"))
			})
		}},
		goldenCase{name: "output_names_the_earlier_value", mod: func(b *builder) {
			b.fn("main", vars(x, y), true, func() relax.Expr {
				a := b.e(sum(), "a")
				r := b.out(op.Relu(a), "r")
				return &relax.Tuple{Fields: []relax.Expr{r, b.out(sum(), "gv")}}
			})
		}},
		goldenCase{name: "across_dataflow_blocks", mod: func(b *builder) {
			b.fn("main", vars(x, y), false, func() relax.Expr {
				b.BeginDataflow()
				local := b.e(sum(), "local")
				first := b.out(op.Relu(local), "first")
				b.EndDataflow()
				b.BeginDataflow()
				again := b.e(sum(), "again") // local is not visible here
				second := b.out(op.Relu(b.e(op.Subtract(again, first), "d")), "second")
				third := b.out(op.Relu(b.e(op.Subtract(again, first), "e")), "third")
				b.EndDataflow()
				return &relax.Tuple{Fields: []relax.Expr{first, second, third}}
			})
		}},
		goldenCase{name: "branches", mod: func(b *builder) {
			b.fn("main", vars(c, x, y), false, func() relax.Expr {
				before := b.e(sum(), "before")
				r := b.cond(c, "r", func() relax.Expr {
					b.e(op.Multiply(x, y), "only_here")
					return b.e(sum(), "t")
				}, func() relax.Expr { return b.e(op.Multiply(x, y), "e") })
				return b.e(op.Add(b.e(op.Add(before, r), "f"), b.e(op.Multiply(x, y), "after")), "g")
			})
		}},
		goldenCase{name: "tuples", mod: func(b *builder) {
			pair := func() relax.Expr { return &relax.Tuple{Fields: []relax.Expr{x, y}} }
			b.main(vars(x, y), func() relax.Expr {
				p, q := b.e(pair(), "p"), b.e(pair(), "q")
				return op.Add(b.e(&relax.TupleGetItem{Tuple: p, Index: 0}, "p0"), b.e(&relax.TupleGetItem{Tuple: q, Index: 0}, "q0"))
			})
		}},
		goldenCase{name: "call_only", args: ir.NewAttrs("call_only", true), mod: func(b *builder) {
			b.main(vars(x, y), func() relax.Expr {
				b.e(sum(), "a")
				p, q := b.e(&relax.Tuple{Fields: []relax.Expr{x, y}}, "p"), b.e(&relax.Tuple{Fields: []relax.Expr{x, y}}, "q")
				return op.Add(b.e(&relax.TupleGetItem{Tuple: p, Index: 0}, "p0"), b.e(&relax.TupleGetItem{Tuple: q, Index: 1}, "q1"))
			})
		}},
		goldenCase{name: "allocations_stay_apart", still: true, mod: func(b *builder) {
			b.fn("main", vars(x), false, func() relax.Expr {
				alloc := func() relax.Expr {
					return op.AllocTensor(&relax.ShapeExpr{Values: extents(2)}, dtype.Float32T, 0, "global")
				}
				return &relax.Tuple{Fields: []relax.Expr{b.e(alloc(), "a"), b.e(alloc(), "d")}}
			})
		}},
	)
}

func TestDeadCodeElimination(t *testing.T) {
	x, c := f32in("x", 2, 3), boolIn("c")
	runGolden(t, transform.DeadCodeElimination,
		goldenCase{name: "unused_bindings", mod: func(b *builder) {
			b.main(vars(x), func() relax.Expr {
				dead := b.e(op.Relu(x), "dead")
				b.e(op.Add(dead, dead), "deader")
				b.out(op.Add(x, x), "unused_output")
				return op.Multiply(x, x)
			})
		}},
		goldenCase{name: "branches", mod: func(b *builder) {
			b.fn("main", vars(c, x), false, func() relax.Expr {
				kept := b.e(op.Relu(x), "kept")
				b.cond(c, "unused", func() relax.Expr { return b.e(op.Relu(kept), "u") }, func() relax.Expr { return x })
				return b.cond(c, "r", func() relax.Expr {
					b.e(op.Add(x, x), "dead")
					return b.e(op.Add(kept, x), "live")
				}, func() relax.Expr { return x })
			})
		}},
		goldenCase{name: "unreachable_functions", mod: func(b *builder) {
			private := func(name string, f func(p *relax.Var) relax.Expr) *ir.GlobalVar {
				p := f32in("p", 2, 3)
				b.BeginFunction(name, vars(p), relax.FuncOpts{Private: true})
				return must(b.EndFunction(b.e(f(p), "q")))
			}
			inner := private("inner", func(p *relax.Var) relax.Expr { return op.Relu(p) })
			called := private("called", func(p *relax.Var) relax.Expr { return &relax.Call{Op: inner, Args: []relax.Expr{p}} })
			private("lonely", func(p *relax.Var) relax.Expr { return op.Relu(p) })
			b.fn("main", vars(x), false, func() relax.Expr { return b.e(&relax.Call{Op: called, Args: []relax.Expr{x}}, "y") })
		}},
		goldenCase{name: "match_cast_that_defines", mod: func(b *builder) {
			n := symbol("n")
			b.fn("main", vars(x), false, func() relax.Expr {
				less := b.e(relax.Expr(b.cast(x, relax.TensorOfRank(dtype.Float32T, 2), "less")), "less2")
				b.cast(less, f32info(n, 3), "defines")
				b.cast(less, f32info(symbol("m"), 3), "defines_nothing_used")
				return b.e(op.Zeros(&relax.ShapeExpr{Values: []tir.Expr{n}}, dtype.Float32T), "z")
			})
		}, still: true},
	)
	b := newBuilder()
	b.main(vars(x), func() relax.Expr { return op.Relu(x) })
	p, err := transform.DeadCodeElimination.With(ir.NewAttrs("entry_functions", []string{"nope"}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := passtest.NewContext().Run(p, b.module()); err == nil {
		t.Error("an entry function that does not exist removed the whole module")
	}
}

func TestFoldConstant(t *testing.T) {
	x := f32in("x", 4, 3)
	level0 := []pass.ContextOption{pass.WithEvaluator(nil)}
	small := func(b *builder) {
		b.main(vars(x), func() relax.Expr {
			w := b.e(op.PermuteDims(weight(1, 3, 4), 1, 0), "w")
			return op.Add(x, b.e(op.Multiply(w, w), "ww"))
		})
	}
	runGolden(t, transform.FoldConstant,
		goldenCase{name: "chain", mod: small},
		goldenCase{name: "no_evaluator", mod: small, opts: level0},
		goldenCase{name: "splat", mod: func(b *builder) {
			b.main(vars(x), func() relax.Expr {
				s := b.e(op.Multiply(splat(2, 4, 3), splat(3, 3)), "s")
				return op.Add(x, b.e(op.PermuteDims(b.e(op.PermuteDims(s, 1, 0), "st"), 1, 0), "stt"))
			})
		}},
		goldenCase{name: "splat_of_any_size", still: true, mod: func(b *builder) {
			y := f32in("y", 1)
			b.main(vars(y), func() relax.Expr {
				big := b.e(op.Add(splat(2, 4096, 4096), splat(3, 4096, 4096)), "big")
				return op.Add(y, b.e(op.StridedSlice(big, []int64{0, 1}, extents(0, 0), extents(1, 1), extents(1, 1)), "corner"))
			})
		}},
		goldenCase{name: "over_budget", still: true, mod: func(b *builder) {
			y := f32in("y", 2048, 1024)
			b.main(vars(y), func() relax.Expr { return op.Add(y, b.e(op.Relu(weight(1, 2048, 1024)), "big")) })
		}},
		goldenCase{name: "reduction_over_budget", still: true, mod: func(b *builder) {
			y := f32in("y", 512, 512)
			b.main(vars(y), func() relax.Expr {
				return op.Add(y, b.e(op.Matmul(weight(1, 512, 512), weight(2, 512, 512), dtype.Void), "product"))
			})
		}},
		goldenCase{name: "padding_is_not_uniform", mod: func(b *builder) {
			y := f32in("y", 6)
			b.main(vars(y), func() relax.Expr { return op.Add(y, b.e(op.Pad(splat(2, 4), []int64{1, 1}, "constant", 0), "p")) })
		}},
	)
}
