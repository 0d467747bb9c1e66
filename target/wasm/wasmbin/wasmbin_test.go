package wasmbin_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// instantiate encodes m and runs it in wazero.
func instantiate(t *testing.T, m *wasmbin.Module) api.Module {
	t.Helper()
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	t.Cleanup(func() { r.Close(ctx) })
	mod, err := r.Instantiate(ctx, b)
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

func call(t *testing.T, mod api.Module, name string, args ...uint64) uint64 {
	t.Helper()
	res, err := mod.ExportedFunction(name).Call(context.Background(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return res[0]
}

// TestEveryOpcodeIsAccepted builds one function for each instruction with operands of the
// types that the table gives, and lets wazero validate and compile it.
func TestEveryOpcodeIsAccepted(t *testing.T) {
	n := 0
	m := &wasmbin.Module{}
	m.AddMemory(wasmbin.Limits{Min: 1})
	wasmbin.EachOp(func(op wasmbin.Op, pops []wasmbin.ValType, push wasmbin.ValType) {
		ft := wasmbin.FuncType{Params: pops}
		if push != wasmbin.None {
			ft.Results = []wasmbin.ValType{push}
		}
		f := m.AddFunc(op.String(), ft)
		for i := range pops {
			f.LocalGet(f.Param(i))
		}
		switch name := op.String(); {
		case op.AccessBytes() > 0:
			f.Load(op, 8)
		case strings.Contains(name, "_lane"):
			f.Lane(op, 1)
		case op == wasmbin.I8x16Shuffle:
			f.Shuffle([16]uint8{31, 0, 1})
		default:
			f.Op(op)
		}
		f.End()
		if err := f.Err(); err != nil {
			t.Error(err)
		}
		n++
	})
	if n < 380 {
		t.Errorf("only %d opcodes in the tables", n)
	}
	instantiate(t, m)
}

func TestLoopSumsAndText(t *testing.T) {
	m := &wasmbin.Module{}
	f := m.AddFunc("sum of squares", wasmbin.FuncType{Params: []wasmbin.ValType{wasmbin.I32}, Results: []wasmbin.ValType{wasmbin.I64}})
	f.NameParam(0, "n")
	i, acc := f.NewLocal("i", wasmbin.I32), f.NewLocal("acc", wasmbin.I64)
	f.Comment("for i in 0..n")
	loop := f.Loop("i")
	f.LocalGet(acc)
	f.LocalGet(i)
	f.LocalGet(i)
	f.Op(wasmbin.I32Mul)
	f.Op(wasmbin.I64ExtendI32S)
	f.Op(wasmbin.I64Add)
	f.LocalSet(acc)
	f.LocalGet(i)
	f.I32Const(1)
	f.Op(wasmbin.I32Add)
	f.LocalTee(i)
	f.LocalGet(f.Param(0))
	f.Op(wasmbin.I32LtS)
	f.BrIf(loop)
	f.End()
	f.LocalGet(acc)
	f.If("never", wasmbin.None)
	f.End()
	f.LocalGet(acc)
	f.End()
	if f.Err() == nil {
		t.Fatal("an i64 condition was accepted")
	}
	want := "if needs an operand of type i32, got i64"
	if !strings.Contains(f.Err().Error(), want) || !strings.Contains(f.Err().Error(), "sum of squares") {
		t.Errorf("got %v, want %q", f.Err(), want)
	}
}

func TestTextIsFolded(t *testing.T) {
	m := &wasmbin.Module{}
	host := m.ImportFunc("env", "expf", wasmbin.FuncType{Params: []wasmbin.ValType{wasmbin.F32}, Results: []wasmbin.ValType{wasmbin.F32}})
	f := m.AddFunc("k", wasmbin.FuncType{Params: []wasmbin.ValType{wasmbin.I32}, Results: []wasmbin.ValType{wasmbin.F32}})
	f.NameParam(0, "a ptr")
	x, x2 := f.NewLocal("x", wasmbin.F32), f.NewLocal("x", wasmbin.F32)
	f.LocalGet(f.Param(0))
	f.Mem(wasmbin.F32Load, 16, 2, 0)
	f.Call(host)
	f.LocalSet(x)
	done := f.Block("done")
	f.LocalGet(x)
	f.F32Const(float32(math.Inf(1)))
	f.Op(wasmbin.F32Lt)
	f.If("c", wasmbin.None)
	f.F32Const(0.1)
	f.LocalSet(x2)
	f.Else()
	f.Br(done)
	f.End()
	f.End()
	f.LocalGet(x2)
	f.End()
	const want = `(func $k (param $a_ptr i32) (result f32)
  (local $x f32) (local $x_1 f32)
  (local.set $x (call $expf (f32.load offset=16 align=2 (local.get $a_ptr))))
  (block $done
    (if (f32.lt (local.get $x) (f32.const inf)) (then
      (local.set $x_1 (f32.const 0.1))
    ) (else
      (br $done)
    ))
  )
  (local.get $x_1)
)
`
	if got := f.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := f.Err(); err != nil {
		t.Error(err)
	}
}

func TestSIMDAgainstGo(t *testing.T) {
	m := &wasmbin.Module{}
	m.AddMemory(wasmbin.Limits{Min: 1})
	m.ExportMemory("memory")
	// Four lanes of a*b+c with a from memory, b splat, c constant; then lane 2 and the maximum.
	f := m.AddFunc("madd", wasmbin.FuncType{Params: []wasmbin.ValType{wasmbin.F32}, Results: []wasmbin.ValType{wasmbin.F32}})
	v := f.NewLocal("v", wasmbin.V128)
	f.I32Const(0)
	f.Load(wasmbin.V128Load, 64)
	f.LocalGet(0)
	f.Op(wasmbin.F32x4Splat)
	f.Op(wasmbin.F32x4Mul)
	f.V128Const(0x3f8000003f800000, 0x3f8000003f800000)
	f.Op(wasmbin.F32x4Add)
	f.LocalTee(v)
	f.LocalGet(v)
	f.Shuffle([16]uint8{12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3})
	f.LocalGet(v)
	f.Op(wasmbin.F32x4Pmax)
	f.Lane(wasmbin.F32x4ExtractLane, 1)
	f.End()
	m.ExportFunc("madd", f.Ref())
	mod := instantiate(t, m)
	in := []float32{1, 2, 3, 4}
	for i, x := range in {
		mod.Memory().WriteFloat32Le(uint32(64+4*i), x)
	}
	got := math.Float32frombits(uint32(call(t, mod, "madd", uint64(math.Float32bits(2.5)))))
	if want := max(in[1]*2.5+1, in[2]*2.5+1); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestImportsDataAndNames(t *testing.T) {
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	env := &wasmbin.Module{}
	env.AddMemory(wasmbin.Limits{Min: 1})
	env.ExportMemory("memory")
	eb, err := env.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.InstantiateWithConfig(ctx, eb, wazero.NewModuleConfig().WithName("env")); err != nil {
		t.Fatal(err)
	}
	base := &wasmbin.Module{}
	g := base.AddGlobal("data_base", wasmbin.I32, false, 4096)
	base.ExportGlobal("data_base", g)
	bb, err := base.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.InstantiateWithConfig(ctx, bb, wazero.NewModuleConfig().WithName("bases")); err != nil {
		t.Fatal(err)
	}
	m := &wasmbin.Module{}
	m.ImportMemory("env", "memory", wasmbin.Limits{})
	d := m.ImportGlobal("bases", "data_base", wasmbin.I32, false)
	m.AddDataAt(d, []byte("hello"))
	f := m.AddFunc("third", wasmbin.FuncType{Results: []wasmbin.ValType{wasmbin.I32}})
	f.GlobalGet(d)
	f.Load(wasmbin.I32Load8U, 2)
	f.End()
	boom := m.AddFunc("boom kernel", wasmbin.FuncType{Results: []wasmbin.ValType{wasmbin.I32}})
	boom.Op(wasmbin.OpUnreachable)
	boom.End()
	m.ExportFunc("third", f.Ref())
	m.ExportFunc("boom", boom.Ref())
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	mod, err := r.Instantiate(ctx, b)
	if err != nil {
		t.Fatal(err)
	}
	if got := call(t, mod, "third"); got != 'l' {
		t.Errorf("got %c, want l", rune(got))
	}
	if _, err := mod.ExportedFunction("boom").Call(ctx); err == nil || !strings.Contains(err.Error(), "boom kernel") {
		t.Errorf("the trace %v does not name the function", err)
	}
}

func TestErrorsAreNamed(t *testing.T) {
	cases := map[string]struct {
		build func(f *wasmbin.Func)
		want  string
	}{
		"empty stack": {func(f *wasmbin.Func) { f.Op(wasmbin.I32Add); f.End() }, "i32.add needs an operand of type i32, the stack is empty"},
		"type":        {func(f *wasmbin.Func) { f.F32Const(1); f.I32Const(1); f.Op(wasmbin.I32Add); f.Drop(); f.End() }, "got f32"},
		"left over":   {func(f *wasmbin.Func) { f.I32Const(1); f.End() }, "1 values too many"},
		"open":        {func(f *wasmbin.Func) { f.Block("b") }, "2 blocks are still open"},
		"label":       {func(f *wasmbin.Func) { l := f.Block("b"); f.End(); f.Br(l); f.End() }, "label that is not open"},
		"alignment":   {func(f *wasmbin.Func) { f.I32Const(0); f.Mem(wasmbin.F32Load, 0, 8, 0); f.Drop(); f.End() }, "alignment 8"},
		"after end":   {func(f *wasmbin.Func) { f.End(); f.I32Const(0) }, "complete"},
		"immediate":   {func(f *wasmbin.Func) { f.Op(wasmbin.OpI32Const); f.End() }, "needs its own method"},
		"not an op":   {func(f *wasmbin.Func) { f.Op(wasmbin.Op(0xfcff)); f.End() }, "is not an instruction"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := &wasmbin.Module{}
			m.AddMemory(wasmbin.Limits{Min: 1})
			c.build(m.AddFunc("f", wasmbin.FuncType{}))
			if _, err := m.Encode(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	m := &wasmbin.Module{}
	f := m.AddFunc("f", wasmbin.FuncType{})
	f.End()
	m.ExportFunc("x", f.Ref())
	m.ExportFunc("x", f.Ref())
	if _, err := m.Encode(); err == nil || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("two exports of one name: got %v", err)
	}
}
