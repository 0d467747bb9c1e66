package roundtrip_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// readsBack checks that a module reads back from its text and from its JSON.
func readsBack(t *testing.T, what string, m *ir.Module) {
	t.Helper()
	if err := roundtrip.Check(m); err != nil {
		t.Errorf("%s: %v\n%s", what, err, script.Module(m, script.Options{}).Source)
	}
	var b bytes.Buffer
	if err := irjson.Save(&b, m, irjson.Options{}); err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	back, err := irjson.Load(&b, irjson.DefaultLimits())
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if d := ir.FirstModuleMismatch(m, back.(*ir.Module), ir.EqualOpts{MapFreeVars: true}); d != nil {
		t.Errorf("%s: the JSON reads back as another module: %s", what, d)
	}
}

// function is a module of one function that takes buffers.
func function(body tir.Stmt, attrs *ir.Attrs, buffers ...*tir.Buffer) *ir.Module {
	f := &tir.PrimFunc{RetType: ir.VoidType(), Attrs: attrs, Body: body, Buffers: buffers}
	for i := range buffers {
		f.Params = append(f.Params, tir.NewVar(fmt.Sprintf("p%d", i), dtype.HandleT))
	}
	return ir.NewModule().With("f", f)
}

func realize(b *tir.Block) tir.Stmt { return &tir.BlockRealize{Predicate: tir.Bool(true), Block: b} }

// inRoot puts what has blocks in a root block, which the text leaves out.
func inRoot(body tir.Stmt) tir.Stmt { return realize(&tir.Block{Name: "root", Body: body}) }

func loop(v *tir.Var, annotations *ir.Attrs, body tir.Stmt) tir.Stmt {
	return &tir.For{LoopVar: v, Min: tir.Const(v.DType(), 0), Extent: tir.Const(v.DType(), 3), Body: body, Annotations: annotations}
}

// TestOddNumbers prints the ends of integers, infinities, NaNs, zeros of both signs, and numbers that are not normal.
func TestOddNumbers(t *testing.T) {
	both := func(what string, d dtype.DType, c tir.Expr) {
		b := tir.NewBuffer("b", d, []tir.Expr{tir.Int(1)}, "")
		x := tir.Load(b, tir.Int(0))
		var body []tir.Stmt
		for _, v := range []tir.Expr{c, tir.NewBinary(tir.OpSub, c, x), tir.NewBinary(tir.OpMin, x, c), tir.NewBinary(tir.OpMul, c, c)} {
			body = append(body, tir.Store(b, v, tir.Int(0)))
		}
		readsBack(t, what, function(tir.Seq(body...), nil, b))
	}
	for _, name := range []string{"float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn"} {
		for _, v := range []float64{
			0, math.Copysign(0, -1), math.NaN(), math.Copysign(math.NaN(), -1), math.Inf(1), math.Inf(-1), 5e-324, -1e-45, 1e308, 0.1, 1.0 / 3, 1e16, 1e21, 1e22, 9007199254740993,
		} {
			d := dtype.MustParse(name)
			both(fmt.Sprintf("%s %v", name, v), d, &tir.FloatImm{Type: d, Value: v})
		}
	}
	for _, name := range []string{"int4", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"} {
		for _, v := range []int64{0, -1, math.MinInt64, math.MaxInt64, math.MinInt32, 1 << 40} {
			d := dtype.MustParse(name)
			both(fmt.Sprintf("%s %d", name, v), d, tir.Const(d, v))
		}
	}
}

// TestOddStrings puts strings wherever a module has one.
func TestOddStrings(t *testing.T) {
	for _, s := range []string{"", "a\"b", "it's", "a\nb\r\tc", `a\b\n`, "ü€😀\u2028", "\x00\x7f", `"""`, "# no comment", "{x} %s", "T.int32(1)", "None", "inf"} {
		v, text := tir.NewVar("v", dtype.Int32T), &tir.StringImm{Value: s}
		readsBack(t, fmt.Sprintf("%q", s), function(inRoot(tir.Seq(
			&tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: tir.OpCallExtern, Args: []tir.Expr{text, tir.Int32(1)}}},
			&tir.AssertStmt{Cond: tir.Bool(true), Message: text, Body: tir.NoOp()},
			&tir.AttrStmt{Node: text, Key: "k" + s, Value: text, Body: tir.NoOp()},
			loop(v, ir.NewAttrs("k"+s, s), realize(&tir.Block{Name: "b" + s, Body: tir.NoOp(), Annotations: ir.NewAttrs("k"+s, s)})),
		)), ir.NewAttrs("k"+s, s)).WithAttrs(ir.NewAttrs("k"+s, []ir.Value{s})))
	}
}

