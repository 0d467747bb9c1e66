package script_test

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// sample is a node to print.
type sample struct {
	name string
	node ir.Node
}

var (
	i32, i64, f32 = dtype.Int32T, dtype.Int64T, dtype.Float32T
	vi, vj        = tir.NewVar("i", i32), tir.NewVar("j", i32)
	vx            = tir.NewVar("x", f32)
	cond          = tir.NewVar("c", dtype.BoolT)
	bufA          = tir.NewBuffer("A", f32, []tir.Expr{tir.Int32(16), tir.Int32(8)}, "")
	bufB          = tir.NewBuffer("B", dtype.Float16T, []tir.Expr{tir.Int32(64)}, "shared")
	symN          = tir.NewVar("n", i64)
	rx            = &relax.Var{Name: "x", SInfo: relax.TensorOf(f32, symN, tir.Int(4))}
	ry            = &relax.Var{Name: "y", SInfo: relax.StaticTensor(f32, 4), Dataflow: true}
)

func prim(d dtype.DType) ir.Type { return &ir.PrimType{DType: d} }

func rng(min, extent int64) *tir.Range {
	return &tir.Range{Min: tir.Int32(min), Extent: tir.Int32(extent)}
}

func builtin(op *ir.Op, d dtype.DType, args ...tir.Expr) *tir.Call {
	return &tir.Call{Type: d, Op: op, Args: args}
}

func store(v tir.Expr) *tir.BufferStore { return tir.Store(bufA, v, vi, vj) }

type producer struct{ ir.Base }

func (*producer) ProducerName() string       { return "P" }
func (*producer) ProducerDType() dtype.DType { return f32 }
func (*producer) ProducerShape() []tir.Expr  { return nil }
func (*producer) EachChild(func(ir.Node))    {}

