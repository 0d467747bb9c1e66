package interp

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

func shape(ns ...int64) []tir.Expr {
	out := make([]tir.Expr, len(ns))
	for k, n := range ns {
		out[k] = tir.Int(n)
	}
	return out
}

// buffered returns a function whose parameters are the buffers.
func buffered(body tir.Stmt, bufs ...*tir.Buffer) *tir.PrimFunc {
	f := &tir.PrimFunc{Body: body, Buffers: bufs, RetType: ir.VoidType()}
	for _, b := range bufs {
		f.Params = append(f.Params, &tir.Var{Name: b.Name + "_h", Type: &ir.PrimType{DType: dtype.HandleT}})
	}
	return f
}

func mustRun(t *testing.T, fn *tir.PrimFunc, args ...any) {
	t.Helper()
	if err := Run(context.Background(), fn, args, nil); err != nil {
		t.Fatal(err)
	}
}

func floats(t *testing.T, got *tensor.Tensor, want ...float64) {
	t.Helper()
	for k, x := range got.Floats() {
		if x != want[k] && !(x != x && want[k] != want[k]) {
			t.Fatalf("got %v, want %v", got.Floats(), want)
		}
	}
}

// evalOne stores e into a one-element buffer and returns it.
func evalOne(t *testing.T, e tir.Expr) *tensor.Tensor {
	t.Helper()
	d := e.DType()
	b := tir.NewBuffer("out", d.Elem(), shape(int64(max(1, d.Lanes))), "")
	idx := tir.Expr(tir.Int(0))
	if d.Lanes > 1 {
		idx = &tir.Ramp{Start: tir.Int(0), Stride: tir.Int(1), Lanes: int(d.Lanes)}
	}
	out := tensor.MustNew(d.Elem(), int64(max(1, d.Lanes)))
	mustRun(t, buffered(tir.Store(b, e, idx), b), out)
	return out
}

func imm(d dtype.DType, n int64) tir.Expr { return &tir.IntImm{Type: d, Value: n} }

func raw(op tir.BinaryOp, a, b tir.Expr) tir.Expr { return tir.NewBinary(op, a, b) }

func TestIntegerSemantics(t *testing.T) {
	u64 := dtype.UInt64T
	for _, tc := range []struct {
		name string
		e    tir.Expr
		want int64
	}{
		{"int8 wraps", raw(tir.OpAdd, imm(dtype.Int8T, 127), imm(dtype.Int8T, 1)), -128},
		{"uint8 wraps", raw(tir.OpSub, imm(dtype.UInt8T, 0), imm(dtype.UInt8T, 1)), 255},
		{"int32 multiplication wraps", raw(tir.OpMul, imm(dtype.Int32T, 1<<30), imm(dtype.Int32T, 4)), 0},
		{"div truncates", raw(tir.OpDiv, imm(dtype.Int32T, -7), imm(dtype.Int32T, 2)), -3},
		{"mod truncates", raw(tir.OpMod, imm(dtype.Int32T, -7), imm(dtype.Int32T, 2)), -1},
		{"floordiv floors", raw(tir.OpFloorDiv, imm(dtype.Int32T, -7), imm(dtype.Int32T, 2)), -4},
		{"floormod is not negative", raw(tir.OpFloorMod, imm(dtype.Int32T, -7), imm(dtype.Int32T, 2)), 1},
		{"uint64 division", raw(tir.OpDiv, imm(u64, -1), imm(u64, 2)), math.MaxInt64},
		{"uint64 comparison", &tir.Cast{Type: dtype.Int32T, Value: raw(tir.OpGT, imm(u64, -1), imm(u64, 2))}, 1},
		{"uint64 max", raw(tir.OpMax, imm(u64, -1), imm(u64, 2)), -1},
		{"float to int truncates", &tir.Cast{Type: dtype.Int32T, Value: tir.FloatConst(dtype.Float32T, -2.9)}, -2},
		{"int to bool", &tir.Cast{Type: dtype.BoolT, Value: imm(dtype.Int32T, 42)}, 1},
		{"arithmetic shift", &tir.Call{Type: dtype.Int32T, Op: tir.OpShiftRight, Args: []tir.Expr{imm(dtype.Int32T, -8), imm(dtype.Int32T, 1)}}, -4},
		{"logical shift", &tir.Call{Type: dtype.UInt8T, Op: tir.OpShiftRight, Args: []tir.Expr{imm(dtype.UInt8T, 0x80), imm(dtype.UInt8T, 3)}}, 16},
		{"bitwise not of uint8", tir.NewCall(tir.OpBitwiseNot, imm(dtype.UInt8T, 1)), 254},
		{"clz of int32", tir.NewCall(tir.OpClz, imm(dtype.Int32T, 1)), 31},
		{"popcount of int8 -1", tir.NewCall(tir.OpPopcount, imm(dtype.Int8T, -1)), 8},
		{"reinterpret", &tir.Call{Type: dtype.Int32T, Op: tir.OpReinterpret, Args: []tir.Expr{tir.FloatConst(dtype.Float32T, 1)}}, 0x3f800000},
		{"let", letExpr(), 49},
	} {
		if got := evalOne(t, tc.e).Int(0); got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.name, got, tc.want)
		}
	}
}