// TestOddNames gives variables, buffers, and parameters names that Python, or the text, has a use for, and none.
func TestOddNames(t *testing.T) {
	for _, n := range []string{
		"def", "None", "T", "R", "I", "class", "Module", "cls", "range", "print", "lambda", "self", "f", "p0", "match", "type", "in", "for", "min", "inf", "float", "metadata",
		"x y", "ä", "1x", "", "x.y", "x-y", "_", "x\ny", `v"`, "A.data", "b_data",
	} {
		i, let := tir.NewVar(n, dtype.Int32T), tir.NewVar(n, dtype.Int32T)
		b, a := tir.NewBuffer(n, dtype.Float32T, []tir.Expr{tir.Int(8)}, ""), tir.NewBuffer(n, dtype.Float32T, []tir.Expr{tir.Int(8)}, "local")
		body := inRoot(realize(&tir.Block{Name: n, AllocBuffers: []*tir.Buffer{a}, Body: loop(i, nil, tir.Seq(
			tir.Store(a, tir.Load(b, i), i), &tir.LetStmt{Var: let, Value: tir.Int32(1), Body: tir.Store(b, tir.Load(a, let), let)}))}))
		f := &tir.PrimFunc{RetType: ir.VoidType(), Body: body, Params: []*tir.Var{tir.NewVar(n, dtype.HandleT), tir.NewVar(n, dtype.Int64T)}, Buffers: []*tir.Buffer{b, nil}}
		readsBack(t, fmt.Sprintf("%q", n), ir.NewModule().With("f", f).With("g", f))
	}
}

// TestOddBuffers declares buffers of no elements and of one, with offsets, strides, separators of axes, and alignments.
func TestOddBuffers(t *testing.T) {
	for _, shape := range [][]tir.Expr{{}, {tir.Int(0)}, {tir.Int32(0), tir.Int(3)}, {tir.Int32(1 << 30)}, {tir.Int(1 << 40), tir.Int(1)}} {
		for i, change := range []func(b *tir.Buffer){
			func(*tir.Buffer) {},
			func(b *tir.Buffer) { b.OffsetFactor, b.ElemOffset = 16, tir.NewVar("off", dtype.Int32T) },
			func(b *tir.Buffer) { b.OffsetFactor, b.ElemOffset = 7, tir.Int32(7) },
			func(b *tir.Buffer) {
				for range shape {
					b.Strides = append(b.Strides, tir.NewVar("s", dtype.Int64T))
				}
			},
			func(b *tir.Buffer) { b.AxisSeparators = []int{1}[:len(shape)/2] },
			func(b *tir.Buffer) { b.DataAlignment = 128 },
			func(b *tir.Buffer) { b.Kind = tir.BufferAutoBroadcast },
		} {
			for _, scope := range []string{"", "local", "shared.dyn", "global.texture"} {
				b := tir.NewBuffer("b", dtype.Float16T, shape, scope)
				change(b)
				what := fmt.Sprintf("%d extents, change %d, %q", len(shape), i, scope)
				readsBack(t, what, function(tir.NoOp(), nil, b))
			}
		}
	}
}

// TestOddValues gives functions, loops, blocks, and modules attributes of every kind.
func TestOddValues(t *testing.T) {
	for _, v := range []ir.Value{
		nil, true, int64(math.MinInt64), 2.5, 1e16, 1e300, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), "inf", "nan",
		[]ir.Value{int64(1), "x", nil, []ir.Value{}, math.Inf(-1)},
		ir.NewAttrs("b", int64(1), "a", []ir.Value{true, math.NaN()}), ir.NewAttrs(), tir.Int32(4), tir.FloatConst(dtype.Float32T, 0.5), tir.Const(dtype.MustParse("uint64"), -1),
	} {
		at := ir.NewAttrs("k", v)
		body := inRoot(loop(tir.NewVar("v", dtype.Int32T), at, realize(&tir.Block{Name: "b", Body: tir.NoOp(), Annotations: at})))
		readsBack(t, fmt.Sprintf("%T %v", v, v), function(body, at).WithAttrs(at))
	}
}

// TestTextsAsAttributes: a StringImm is not the string that it holds.
func TestTextsAsAttributes(t *testing.T) {
	b := tir.NewBuffer("b", dtype.Float32T, []tir.Expr{tir.Int(1)}, "")
	body := tir.Store(b, tir.Const(dtype.Float32T, 1), tir.Int(0))
	v := tir.NewVar("i", dtype.Int32T)
	for _, value := range []ir.Value{"s", &tir.StringImm{Value: "s"}, []ir.Value{&tir.StringImm{Value: "s"}, "s"}} {
		readsBack(t, "attribute of a function", function(body, ir.NewAttrs("k", value), b))
		readsBack(t, "annotation", function(loop(v, ir.NewAttrs("k", value), body), nil, b))
	}
}

// TestFunctionsNamedLikeWhatTextsUse: functions are reached through their module, so they may have names that variables do not get.
func TestFunctionsNamedLikeWhatTextsUse(t *testing.T) {
	b := tir.NewBuffer("b", dtype.Float32T, []tir.Expr{tir.Int(1)}, "")
	for _, name := range []string{"range", "cls", "metadata"} {
		f := ir.MustLookup[*tir.PrimFunc](function(tir.Store(b, tir.Const(dtype.Float32T, 1), tir.Int(0)), ir.NewAttrs(ir.AttrGlobalSymbol, name), b), "f")
		g := function(&tir.Evaluate{Value: &tir.Call{Type: dtype.Void, Op: ir.NewGlobalVar(name), Args: []tir.Expr{b.Data}}}, nil, b)
		readsBack(t, name, g.With(name, f))
	}
}