// exprSamples holds every kind of loop-level expression.
func exprSamples() []sample {
	a, b := tir.NewVar("a", f32), tir.NewVar("b", f32)
	red := &tir.IterVar{Var: tir.NewVar("k", i32), Dom: rng(0, 8), Kind: tir.CommReduce}
	comb := &tir.CommReducer{LHS: []*tir.Var{a}, RHS: []*tir.Var{b}, Result: []tir.Expr{tir.Add(a, b)}, Identity: []tir.Expr{tir.FloatConst(f32, 0)}}
	bin := func(op tir.BinaryOp, x, y tir.Expr) tir.Expr { return tir.NewBinary(op, x, y) }
	return []sample{
		{"Var", vi},
		{"IntImm", tir.Int32(-7)},
		{"IntImm/int64", tir.Int(7)},
		{"IntImm/bool", tir.Bool(true)},
		{"IntImm/uint64", &tir.IntImm{Type: dtype.UInt64T, Value: -1}},
		{"FloatImm", tir.FloatConst(f32, 1)},
		{"FloatImm/inexact", tir.FloatConst(f32, float64(float32(0.1)))},
		{"FloatImm/small", tir.FloatConst(dtype.Float64T, 1e-300)},
		{"StringImm", &tir.StringImm{Value: "a \"b\"\n\\\x01\té"}},
		{"Cast", tir.CastTo(i64, vi)},
		{"Binary/precedence", bin(tir.OpMul, bin(tir.OpAdd, vi, tir.Int32(1)), bin(tir.OpSub, vi, bin(tir.OpSub, vj, vi)))},
		{"Binary/left", bin(tir.OpSub, bin(tir.OpSub, vi, vj), vi)},
		{"Binary/floor", bin(tir.OpFloorMod, bin(tir.OpFloorDiv, vi, tir.Int32(4)), vj)},
		{"Binary/trunc", bin(tir.OpMod, bin(tir.OpDiv, vi, tir.Int32(4)), vj)},
		{"Binary/float_division", bin(tir.OpDiv, vx, vx)},
		{"Binary/literals", bin(tir.OpAdd, tir.Int32(1), tir.Int32(2))},
		{"Binary/min_max", bin(tir.OpMin, vi, bin(tir.OpMax, vj, vi))},
		{"Binary/compare", bin(tir.OpAnd, bin(tir.OpLT, vi, vj), bin(tir.OpOr, bin(tir.OpGE, vi, vj), bin(tir.OpNE, vi, tir.Int32(0))))},
		{"Binary/nested_compare", bin(tir.OpEQ, bin(tir.OpLE, vi, vj), bin(tir.OpGT, vi, vj))},
		{"Not", &tir.Not{A: bin(tir.OpAnd, cond, cond)}},
		{"Not/in_compare", bin(tir.OpEQ, &tir.Not{A: cond}, cond)},
		{"Select", &tir.Select{Cond: cond, True: vx, False: tir.FloatConst(f32, 0)}},
		{"BufferLoad", tir.Load(bufA, vi, tir.Add(vj, tir.Int32(1)))},
		{"BufferLoad/scalar", tir.Load(tir.NewBuffer("S", f32, nil, ""))},
		{"BufferLoad/slice", tir.Load(bufA, vi, &tir.Ramp{Start: vj, Stride: tir.Int32(1), Lanes: 4})},
		{"BufferLoad/step", tir.Load(bufA, vi, &tir.Ramp{Start: vj, Stride: tir.Int32(2), Lanes: 4})},
		{"BufferLoad/in place", tir.Load(bufA, vi, &tir.Ramp{Start: vj, Stride: tir.Int32(0), Lanes: 4})},
		{"BufferLoad/predicate", &tir.BufferLoad{Buffer: bufA, Indices: []tir.Expr{vi, &tir.Ramp{Start: vj, Stride: tir.Int32(1), Lanes: 4}}, Predicate: &tir.Broadcast{Value: tir.Bool(true), Lanes: 4}}},
		{"ProducerLoad", &tir.ProducerLoad{Producer: &producer{}, Indices: []tir.Expr{vi}}},
		{"Ramp", &tir.Ramp{Start: vi, Stride: tir.Int32(1), Lanes: 4}},
		{"Broadcast", &tir.Broadcast{Value: vx, Lanes: 4}},
		{"Let", &tir.Let{Var: tir.NewVar("t", i32), Value: vi, Body: tir.Add(vj, vj)}},
		{"Shuffle", &tir.Shuffle{Vectors: []tir.Expr{vx, vx}, Indices: []tir.Expr{tir.Int32(0), tir.Int32(1)}}},
		{"Reduce", &tir.Reduce{Combiner: comb, Source: []tir.Expr{tir.Load(bufA, vi, red.Var)}, Axis: []*tir.IterVar{red}}},
		{"CommReducer", comb},
		{"Call/math", builtin(ir.NewOp("tir.exp"), f32, vx)},
		{"Call/if_then_else", tir.IfThenElseExpr(cond, vx, tir.FloatConst(f32, 0))},
		{"Call/extern", builtin(ir.NewOp("tir.call_extern"), i32, &tir.StringImm{Value: "f"}, vi)},
		{"Call/bitwise", builtin(tir.OpBitwiseAnd, i32, vi, vj)},
		{"Call/unknown_intrinsic", builtin(ir.NewOp("tir.no_such_intrinsic"), f32, vx)},
		{"Call/function", &tir.Call{Type: f32, Op: ir.NewGlobalVar("other"), Args: []tir.Expr{vx}}},
		{"Range", rng(2, 6)},
		{"BufferRegion", &tir.BufferRegion{Buffer: bufA, Region: []*tir.Range{rng(0, 1), rng(0, 8)}}},
		{"IterVar", red},
		{"Buffer", bufB},
		{"PrimType", prim(f32)},
		{"PointerType", &ir.PointerType{Elem: prim(f32), Scope: "shared"}},
		{"TupleType", ir.VoidType()},
		{"FuncType", &ir.FuncType{Params: []ir.Type{prim(f32)}, Ret: prim(i32)}},
	}
}

