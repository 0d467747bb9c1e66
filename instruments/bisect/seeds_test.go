package bisect_test

import (
	"errors"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/fault"
	"github.com/irscope/irscope/runtime/dtype"
)

// seeds are the miscompiles, of graph and loop level.
var seeds = []seeded{
	{"CanonicalizeBindings", calls("SwapSubtract", "relax.subtract", swapped), "wrong", "main", 1, fault.HowApplied, 12},
	{"CanonicalizeBindings", calls("SwapMatmul", "relax.matmul", swapped), "wrong", "main", 1, fault.HowOnly, 12},
	{"DecomposeOps", calls("DropRelu", "relax.nn.relu", argument(0)), "wrong", "main", 1, fault.HowOnly, 12},
	{"EliminateCommonSubexpr", calls("DropTranspose", "relax.permute_dims", argument(0)), "wrong", "main", 1, fault.HowOnly, 12},
	{"DeadCodeElimination", calls("MaximumIsFirst", "relax.maximum", argument(0)), "wrong", "main", 1, fault.HowOnly, 12},
	{"CanonicalizeBindings", calls("OtherAxis", "relax.nn.softmax", func(_ *relax.ExprMutator, c *relax.Call) relax.Expr { return c.WithAttrs(c.Attrs.With("axis", 0)) }), "wrong", "main", 1, fault.HowOnly, 12},
	{"CanonicalizeBindings", calls("MultiplyIsAdd", "relax.multiply", func(_ *relax.ExprMutator, c *relax.Call) relax.Expr { return op.Add(c.Args[0], c.Args[1]) }), "wrong", "gate", 1, fault.HowOnly, 12},
	{"DeadCodeElimination", calls("TanhIsSigmoid", "relax.tanh", func(_ *relax.ExprMutator, c *relax.Call) relax.Expr { return op.Unary("sigmoid", c.Args[0]) }), "wrong", "main", 1, fault.HowOnly, 12},

	{"LegalizeOps", loops("ShortLoop", "matmul", extent(func(n int64) int64 { return n - 1 }), nil), "wrong", "matmul", 1, fault.HowApplied, 12},
	{"LegalizeOps", loops("MaxIsMin", "maximum", nil, binary(tir.OpMax, tir.OpMin)), "wrong", "maximum", 1, fault.HowOnly, 12},
	{"AnnotateTIROpPattern", loops("WrongInit", "sum", inBlocks(func(b *tir.Block) tir.Stmt {
		if s, ok := b.Init.(*tir.BufferStore); ok {
			return b.WithInit(s.WithValue(float(1)))
		}
		return b
	}), nil), "wrong", "sum", 1, fault.HowOnly, 12},
	{"AnnotateTIROpPattern", loops("FirstColumn", "relu", nil, func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.BufferLoad); ok && len(l.Indices) == 2 {
			return l.WithIndices([]tir.Expr{l.Indices[0], tir.Const(l.Indices[1].DType(), 0)})
		}
		return e
	}), "wrong", "relu", 1, fault.HowOnly, 12},
	{"FuseTIR", loops("OffByOne", "tanh", store(func(s *tir.BufferStore) tir.Stmt { return s.WithValue(tir.Add(s.Value, float(1))) }), nil), "wrong", "tanh", 0, "", 16},
	{"tir.LowerInitBlock", loops("SubIsAdd", "subtract", nil, binary(tir.OpSub, tir.OpAdd)), "wrong", "subtract", 0, "", 16},
	{"tir.FlattenBuffer", loops("StoreNothing", "transpose", store(func(*tir.BufferStore) tir.Stmt { return tir.NoOp() }), nil), "wrong", "transpose", 0, "", 12},
	{"tir.Simplify", loops("Halve", "divide", nil, func(e tir.Expr) tir.Expr {
		if f, ok := e.(*tir.FloatImm); ok && f.Value == 2 {
			return float(4)
		}
		return e
	}), "wrong", "divide", 1, fault.HowOnly, 12},

	{"CanonicalizeBindings", calls("PanicsAtSoftmax", "relax.nn.softmax", func(*relax.ExprMutator, *relax.Call) relax.Expr { panic("no rule for softmax") }), "crash", "main", 0, fault.HowNone, 12},
	{"AnnotateTIROpPattern", &pass.Pass{Name: "FailsAtSum", Kind: pass.PrimFunc, Foreign: true, Doc: "Wrong.", Run: pass.EachPrimFunc(func(_ *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if strings.HasPrefix(gv.Name, "sum") {
			return nil, errors.New("a reduction of rank 2 to 1")
		}
		return f, nil
	})}, "crash", "sum", 0, fault.HowNone, 12},
	{"tir.ConvertBlocksToOpaque", loops("IndexPanics", "exp", store(func(s *tir.BufferStore) tir.Stmt { return s.WithValue(s.Indices[len(s.Indices)+2]) }), nil), "crash=index out of range", "exp", 0, "", 16},

	{"DeadCodeElimination", &pass.Pass{Name: "LosesBinding", Kind: pass.Function, Foreign: true, Doc: "Wrong.", Run: pass.EachRelax(func(_ *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		m := &relax.Mapper{}
		m.Block = func(b *relax.BindingBlock) *relax.BindingBlock {
			return b.WithBindings(slices.DeleteFunc(slices.Clone(b.Bindings), func(x relax.Binding) bool {
				c, ok := x.BoundValue().(*relax.Call)
				if !ok {
					return false
				}
				_, ok = op.Is(c, "relax.tanh")
				return ok
			}))
		}
		return m.MapFunction(f), nil
	})}, "invalid", "main", 0, fault.HowNone, 12},
	{"CanonicalizeBindings", &pass.Pass{Name: "WrongType", Kind: pass.Function, Foreign: true, Doc: "Wrong.", Run: pass.EachRelax(func(_ *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		m := &relax.Mapper{}
		m.Expr = func(e relax.Expr) relax.Expr {
			if c, ok := e.(*relax.Call); ok {
				if _, ok := op.Is(c, "relax.sum"); ok {
					return c.WithSInfo(relax.StaticTensor(dtype.Float32T, 7))
				}
			}
			return m.MapExpr(e)
		}
		return m.MapFunction(f), nil
	})}, "invalid", "main", 0, fault.HowNone, 12},
	{"LegalizeOps", loops("FreeLoopVar", "exp", func(s tir.Stmt) tir.Stmt {
		if f, ok := s.(*tir.For); ok {
			return f.Body
		}
		return s
	}, nil), "invalid", "exp", 0, "", 12},
	{"tir.LowerInitBlock", loops("FewerIndices", "maximum", store(func(s *tir.BufferStore) tir.Stmt { return s.WithIndices(s.Indices[:1]) }), nil), "invalid", "maximum", 0, "", 16},

	{"CanonicalizeBindings", calls("BringsPower", "relax.exp", func(mu *relax.ExprMutator, c *relax.Call) relax.Expr {
		return op.Add(mu.Emit(op.Multiply(c.Args[0], c.Args[0]), "squared"), c.Args[0])
	}), "contains=squared", "main", 1, fault.HowOnly, 12},
	{"AnnotateTIROpPattern", loops("LosesConstant", "add", nil, func(e tir.Expr) tir.Expr {
		if f, ok := e.(*tir.FloatImm); ok && f.Value == -1.25 {
			return float(1)
		}
		return e
	}), `lacks=-1\.25`, "add", 1, fault.HowOnly, 12},
	{"LegalizeOps", loops("Repeats", "exp", func(s tir.Stmt) tir.Stmt {
		if f, ok := s.(*tir.For); ok && f.Kind == tir.Serial {
			if _, inner := f.Body.(*tir.For); inner {
				return &tir.For{LoopVar: tir.NewVar("again", dtype.Int64T), Min: tir.Int(0), Extent: tir.Int(1000), Body: s}
			}
		}
		return s
	}, nil), "slower=3x", "exp", 0, "", 12},
	{"DeadCodeElimination", calls("AddsWork", "relax.tanh", func(mu *relax.ExprMutator, c *relax.Call) relax.Expr {
		x := c.Args[0]
		for range 50 {
			x = mu.Emit(op.Unary("exp", x), "")
		}
		return op.Unary("tanh", x)
	}), "slower=1.2x", "main", 1, fault.HowOnly, 12},
}
