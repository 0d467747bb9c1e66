package wasm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target/wasm"
)

// call is a statement that calls a private function of the module.
func callStmt(name string, args ...tir.Expr) tir.Stmt {
	return &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: ir.NewGlobalVar(name), Args: args}}
}

// TestCancel cancels kernels that would run for hours, or for ever, whatever form their loops
// have and whatever they write.
func TestCancel(t *testing.T) {
	i, j, k := i32var("i"), i32var("j"), tir.NewVar("k", dtype.Int64T)
	a, big := flat("A", dtype.Int32T, 1024), flat("L", dtype.Int64T, 4)
	p := tir.NewVar("p", dtype.HandleT)
	huge, zero := tir.Int32(1<<30), tir.Int32(0)
	at := tir.Const(dtype.Int64T, 0)
	always := tir.GE(tir.Load(a, zero), zero)
	inc := func(b *tir.Buffer, at tir.Expr) tir.Stmt {
		return tir.Store(b, tir.Add(tir.Load(b, at), &tir.IntImm{Type: b.DType, Value: 1}), at)
	}
	step := tir.Store(a, tir.Add(tir.Load(a, tir.FloorMod(j, tir.Int32(1024))), i), tir.FloorMod(j, tir.Int32(1024)))
	next := &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: tir.OpContinueLoop}}
	stepped := &tir.For{LoopVar: j, Min: zero, Extent: tir.Int32(4), Kind: tir.Serial, Body: step, Step: zero}
	view := &tir.Buffer{Name: "V", Data: p, DType: dtype.Int32T, Shape: []tir.Expr{tir.Int32(1024)}}
	private := &tir.PrimFunc{Params: []*tir.Var{p}, Body: &tir.While{Cond: tir.GE(tir.Load(view, zero), zero), Body: tir.Store(view, zero, zero)}}
	busy := &tir.PrimFunc{Params: []*tir.Var{p}, Body: forLoop(j, tir.Int32(1<<16), tir.Store(view, zero, zero))}
	for name, body := range map[string]tir.Stmt{
		"nest":        forLoop(i, huge, forLoop(j, tir.Int32(1<<16), step)),
		"tiny":        forLoop(k, tir.Const(dtype.Int64T, 1<<60), inc(big, at)),
		"unknown":     forLoop(k, tir.Load(big, tir.Const(dtype.Int64T, 1)), inc(big, at)),
		"unknown2":    forLoop(i, huge, forLoop(k, tir.Load(big, tir.Const(dtype.Int64T, 1)), inc(big, at))),
		"stuck":       forLoop(i, huge, stepped),
		"while":       &tir.While{Cond: always, Body: tir.Store(a, zero, zero)},
		"continue":    &tir.While{Cond: always, Body: tir.Seq(tir.Store(a, zero, zero), next)},
		"continue2":   forLoop(k, tir.Const(dtype.Int64T, 1<<60), inc(big, at), next),
		"private":     callStmt("private", a.Data),
		"many calls":  forLoop(k, tir.Const(dtype.Int64T, 1<<60), callStmt("busy", a.Data)),
		"overwriting": &tir.While{Cond: always, Body: forLoop(i, tir.Int32(abi.ReservedBytes/4), tir.Store(a, tir.Int32(1999999999), tir.Sub(i, tir.Int32(abi.ReservedBytes/4))))},
	} {
		t.Run(name, func(t *testing.T) {
			f := primFunc("main", []any{a, big}, body)
			m := pack(t, f)
			switch name {
			case "private":
				m = m.With("private", private)
			case "many calls":
				m = m.With("busy", busy)
			}
			_, mod, d := load(t, m, mustTarget("wasm"))
			x, err := d.NewTensor(dtype.Int32T, []int64{1024})
			if err != nil {
				t.Fatal(err)
			}
			y, err := d.NewTensor(dtype.Int64T, []int64{4})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(x.Write(make([]byte, 4096)), y.Write([]byte(strings.Repeat("\x00\x00\x00\x00\x00\x00\x00\x70", 4)))); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := mod.Kernel("main").Run(ctx, runtime.TensorValue(x), runtime.TensorValue(y))
				done <- err
			}()
			time.AfterFunc(20*time.Millisecond, cancel)
			select {
			case err := <-done:
				if !errors.Is(err, context.Canceled) || !errors.Is(err, runtime.ErrStopped) {
					t.Errorf("got %v", err)
				}
			case <-time.After(20 * time.Second):
				panic("the kernel does not poll") // it cannot be stopped, and so the test could not end
			}
		})
	}
}

// TestStrips compares loops that run in strips with their sums.
func TestStrips(t *testing.T) {
	k := tir.NewVar("k", dtype.Int64T)
	n, sum := flat("N", dtype.Int64T, 2), flat("S", dtype.Int64T, 2)
	lo, end := tir.Load(n, tir.Const(dtype.Int64T, 0)), tir.Load(n, tir.Const(dtype.Int64T, 1))
	at := tir.Const(dtype.Int64T, 0)
	loop := &tir.For{LoopVar: k, Min: lo, Extent: tir.Sub(end, lo), Kind: tir.Serial, Body: tir.Store(sum, tir.Add(tir.Load(sum, at), k), at)}
	f := primFunc("sum", []any{n, sum}, loop)
	lib, mod, d := load(t, pack(t, f), mustTarget("wasm"))
	if text := lib.Kernels[0].Text(); !strings.Contains(text, "k_strip") {
		t.Fatalf("the loop is not in strips:\n%s", text)
	}
	for _, c := range [][2]int64{{0, 0}, {0, 1}, {5, 3}, {-7, 9}, {0, 4095}, {3, 4096 + 3}, {-100000, 300001}, {1<<62 - 3, 1<<62 + 5}} {
		want := int64(0)
		for v := c[0]; v < c[1]; v++ {
			want += v
		}
		in, out := random(dtype.Int64T, 1, 2), random(dtype.Int64T, 1, 2)
		copy(in.Data, fmt.Appendf(nil, "%s%s", le64(c[0]), le64(c[1])))
		clear(out.Data)
		if err := runWasm(t, mod, d, []any{in, out}); err != nil {
			t.Fatal(err)
		}
		if got := string(out.Data[:8]); got != le64(want) {
			t.Errorf("sum over %v: got %x, want %x", c, got, le64(want))
		}
	}
}