func letExpr() tir.Expr {
	x := tir.NewVar("x", dtype.Int32T)
	return &tir.Let{Var: x, Value: imm(dtype.Int32T, 7), Body: raw(tir.OpMul, x, x)}
}

func TestFloatRounding(t *testing.T) {
	f := func(d dtype.DType, x float64) tir.Expr { return &tir.FloatImm{Type: d, Value: x} }
	f16, bf16, f8 := dtype.Float16T, dtype.BFloat16T, dtype.MustParse("float8_e4m3fn")
	for _, tc := range []struct {
		name string
		e    tir.Expr
		want float64
	}{
		{"float32 add", raw(tir.OpAdd, f(dtype.Float32T, 1<<24), f(dtype.Float32T, 1)), 1 << 24},
		{"float64 add", raw(tir.OpAdd, f(dtype.Float64T, 1<<24), f(dtype.Float64T, 1)), 1<<24 + 1},
		{"float16 add", raw(tir.OpAdd, f(f16, 2048), f(f16, 1)), 2048},
		{"float16 tie to even", raw(tir.OpAdd, f(f16, 2048), f(f16, 3)), 2052},
		{"float16 overflow", raw(tir.OpMul, f(f16, 60000), f(f16, 2)), math.Inf(1)},
		{"float16 subnormal", &tir.Cast{Type: f16, Value: f(dtype.Float64T, math.Ldexp(3, -25))}, math.Ldexp(2, -24)},
		{"bfloat16 add", raw(tir.OpAdd, f(bf16, 256), f(bf16, 1)), 256},
		{"float8 multiply", raw(tir.OpMul, f(f8, 1.125), f(f8, 1.125)), 1.25},
		{"float32 division", raw(tir.OpDiv, f(dtype.Float32T, 1), f(dtype.Float32T, 3)), float64(float32(1) / 3)},
		{"max with NaN second", raw(tir.OpMax, f(dtype.Float32T, 1), f(dtype.Float32T, math.NaN())), math.NaN()},
		{"exp in float32", tir.NewCall(tir.OpExp, f(dtype.Float32T, 1)), float64(float32(math.E))},
		{"round away from zero", tir.NewCall(tir.OpRound, f(dtype.Float32T, -2.5)), -3},
		{"nearbyint to even", tir.NewCall(tir.OpNearbyint, f(dtype.Float32T, 2.5)), 2},
		{"uint64 to float", &tir.Cast{Type: dtype.Float32T, Value: imm(dtype.UInt64T, -1)}, 1 << 64},
	} {
		got := evalOne(t, tc.e).Float(0)
		if got != tc.want && !(got != got && tc.want != tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

// matmulFunc is C = A x B with an init statement in a block.
func matmulFunc(m, n, k tir.Expr) *tir.PrimFunc {
	A := tir.NewBuffer("A", dtype.Float32T, []tir.Expr{m, k}, "")
	B := tir.NewBuffer("B", dtype.Float32T, []tir.Expr{k, n}, "")
	C := tir.NewBuffer("C", dtype.Float32T, []tir.Expr{m, n}, "")
	var loops, iters []*tir.Var
	var ivs []*tir.IterVar
	var values []tir.Expr
	ext := []tir.Expr{m, n, k}
	for j, name := range []string{"i", "j", "k"} {
		loops = append(loops, tir.NewVar(name, dtype.Int64T))
		iters = append(iters, tir.NewVar("v"+name, dtype.Int64T))
		kind := tir.DataPar
		if j == 2 {
			kind = tir.CommReduce
		}
		ivs = append(ivs, &tir.IterVar{Dom: &tir.Range{Min: tir.Int(0), Extent: ext[j]}, Var: iters[j], Kind: kind})
		values = append(values, loops[j])
	}
	c := tir.Load(C, iters[0], iters[1])
	body := tir.Stmt(&tir.BlockRealize{Values: values, Predicate: tir.Bool(true), Block: &tir.Block{
		Name: "C", IterVars: ivs,
		Init: tir.Store(C, tir.FloatConst(dtype.Float32T, 0), iters[0], iters[1]),
		Body: tir.Store(C, tir.Add(c, tir.Mul(tir.Load(A, iters[0], iters[2]), tir.Load(B, iters[2], iters[1]))), iters[0], iters[1]),
	}})
	for j := 2; j >= 0; j-- {
		body = &tir.For{LoopVar: loops[j], Min: tir.Int(0), Extent: ext[j], Body: body}
	}
	return buffered(&tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{Name: "root", Body: body}}, A, B, C)
}

func TestBlocksAndSymbolicShapes(t *testing.T) {
	m := tir.NewSizeVar("m", dtype.Int64T)
	fn := matmulFunc(m, tir.Int(2), tir.Int(3))
	a := tensor.MustOf([]int64{2, 3}, []float32{1, 2, 3, 4, 5, 6})
	b := tensor.MustOf([]int64{3, 2}, []float32{1, 0, 0, 1, 1, 1})
	c := tensor.MustNew(dtype.Float32T, 2, 2)
	mustRun(t, fn, a, b, c)
	floats(t, c, 4, 5, 10, 11)

	bad := tensor.MustNew(dtype.Float32T, 3, 2)
	err := Run(context.Background(), fn, []any{a, b, bad}, nil)
	if err == nil || !strings.Contains(err.Error(), "buffer C: extent 0 is 3 in the argument, expected 2") {
		t.Fatalf("shape mismatch: %v", err)
	}
}

func TestOutOfBoundsNamesBufferAndIndices(t *testing.T) {
	A := tir.NewBuffer("A", dtype.Float32T, shape(2, 3), "")
	i := tir.NewVar("i", dtype.Int64T)
	fn := buffered(&tir.For{LoopVar: i, Min: tir.Int(0), Extent: tir.Int(4), Body: tir.Store(A, tir.FloatConst(dtype.Float32T, 1), tir.Int(1), i)}, A)
	err := Run(context.Background(), fn, []any{tensor.MustNew(dtype.Float32T, 2, 3)}, &Options{Name: "kern"})
	if err == nil || err.Error() != "kern: access out of bounds: A[1, 3] of shape (2, 3)" {
		t.Fatalf("got %v", err)
	}
}

func TestVectors(t *testing.T) {
	A := tir.NewBuffer("A", dtype.Float32T, shape(8), "")
	B := tir.NewBuffer("B", dtype.Float32T, shape(8), "")
	ramp := func(start, stride int64) tir.Expr {
		return &tir.Ramp{Start: tir.Int(start), Stride: tir.Int(stride), Lanes: 4}
	}
	two := &tir.Broadcast{Value: tir.FloatConst(dtype.Float32T, 2), Lanes: 4}
	rev := &tir.Shuffle{Vectors: []tir.Expr{tir.Load(A, ramp(4, 1))}, Indices: shape(3, 2, 1, 0)}
	mask := raw(tir.OpLT, ramp(0, 1), &tir.Broadcast{Value: tir.Int(2), Lanes: 4})
	fn := buffered(tir.Seq(
		tir.Store(B, raw(tir.OpMul, tir.Load(A, ramp(0, 2)), two), ramp(0, 1)),
		&tir.BufferStore{Buffer: B, Value: rev, Indices: []tir.Expr{ramp(4, 1)}, Predicate: mask},
	), A, B)
	a := tensor.MustOf([]int64{8}, []float32{0, 1, 2, 3, 4, 5, 6, 7})
	b := tensor.MustOf([]int64{8}, []float32{9, 9, 9, 9, 9, 9, 9, 9})
	mustRun(t, fn, a, b)
	floats(t, b, 0, 4, 8, 12, 7, 6, 9, 9)

	// All lanes are read before one is written.
	swap := buffered(tir.Store(A, tir.Load(A, &tir.Ramp{Start: tir.Int(3), Stride: tir.Int(-1), Lanes: 4}), ramp(0, 1)), A)
	mustRun(t, swap, a)
	floats(t, a, 3, 2, 1, 0, 4, 5, 6, 7)

	// A load masked off does not touch memory.
	out := &tir.BufferLoad{Buffer: A, Indices: []tir.Expr{ramp(6, 1)}, Predicate: mask}
	mustRun(t, buffered(tir.Store(B, out, ramp(0, 1)), A, B), a, b)
	floats(t, b, 6, 7, 0, 0, 7, 6, 9, 9)
}

func TestControlFlow(t *testing.T) {
	S := tir.NewBuffer("S", dtype.Int32T, shape(2), "")
	i := tir.NewVar("i", dtype.Int32T)
	at := func(k int64) tir.Expr { return tir.Load(S, tir.Int(k)) }
	add := func(k int64, e tir.Expr) tir.Stmt { return tir.Store(S, tir.Add(at(k), e), tir.Int(k)) }
	jump := func(op *ir.Op) tir.Stmt { return &tir.Evaluate{Value: &tir.Call{Op: op}} }
	body := tir.Seq(
		&tir.IfThenElse{Cond: tir.EQ(tir.FloorMod(i, tir.Int32(2)), tir.Int32(1)), Then: jump(tir.OpContinueLoop)},
		&tir.IfThenElse{Cond: tir.GT(i, tir.Int32(8)), Then: jump(tir.OpBreakLoop)},
		add(0, i),
	)
	fn := buffered(tir.Seq(
		&tir.For{LoopVar: i, Min: tir.Int32(0), Extent: tir.Int32(100), Body: body},
		&tir.While{Cond: tir.LT(at(1), tir.Int32(5)), Body: add(1, tir.Int32(2))},
	), S)
	s := tensor.MustNew(dtype.Int32T, 2)
	mustRun(t, fn, s)
	floats(t, s, 0+2+4+6+8, 6)

	j := tir.NewVar("j", dtype.Int32T)
	step := buffered(&tir.For{LoopVar: j, Min: tir.Int32(1), Extent: tir.Int32(9), Step: tir.Int32(4), Body: add(0, j)}, S)
	s = tensor.MustNew(dtype.Int32T, 2)
	mustRun(t, step, s)
	floats(t, s, 1+5+9, 0)
}

func TestBudgetAndContext(t *testing.T) {
	S := tir.NewBuffer("S", dtype.Int32T, shape(1), "")
	forever := buffered(&tir.While{Cond: tir.Bool(true), Body: tir.Store(S, tir.Int32(1), tir.Int(0))}, S)
	s := tensor.MustNew(dtype.Int32T, 1)
	err := Run(context.Background(), forever, []any{s}, &Options{MaxSteps: 100000})
	if err == nil || !strings.Contains(err.Error(), "more than 100000 steps") {
		t.Fatalf("budget: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Run(ctx, forever, []any{s}, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("context: %v", err)
	}
	p := &tir.Var{Name: "p", Type: &ir.PointerType{Elem: &ir.PrimType{DType: dtype.Float32T}}}
	big := buffered(&tir.Allocate{Var: p, Type: dtype.Float32T, Extents: shape(1 << 36), Condition: tir.Bool(true), Body: tir.NoOp()}, S)
	if err := Run(context.Background(), big, []any{s}, nil); err == nil || !strings.Contains(err.Error(), "exceeds the limit") {
		t.Fatalf("memory: %v", err)
	}
}

func TestLoweredMemory(t *testing.T) {
	// Allocate, a flat buffer over it, a typed alias, address_of and a subroutine.
	A := tir.NewBuffer("A", dtype.Float32T, shape(4), "")
	p := &tir.Var{Name: "p", Type: &ir.PointerType{Elem: &ir.PrimType{DType: dtype.Float32T}}}
	flat := &tir.Buffer{Data: p, DType: dtype.Float32T, Shape: shape(4), Name: "flat"}
	bits := &tir.Buffer{Data: p, DType: dtype.Int32T, Shape: shape(4), Name: "bits"}
	i := tir.NewVar("i", dtype.Int64T)
	body := &tir.Allocate{Var: p, Type: dtype.Float32T, Extents: shape(4), Condition: tir.Bool(true), Body: &tir.DeclBuffer{Buffer: flat, Body: tir.Seq(
		&tir.For{LoopVar: i, Min: tir.Int(0), Extent: tir.Int(4), Body: tir.Store(flat, tir.CastTo(dtype.Float32T, i), i)},
		tir.Store(bits, imm(dtype.Int32T, 0x40400000), tir.Int(0)), // 3.0
		&tir.For{LoopVar: i, Min: tir.Int(0), Extent: tir.Int(4), Body: tir.Store(A, tir.Load(flat, i), i)},
		&tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: ir.NewGlobalVar("twice"), Args: []tir.Expr{
			&tir.Call{Type: dtype.HandleT, Op: tir.OpAddressOf, Args: []tir.Expr{tir.Load(A, tir.Int(2))}},
		}}},
	)}}
	X := tir.NewBuffer("X", dtype.Float32T, shape(2), "")
	twice := buffered(&tir.For{LoopVar: i, Min: tir.Int(0), Extent: tir.Int(2), Kind: tir.Unrolled, Body: tir.Store(X, tir.Mul(tir.Load(X, i), tir.FloatConst(dtype.Float32T, 2)), i)}, X)
	a := tensor.MustNew(dtype.Float32T, 4)
	lookup := func(name string) *tir.PrimFunc {
		if name == "twice" {
			return twice
		}
		return nil
	}
	if err := Run(context.Background(), buffered(body, A), []any{a}, &Options{Lookup: lookup}); err != nil {
		t.Fatal(err)
	}
	floats(t, a, 3, 1, 4, 6)

	// Memory that nothing was written to is NaN.
	unset := &tir.Allocate{Var: p, Type: dtype.Float32T, Extents: shape(4), Condition: tir.Bool(true), Body: tir.Store(A, tir.Load(flat, tir.Int(0)), tir.Int(0))}
	mustRun(t, buffered(unset, A), a)
	floats(t, a, math.NaN(), 1, 4, 6)
}

func TestMatchBufferIsAView(t *testing.T) {
	A := tir.NewBuffer("A", dtype.Float32T, shape(4, 4), "")
	sub := tir.NewBuffer("sub", dtype.Float32T, shape(2, 2), "")
	sub.Strides = []tir.Expr{tir.NewVar("s0", dtype.Int64T), tir.NewVar("s1", dtype.Int64T)}
	sub.ElemOffset = tir.NewVar("off", dtype.Int64T)
	region := []*tir.Range{{Min: tir.Int(1), Extent: tir.Int(2)}, {Min: tir.Int(2), Extent: tir.Int(2)}}
	fn := buffered(&tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{
		Name:         "m",
		MatchBuffers: []*tir.MatchBufferRegion{{Buffer: sub, Source: &tir.BufferRegion{Buffer: A, Region: region}}},
		Body:         tir.Store(sub, tir.FloatConst(dtype.Float32T, 5), tir.Int(1), tir.Int(0)),
	}}, A)
	a := tensor.MustNew(dtype.Float32T, 4, 4)
	mustRun(t, fn, a)
	if a.Float(2*4+2) != 5 {
		t.Fatalf("got %v", a.Floats())
	}
}

