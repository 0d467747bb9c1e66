package wasm_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/wasm"
)

// TestErrorsNameFunctionNodeAndType feeds the generator what it cannot translate.
func TestErrorsNameFunctionNodeAndType(t *testing.T) {
	i := i32var("i")
	f8 := dtype.MustParse("float8_e4m3fn")
	a, q, p := flat("A", dtype.Float32T, 8), flat("Q", f8, 8), flat("P", dtype.Int4T, 8)
	zero := tir.Int32(0)
	eval := func(e tir.Expr) tir.Stmt { return &tir.Evaluate{Value: e} }
	str := func(s string) tir.Expr { return &tir.StringImm{Value: s} }
	cases := map[string]struct {
		body tir.Stmt
		want string
	}{
		"type":       {tir.Store(q, tir.Mul(tir.Load(q, zero), tir.Load(q, zero)), zero), "function f: BufferLoad of Q: arithmetic on float8_e4m3fn is not supported"},
		"bits":       {tir.Store(p, tir.Load(p, zero), zero), "BufferStore to P: cannot address int4"},
		"variable":   {tir.Store(a, tir.NewVar("ghost", dtype.Float32T), zero), "Var ghost: the variable is not defined here"},
		"pointer":    {tir.Store(flat("lost", dtype.Float32T, 8), tir.Load(a, zero), zero), "BufferStore to lost: pointer lost is not defined"},
		"store type": {&tir.BufferStore{Buffer: a, Value: tir.Int32(1), Indices: []tir.Expr{zero}}, "the value has type int32, expected float32"},
		"threads":    {&tir.For{LoopVar: i, Min: zero, Extent: tir.Int32(4), Kind: tir.ThreadBinding, Body: tir.NoOp()}, "For i: the target has no threads"},
		"block":      {&tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{Name: "b", Body: tir.NoOp()}}, "must be lowered first"},
		"extern":     {eval(&tir.Call{Type: dtype.Float32T, Op: tir.OpCallExtern, Args: []tir.Expr{str("dgemm")}}), "call_extern dgemm: the runtime has no function"},
		"packed":     {eval(&tir.Call{Type: dtype.Int32T, Op: tir.OpCallPackedLowered, Args: []tir.Expr{str("x.y"), tir.NewVar("s", dtype.HandleT), zero, zero}}), `no kernel "x.y"`},
		"intrinsic":  {eval(&tir.Call{Type: dtype.Float32T, Op: ir.NewOp("tir.mma_sync")}), "Call tir.mma_sync: this intrinsic is not supported"},
		"break":      {eval(&tir.Call{Op: tir.OpBreakLoop}), "outside of a loop"},
		"function":   {eval(&tir.Call{Type: dtype.Int32T, Op: ir.NewGlobalVar("g")}), "call of g: the module has no such function"},
		"arguments":  {eval(&tir.Call{Type: dtype.Float32T, Op: tir.OpPow, Args: []tir.Expr{tir.Load(a, zero)}}), "1 arguments, expected 2"},
		"extent":     {local(flat("tmp", dtype.Float32T, -4), tir.NoOp()), "Allocate tmp: extent -4 is negative"},
		"operands":   {eval(tir.NewBinary(tir.OpAdd, tir.Load(a, zero), tir.Int32(1))), "Add: operands have types float32 and int32, expected the same type"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := &tir.PrimFunc{Params: []*tir.Var{a.Data, q.Data, p.Data}, RetType: ir.VoidType(), Body: c.body}
			_, err := wasm.Build(context.Background(), ir.NewModule().With("f", f), mustTarget("wasm"))
			var e *lower.Error
			if err == nil || !errors.As(err, &e) || e.Func != "f" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := wasm.Build(context.Background(), ir.NewModule(), target.Target{}); err == nil {
		t.Error("the zero target was accepted")
	}
}

// TestDeterministic builds a module twice and compares the bytes.
func TestDeterministic(t *testing.T) {
	seed.Each(t, 5, func(t *testing.T, r *rand.Rand) {
		f, _ := tirtest.Lowered(r)
		m := pack(t, convKernel(3, 8, 8), matmulKernel(8, 16, 12), f)
		a, err := wasm.Build(context.Background(), m, mustTarget("wasm"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := wasm.Build(context.Background(), m, mustTarget("wasm"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes, b.Bytes) {
			t.Fatal("two builds of one module differ")
		}
		if got := a.Symbols(); len(got) != 3 || got[0] != "conv2d" || got[1] != "matmul" {
			t.Errorf("exports %v", got)
		}
	})
}

// TestCanceledBuild stops the generator through its context.
func TestCanceledBuild(t *testing.T) {
	i := i32var("i")
	a := flat("A", dtype.Float32T, 8)
	var body []tir.Stmt
	for range 5000 {
		body = append(body, tir.Store(a, tir.Load(a, i), i))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := wasm.Build(ctx, pack(t, primFunc("f", []any{a}, forLoop(i, tir.Int32(8), body...))), mustTarget("wasm"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestCalls calls a private function, and a kernel by its packed convention.
func TestCalls(t *testing.T) {
	x := tir.NewVar("x", dtype.Float32T)
	square := &tir.PrimFunc{Params: []*tir.Var{x}, RetType: &ir.PrimType{DType: dtype.Float32T}, Body: &tir.Evaluate{Value: &tir.Call{Type: dtype.Float32T, Op: tir.OpRet, Args: []tir.Expr{tir.Mul(x, x)}}}}
	a, i := flat("A", dtype.Float32T, 4), i32var("i")
	f := primFunc("main", []any{a}, forLoop(i, tir.Int32(4),
		tir.Store(a, &tir.Call{Type: dtype.Float32T, Op: ir.NewGlobalVar("square"), Args: []tir.Expr{tir.Load(a, i)}}, i)))
	m := pack(t, f).With("square", square)
	lib, mod, d := load(t, m, mustTarget("wasm"))
	if len(lib.Symbols()) != 1 {
		t.Errorf("exports %v, the private function is among them", lib.Symbols())
	}
	in := random(dtype.Float32T, 3, 4)
	out := in.Clone()
	if err := runWasm(t, mod, d, []any{out}); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if w := float32(in.Float(i)) * float32(in.Float(i)); float32(out.Float(i)) != w {
			t.Errorf("element %d: got %g, want %g", i, out.Float(i), w)
		}
	}
	loop := square.WithBody(&tir.Evaluate{Value: &tir.Call{Type: dtype.Float32T, Op: ir.NewGlobalVar("square"), Args: []tir.Expr{x}}})
	if _, err := wasm.Build(context.Background(), m.With("square", loop), mustTarget("wasm")); err == nil || !strings.Contains(err.Error(), "square calls itself") {
		t.Errorf("recursion: got %v", err)
	}
}