// stmtSamples holds every kind of statement.
func stmtSamples() []sample {
	zero := func() tir.Stmt { return store(tir.FloatConst(f32, 0)) }
	loop := func(v *tir.Var, n int64, body tir.Stmt) *tir.For {
		return &tir.For{LoopVar: v, Min: tir.Int32(0), Extent: tir.Int32(n), Body: body}
	}
	kind := func(k tir.ForKind, annotations *ir.Attrs) *tir.For {
		f := loop(tir.NewVar("i", i32), 8, tir.Store(bufA, vx, tir.Int32(0), tir.Int32(0)))
		f.Kind, f.Annotations = k, annotations
		return f
	}
	ptr := &tir.Var{Name: "p", Type: &ir.PointerType{Elem: prim(f32), Scope: "local"}}
	thread := &tir.IterVar{Var: tir.NewVar("tx", i32), Dom: rng(0, 32), Kind: tir.ThreadIndex, ThreadTag: "threadIdx.x"}
	bound := kind(tir.ThreadBinding, nil)
	bound.Thread = thread
	step := kind(tir.Serial, nil)
	step.Step = tir.Int32(2)
	from := loop(tir.NewVar("i", i32), 4, zero())
	from.Min = tir.Int32(3)
	i2, j2, k2 := tir.NewVar("i", i32), tir.NewVar("j", i32), tir.NewVar("k", i32)
	iv := func(name string, k tir.IterKind, n int64) *tir.IterVar {
		return &tir.IterVar{Var: tir.NewVar(name, i32), Dom: rng(0, n), Kind: k}
	}
	vi2, vj2, vk2 := iv("vi", tir.DataPar, 16), iv("vj", tir.DataPar, 8), iv("vk", tir.CommReduce, 4)
	sub := tir.NewBuffer("M", f32, []tir.Expr{tir.Int32(4)}, "")
	tmp := tir.NewBuffer("T", f32, []tir.Expr{tir.Int32(4)}, "local")
	block := &tir.Block{
		Name: "update", IterVars: []*tir.IterVar{vi2, vj2, vk2},
		Reads:  []*tir.BufferRegion{{Buffer: bufA, Region: []*tir.Range{{Min: vi2.Var, Extent: tir.Int32(1)}, rng(0, 4)}}},
		Writes: []*tir.BufferRegion{tir.FullRegion(bufA)}, Annotations: ir.NewAttrs("pragma", 1), AllocBuffers: []*tir.Buffer{tmp},
		MatchBuffers: []*tir.MatchBufferRegion{{Buffer: sub, Source: &tir.BufferRegion{Buffer: bufA, Region: []*tir.Range{rng(0, 1), rng(0, 4)}}}},
		Init:         tir.Store(bufA, tir.FloatConst(f32, 0), vi2.Var, vj2.Var),
		Body:         tir.Store(bufA, tir.Add(tir.Load(bufA, vi2.Var, vj2.Var), tir.Load(sub, vk2.Var)), vi2.Var, vj2.Var),
	}
	realize := &tir.BlockRealize{Values: []tir.Expr{i2, j2, k2}, Predicate: tir.LT(i2, tir.Int32(10)), Block: block}
	grid := loop(i2, 16, loop(j2, 8, loop(k2, 4, realize)))
	opaque := &tir.Block{Name: "opaque", IterVars: []*tir.IterVar{iv("o", tir.Opaque, 2)}, Body: zero()}
	decl := tir.NewBuffer("D", f32, []tir.Expr{tir.Int32(16)}, "")
	decl.Data = ptr
	return []sample{
		{"SeqStmt", tir.Seq(zero(), store(vx))},
		{"LetStmt", &tir.LetStmt{Var: tir.NewVar("t", i32), Value: vi, Body: zero()}},
		{"LetStmt/not_last", tir.Seq(&tir.LetStmt{Var: tir.NewVar("t", i32), Value: vi, Body: zero()}, zero())},
		{"AttrStmt", &tir.AttrStmt{Node: bufA, Key: "pragma_x", Value: tir.Int32(1), Body: zero()}},
		{"AttrStmt/not_last", tir.Seq(&tir.AttrStmt{Node: nil, Key: "k", Value: &tir.StringImm{Value: "v"}, Body: zero()}, zero())},
		{"AttrStmt/thread", &tir.AttrStmt{Node: thread, Key: "thread_extent", Value: tir.Int32(32), Body: zero()}},
		{"AssertStmt", &tir.AssertStmt{Cond: cond, Message: &tir.StringImm{Value: "bad"}, Body: zero()}},
		{"AssertStmt/not_last", tir.Seq(&tir.AssertStmt{Cond: cond, Message: &tir.StringImm{Value: "bad"}, Body: zero()}, zero())},
		{"BufferStore/predicate", &tir.BufferStore{Buffer: bufA, Value: &tir.Broadcast{Value: vx, Lanes: 4}, Indices: []tir.Expr{vi, &tir.Ramp{Start: vj, Stride: tir.Int32(1), Lanes: 4}}, Predicate: &tir.Broadcast{Value: tir.Bool(true), Lanes: 4}}},
		{"AttrStmt/list", &tir.AttrStmt{
			Node: &tir.Array{Items: []ir.Node{bufA, vx, &tir.StringImm{Value: "tag"}, &tir.Array{Items: []ir.Node{bufB}}}}, Key: "buffer_bind_scope",
			Value: &tir.Call{Type: dtype.HandleT, Op: ir.NewOp("tir.tvm_tuple"), Args: []tir.Expr{tir.Int32(0), tir.Int32(16)}}, Body: zero(),
		}},
		{"AttrStmt/realize", &tir.AttrStmt{Node: bufA, Key: "realize_scope", Value: &tir.StringImm{Value: "wmma.accumulator"}, Body: &tir.BufferRealize{
			Buffer: bufA, Bounds: []*tir.Range{rng(0, 16), rng(0, 8)}, Condition: tir.Bool(true), Body: zero(),
		}}},
		{"BufferRealize", &tir.BufferRealize{Buffer: bufA, Bounds: []*tir.Range{rng(0, 16), rng(0, 8)}, Condition: tir.Bool(true), Body: zero()}},
		{"Allocate", &tir.Allocate{Var: ptr, Type: f32, Extents: []tir.Expr{tir.Int32(16)}, Condition: tir.Bool(true), Body: tir.Store(decl, vx, vi)}},
		{"Allocate/declared", &tir.Allocate{Var: ptr, Type: f32, Extents: []tir.Expr{tir.Int32(16)}, Condition: tir.Bool(true), Body: &tir.DeclBuffer{Buffer: decl, Body: tir.Store(decl, vx, vi)}}},
		{"Allocate/not_last", tir.Seq(&tir.Allocate{Var: ptr, Type: f32, Extents: []tir.Expr{tir.Int32(16)}, Condition: cond, Body: zero(), Annotations: ir.NewAttrs("a", 1)}, zero())},
		{"AllocateConst", &tir.AllocateConst{Var: ptr, Type: f32, Extents: []tir.Expr{tir.Int32(2)}, Data: ir.Float32Blob([]int64{2}, 1, 2), Body: zero()}},
		{"DeclBuffer", &tir.DeclBuffer{Buffer: decl, Body: tir.Store(decl, vx, vi)}},
		{"Evaluate", &tir.Evaluate{Value: tir.Int32(0)}},
		{"Evaluate/call", &tir.Evaluate{Value: builtin(tir.OpRet, i32, tir.Int32(0))}},
		{"IfThenElse", &tir.IfThenElse{Cond: cond, Then: zero(), Else: &tir.IfThenElse{Cond: tir.LT(vi, vj), Then: zero(), Else: store(vx)}}},
		{"For/range", loop(tir.NewVar("i", i32), 8, zero())},
		{"For/from", from},
		{"For/step", step},
		{"For/annotated", kind(tir.Serial, ir.NewAttrs("pragma", "x"))},
		{"For/parallel", kind(tir.Parallel, nil)},
		{"For/vectorized", kind(tir.Vectorized, nil)},
		{"For/unroll", kind(tir.Unrolled, nil)},
		{"For/thread", bound},
		{"For/grid", grid},
		{"While", &tir.While{Cond: tir.LT(vi, vj), Body: zero()}},
		{"Block", opaque},
		{"BlockRealize/same_names", tir.Seq(loop(i2, 4, zero()), loop(tir.NewVar("i", i32), 4, loop(tir.NewVar("i", i32), 2, zero())))},
		{"MatchBufferRegion", block.MatchBuffers[0]},
	}
}