func TestPackedConvention(t *testing.T) {
	h := func(name string) *tir.Var { return &tir.Var{Name: name, Type: &ir.PrimType{DType: dtype.HandleT}} }
	args, data := h("args"), &tir.Var{Name: "data", Type: &ir.PointerType{Elem: &ir.PrimType{DType: dtype.Float32T}}}
	get := func(d dtype.DType, base tir.Expr, idx, kind int64) tir.Expr {
		return &tir.Call{Type: d, Op: tir.OpStructGet, Args: []tir.Expr{base, tir.Int32(idx), tir.Int32(kind)}}
	}
	arr, n := h("arr"), tir.NewVar("n", dtype.Int64T)
	shapePtr := &tir.Var{Name: "shape", Type: &ir.PointerType{Elem: &ir.PrimType{DType: dtype.Int64T}}}
	shp := &tir.Buffer{Data: shapePtr, DType: dtype.Int64T, Shape: shape(1), Name: "shape"}
	A := &tir.Buffer{Data: data, DType: dtype.Float32T, Shape: []tir.Expr{n}, Name: "A"}
	scale := tir.NewVar("scale", dtype.Float32T)
	i := tir.NewVar("i", dtype.Int64T)
	ret := func(v int64) tir.Stmt {
		return &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: tir.OpRet, Args: []tir.Expr{tir.Int32(v)}}}
	}
	body := tir.Seq(
		&tir.IfThenElse{Cond: tir.NE(get(dtype.Int32T, args, 0, 13), tir.Int32(7)), Then: ret(-1)},
		&tir.LetStmt{Var: arr, Value: get(dtype.HandleT, args, 0, 15), Body: &tir.LetStmt{Var: data, Value: get(dtype.HandleT, arr, 0, 1), Body: &tir.LetStmt{
			Var: shapePtr, Value: get(dtype.HandleT, arr, 0, 2), Body: &tir.LetStmt{Var: n, Value: tir.Load(shp, tir.Int(0)), Body: &tir.LetStmt{
				Var: scale, Value: &tir.Cast{Type: dtype.Float32T, Value: get(dtype.Float64T, args, 1, 15)}, Body: tir.Seq(
					&tir.For{LoopVar: i, Min: tir.Int(0), Extent: n, Body: tir.Store(A, tir.Mul(tir.Load(A, i), scale), i)}, ret(0)),
			}},
		}}})
	fn := &tir.PrimFunc{
		Params: []*tir.Var{h("self"), args, tir.NewVar("num_args", dtype.Int32T), h("result")}, Buffers: make([]*tir.Buffer, 4),
		Body: body, RetType: &ir.PrimType{DType: dtype.Int32T}, Attrs: ir.NewAttrs("calling_conv", 1),
	}
	a := tensor.MustOf([]int64{3}, []float32{1, 2, 3})
	mustRun(t, fn, a, 2.5)
	floats(t, a, 2.5, 5, 7.5)
	if err := Run(context.Background(), fn, []any{int64(1), 2.5}, nil); err == nil || !strings.Contains(err.Error(), "error code -1") {
		t.Fatalf("wrong type: %v", err)
	}
}

func TestReturnValueAndScalars(t *testing.T) {
	n := tir.NewVar("n", dtype.Int64T)
	fn := &tir.PrimFunc{
		Params: []*tir.Var{n}, Buffers: []*tir.Buffer{nil}, RetType: &ir.PrimType{DType: dtype.Int64T},
		Body: &tir.Evaluate{Value: &tir.Call{Type: dtype.Int64T, Op: tir.OpRet, Args: []tir.Expr{tir.Mul(n, tir.Int(3))}}},
	}
	out, err := Call(context.Background(), fn, []any{int64(14)}, nil)
	if err != nil || out != int64(42) {
		t.Fatalf("got %v, %v", out, err)
	}
}

func BenchmarkMatmul64(b *testing.B) {
	fn := matmulFunc(tir.Int(64), tir.Int(64), tir.Int(64))
	p, err := Compile(fn, nil)
	if err != nil {
		b.Fatal(err)
	}
	x, y, z := tensor.MustNew(dtype.Float32T, 64, 64), tensor.MustNew(dtype.Float32T, 64, 64), tensor.MustNew(dtype.Float32T, 64, 64)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Call(context.Background(), []any{x, y, z}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(64*64*64), "ns/iter")
}
