package wasm_test

import (
	"context"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	loader "github.com/irscope/irscope/runtime/wasm"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
	"github.com/irscope/irscope/target/wasm"
)

// primFunc makes a function over buffers and scalar variables, given in the order of its
// parameters.
func primFunc(name string, params []any, body ...tir.Stmt) *tir.PrimFunc {
	f := &tir.PrimFunc{
		RetType: ir.VoidType(), Body: tir.Seq(body...),
		Attrs: ir.NewAttrs(ir.AttrGlobalSymbol, name, "tir.noalias", true),
	}
	for _, p := range params {
		switch p := p.(type) {
		case *tir.Buffer:
			f.Params = append(f.Params, tir.NewVar(p.Name+"_handle", dtype.HandleT))
			f.Buffers = append(f.Buffers, p)
		case *tir.Var:
			f.Params = append(f.Params, p)
			f.Buffers = append(f.Buffers, nil)
		}
	}
	return f
}

// flat is a buffer of n elements.
func flat(name string, d dtype.DType, n int64) *tir.Buffer {
	return tir.NewBuffer(name, d, []tir.Expr{tir.Int32(n)}, "")
}

// local allocates b around body.
func local(b *tir.Buffer, body ...tir.Stmt) tir.Stmt {
	return &tir.Allocate{Var: b.Data, Type: b.DType, Extents: b.Shape, Condition: tir.Bool(true), Body: &tir.DeclBuffer{Buffer: b, Body: tir.Seq(body...)}}
}

func forLoop(v *tir.Var, n tir.Expr, body ...tir.Stmt) tir.Stmt {
	return &tir.For{LoopVar: v, Min: tir.Const(v.DType(), 0), Extent: n, Body: tir.Seq(body...)}
}

func i32var(name string) *tir.Var { return tir.NewVar(name, dtype.Int32T) }

func ramp(start tir.Expr, stride int64, lanes int) tir.Expr {
	return &tir.Ramp{Start: start, Stride: tir.Const(start.DType(), stride), Lanes: lanes}
}

func broadcast(x tir.Expr, lanes int) tir.Expr { return &tir.Broadcast{Value: x, Lanes: lanes} }

// pack lowers functions to the packed convention and the definitions of elementary functions.
func pack(tb testing.TB, fns ...*tir.PrimFunc) *ir.Module {
	tb.Helper()
	m, err := tirpass.LowerMath.Run(newContext(tb), packed(tb, fns...))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// packed lowers functions to the packed convention.
func packed(tb testing.TB, fns ...*tir.PrimFunc) *ir.Module {
	tb.Helper()
	m := ir.NewModule()
	for _, f := range fns {
		m = m.With(ir.GlobalSymbol(f), f)
	}
	c := newContext(tb)
	var err error
	for _, p := range []*pass.Pass{tirpass.MakePackedAPI, tirpass.LowerTVMBuiltin} {
		if m, err = p.Run(c, m); err != nil {
			tb.Fatal(err)
		}
	}
	return m
}

func newContext(tb testing.TB) *pass.Context {
	tb.Helper()
	c, err := pass.NewContext(context.Background(), pass.WithTarget(mustTarget("wasm")))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// load compiles a module and loads it on a device of its own.
func load(tb testing.TB, m *ir.Module, t target.Target) (*codegen.Library, *runtime.Module, *runtime.Device) {
	tb.Helper()
	lib, err := wasm.Build(context.Background(), m, t)
	if err != nil {
		tb.Fatal(err)
	}
	e := runtime.NewEngine(loader.NewLoader(loader.Options{}))
	tb.Cleanup(func() { e.Close() })
	d, err := e.NewDevice(runtime.DeviceOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	mod, err := d.Load(context.Background(), lib.Format, lib.Bytes)
	if err != nil {
		for _, k := range lib.Kernels {
			tb.Log(k.Text())
		}
		tb.Fatal(err)
	}
	return lib, mod, d
}

// runWasm runs the only kernel of a module on host values and writes the tensors back.
func runWasm(tb testing.TB, mod *runtime.Module, d *runtime.Device, args []any) error {
	tb.Helper()
	vals := make([]runtime.Value, len(args))
	devs := make([]*runtime.Tensor, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case *tensor.Tensor:
			t, err := d.Upload(a)
			if err != nil {
				tb.Fatal(err)
			}
			defer t.Release()
			devs[i], vals[i] = t, runtime.TensorValue(t)
		case int64:
			vals[i] = runtime.Int(a)
		case float64:
			vals[i] = runtime.Float(a)
		}
	}
	if _, err := mod.Kernel(mod.Names()[0]).Run(context.Background(), vals...); err != nil {
		return err
	}
	for i, t := range devs {
		if t != nil {
			if err := t.Read(args[i].(*tensor.Tensor).Data); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return nil
}

func cloneArgs(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		if t, ok := a.(*tensor.Tensor); ok {
			a = t.Clone()
		}
		out[i] = a
	}
	return out
}

var targets = []string{"wasm", "wasm -mattr=-simd128"}

// check runs f in the interpreter and as generated code, with and without vectors, and
// compares all tensors: floats to a relative error of tol, the rest exactly.
func check(tb testing.TB, f *tir.PrimFunc, tol float64, args ...any) {
	tb.Helper()
	want := cloneArgs(args)
	if err := interp.Run(context.Background(), f, want, nil); err != nil {
		tb.Fatalf("interpreter: %v", err)
	}
	m := pack(tb, f)
	for _, ts := range targets {
		t, err := target.Parse(ts)
		if err != nil {
			tb.Fatal(err)
		}
		lib, mod, d := load(tb, m, t)
		got := cloneArgs(args)
		if err := runWasm(tb, mod, d, got); err != nil {
			tb.Fatalf("%s: %v\n%s", ts, err, lib.Kernels[0].Text())
		}
		for i := range want {
			w, ok := want[i].(*tensor.Tensor)
			if !ok {
				continue
			}
			if bad := differ(got[i].(*tensor.Tensor), w, tol); bad >= 0 {
				g := got[i].(*tensor.Tensor)
				tb.Errorf("%s: argument %d, element %d: got %s, want %s\n%s", ts, i, bad, g.Format(bad, 9), w.Format(bad, 9), lib.Kernels[0].Text())
				return
			}
		}
	}
}

// differ returns the first element in which two tensors differ, -1 if there is none.
func differ(got, want *tensor.Tensor, tol float64) int {
	for i := range want.Len() {
		if !want.DType.IsFloat() {
			if got.Int(i) != want.Int(i) {
				return i
			}
			continue
		}
		g, w := got.Float(i), want.Float(i)
		switch {
		case g == w || math.IsNaN(g) && math.IsNaN(w):
		case math.Abs(g-w) <= tol*math.Max(math.Abs(w), 0x1p-126):
		default:
			return i
		}
	}
	return -1
}

// random returns a tensor with elements of both signs.
func random(d dtype.DType, seed uint64, shape ...int64) *tensor.Tensor {
	t := tensor.MustNew(d, shape...)
	t.Random(seed)
	return t
}

func mustTarget(s string) target.Target {
	t, err := target.Parse(s)
	if err != nil {
		panic(err)
	}
	return t
}
