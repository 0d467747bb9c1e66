package tirpass_test

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	. "github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
)

func builtinCases() []goldenCase {
	a, b, big, small := floats("A", 1024), floats("B", 1024), floats("T", 1024), floats("S", 8)
	i, m := index("i"), index("m")
	sized := floats("D", m)
	ret := &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: tir.OpRet, Args: []tir.Expr{n(0)}}}
	brk := &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: tir.OpBreakLoop}}
	early := alloc(big, &tir.IfThenElse{Cond: tir.GT(load(a, n(0)), f32(0)), Then: ret}, store(big, f32(1), n(0)), store(b, load(big, n(0)), n(0)))
	leaves := loop(i, 4, alloc(big, store(big, load(a, i), n(0)), &tir.IfThenElse{Cond: tir.GT(load(big, n(0)), f32(0)), Then: brk}, store(b, load(big, n(0)), i)))
	call := &tir.Call{Type: dtype.Int32T, Op: tir.OpCallPacked, Args: []tir.Expr{&tir.StringImm{Value: "f"}, n(3), f32(1.5)}}
	x := tir.NewVar("x", dtype.Int32T)
	return []goldenCase{
		{name: "large allocation", f: fn(alloc(big, store(big, load(a, n(0)), n(0)), store(b, load(big, n(0)), n(0))), a, b)},
		{name: "small allocation", f: fn(alloc(small, store(small, load(a, n(0)), n(0)), store(b, load(small, n(0)), n(0))), a, b)},
		{name: "size is not a constant", f: fn(alloc(sized, store(sized, load(a, n(0)), n(0)), store(b, load(sized, n(0)), n(0))), a, b, m)},
		{name: "return frees", f: fn(early, a, b, m)},
		{name: "break frees", f: fn(leaves, a, b, m)},
		{name: "call_packed", f: fn(&tir.Evaluate{Value: call}, m)},
		{name: "call_packed in an expression", f: fn(&tir.LetStmt{Var: x, Value: add(call, n(1)), Body: tir.NoOp()}, m), fails: true},
	}
}

func intrinCases() []goldenCase {
	a, b := tir.NewBuffer("A", dtype.Int32T, shape(16), ""), tir.NewBuffer("B", dtype.Int32T, shape(16), "")
	i := index("i")
	f := func(v tir.Expr) *tir.PrimFunc { return fn(loop(i, 16, store(b, v, i)), a, b) }
	x := load(a, i)
	return []goldenCase{
		{name: "power of two", f: f(add(tir.FloorDiv(x, n(8)), tir.FloorMod(x, n(4))))},
		{name: "not negative", f: f(add(tir.FloorDiv(i, n(3)), tir.FloorMod(i, n(5))))},
		{name: "of any sign", f: f(add(tir.FloorDiv(x, n(3)), tir.FloorMod(x, n(5))))},
		{name: "divisor of any sign", f: f(tir.FloorDiv(x, tir.Sub(tir.Max(i, n(1)), n(20))))},
		{name: "likely", f: fn(loop(i, 16, &tir.IfThenElse{
			Cond: &tir.Call{Type: dtype.BoolT, Op: tir.OpLikely, Args: []tir.Expr{tir.LT(i, n(9))}}, Then: store(b, x, i),
		}), a, b)},
	}
}

func targetGoldens() map[*pass.Pass][]goldenCase {
	a, b := floats("A", 16), floats("B", 16)
	m, s, i := index("m"), tir.NewVar("s", dtype.Float32T), index("i")
	sym, out := floats("A", m, 4), floats("B", m, 4)
	strided := floats("S", 4, 4)
	strided.Strides = []tir.Expr{index("s0"), index("s1")}
	copyAll := fn(loop(i, 16, store(b, load(a, i), i)), a, b)
	scaled := &tir.For{LoopVar: i, Min: n(0), Extent: m, Body: store(out, mul(load(sym, i, n(0)), s), i, n(0))}
	k := index("k")
	late, plain := floats("A", tir.Mul(k, n(2)), 2), floats("B", k, 4)
	reshaped := fn(loop(i, 4, store(plain, load(late, i, n(0)), n(0), i)), late, plain)
	offset := floats("A", 4)
	offset.ElemOffset = tir.Mul(k, n(2))
	shifted := fn(store(offset, f32(1), n(0)), offset, k)
	answer := fn(&tir.Evaluate{Value: &tir.Call{Type: dtype.Float32T, Op: tir.OpRet, Args: []tir.Expr{load(a, n(0))}}}, a, m)
	private := copyAll.WithFuncAttrs(ir.NewAttrs()).(*tir.PrimFunc)
	asserted := fn(&tir.AssertStmt{Cond: tir.GT(m, n(0)), Message: &tir.StringImm{Value: "m must be positive"}, Body: store(a, f32(1), n(0))}, a, m)
	return map[*pass.Pass][]goldenCase{
		BindTarget:        {{name: "target of the context", f: copyAll}},
		AnnotateEntryFunc: {{name: "only function", f: copyAll}},
		VerifyMemory:      {{name: "host", f: copyAll}},
		OOBChecker:        {{name: "within bounds", f: copyAll}},
		VerifyGPUCode:     {{name: "no kernel", f: copyAll}},
		ConvertSSA:        {{name: "nothing defined twice", f: copyAll}},
		SplitHostDevice:   {{name: "nothing to split", f: copyAll}},
		MakePackedAPI: {
			{name: "two tensors", f: copyAll},
			{name: "symbolic extent and a scalar", f: fn(scaled, sym, out, s)},
			{name: "strides", f: fn(store(b, load(strided, n(1), n(2)), n(0)), strided, b, m)},
			{name: "expression before its variable", f: reshaped},
			{name: "offset of an expression", f: shifted},
			{name: "result", f: answer},
			{name: "private function", f: private},
		},
		SkipAssert: {
			{name: "not set", f: asserted},
			{name: "set", f: asserted, opts: config("tir.disable_assert", true)},
		},
		LowerTVMBuiltin: builtinCases(),
		LowerIntrin:     intrinCases(),
		LowerMath:       mathCases(),
	}
}