func le64(v int64) string {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
	return string(b)
}

// TestPollsAreRare looks for polls in the inner loop of a kernel that needs none there.
func TestPollsAreRare(t *testing.T) {
	lib, _, _ := load(t, pack(t, matmulKernel(1024, 1024, 1024)), mustTarget("wasm"))
	text := lib.Kernels[0].Text()
	if n := strings.Count(text, "call $"+abi.ImportBudget); n == 0 || n > 6 {
		t.Errorf("%d polls in a matmul of 1024", n)
	}
	inner := text[strings.Index(text, "(loop $ko"):]
	if strings.Contains(inner[:strings.Index(inner, "br_if $ko")], "poll_budget") {
		t.Error("the innermost loop polls")
	}
}

// TestErrorsOfPrivateFunctions fails an assertion in a function that returns no code.
func TestErrorsOfPrivateFunctions(t *testing.T) {
	x := i32var("x")
	private := &tir.PrimFunc{Params: []*tir.Var{x}, Body: &tir.AssertStmt{Cond: tir.LT(x, tir.Int32(3)), Message: &tir.StringImm{Value: "too large"}, Body: &tir.Evaluate{Value: tir.Int32(0)}}}
	a, i := flat("A", dtype.Int32T, 8), i32var("i")
	f := primFunc("main", []any{a}, forLoop(i, tir.Int32(8), callStmt("private", i), tir.Store(a, tir.Int32(1), i)))
	_, mod, d := load(t, pack(t, f).With("private", private), mustTarget("wasm"))
	out := random(dtype.Int32T, 1, 8)
	err := runWasm(t, mod, d, []any{out})
	var ke *runtime.KernelError
	if !errors.As(err, &ke) || ke.Message != "too large (3 < 3 is false)" {
		t.Errorf("got %v", err)
	}
}

// TestBuildIsCanceled cancels a translation for a cause of one's own.
func TestBuildIsCanceled(t *testing.T) {
	a, i := flat("A", dtype.Int32T, 4), i32var("i")
	var body []tir.Stmt
	for range 2000 {
		body = append(body, tir.Store(a, tir.Load(a, i), i))
	}
	cause := errors.New("the visitor left")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	_, err := wasm.Build(ctx, pack(t, primFunc("f", []any{a}, forLoop(i, tir.Int32(8), body...))), mustTarget("wasm"))
	if !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// TestServicesAreNotCalled calls what the runtime offers to generated code only.
func TestServicesAreNotCalled(t *testing.T) {
	for _, name := range []string{abi.ImportSetError, abi.ImportRaise, abi.ImportStopped, abi.ImportPoll, abi.ImportAllocWorkspace, abi.ImportFreeWorkspace} {
		c := &tir.Call{Type: dtype.Int32T, Op: tir.OpCallExtern, Args: []tir.Expr{&tir.StringImm{Value: name}}}
		for range 5 {
			c.Args = append(c.Args, tir.Int32(72))
		}
		_, err := wasm.Build(context.Background(), pack(t, primFunc("f", []any{flat("A", dtype.Int32T, 4)}, &tir.Evaluate{Value: c})), mustTarget("wasm"))
		if err == nil || !strings.Contains(err.Error(), "the runtime has no function of this name") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAddressesInStrips compares loops whose addresses advance through many strips with the
// interpreter.
func TestAddressesInStrips(t *testing.T) {
	const n = 40000
	i, j := i32var("i"), i32var("j")
	a, b, size := flat("A", dtype.Int32T, n), flat("B", dtype.Int32T, n), flat("N", dtype.Int32T, 2)
	rows, cols := tir.Load(size, tir.Int32(0)), tir.Load(size, tir.Int32(1))
	back := tir.Sub(tir.Int32(n-1), i)
	long := forLoop(i, tir.Load(size, tir.Int32(0)), tir.Store(b, tir.Add(tir.Load(a, back), tir.Load(a, i)), i))
	at := tir.Add(tir.Mul(i, cols), j)
	nest := forLoop(i, rows, forLoop(j, cols, tir.Store(b, tir.Sub(tir.Load(a, at), tir.Load(a, tir.Sub(at, j))), at)))
	whole := forLoop(i, rows, forLoop(j, tir.Int32(5), tir.Store(b, tir.Add(tir.Load(b, i), tir.Load(a, tir.Mul(j, tir.Int32(7)))), i)))
	sizes := func(r, c int32) *tensor.Tensor { return tensor.MustOf([]int64{2}, []int32{r, c}) }
	in, out := random(dtype.Int32T, 1, n), random(dtype.Int32T, 2, n)
	check(t, primFunc("long", []any{a, b, size}, long), 0, in, out, sizes(n, 0))
	check(t, primFunc("nest", []any{a, b, size}, nest), 0, in, out, sizes(7, 5000))
	check(t, primFunc("nest", []any{a, b, size}, nest), 0, in, out, sizes(5000, 7))
	check(t, primFunc("whole", []any{a, b, size}, whole), 0, in, out, sizes(n, 0))
}
