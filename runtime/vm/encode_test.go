package vm

import (
	"bytes"
	"context"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/internal/kerneltest"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/wasm"
)

func everyConst(b *Builder) {
	addTwice(b)
	shaped := []Arg{
		b.Tensor(tensor.MustOf([]int64{1}, []int8{3})), b.Tensor(vec(9)), b.Splat(dtype.BFloat16T, []int64{1000, 1000}, []byte{1, 2}),
		b.Float(-0.5), b.Int(-1 << 62), b.Shape(nil), b.Shape([]int64{1 << 40}), b.String("héllo"), b.DType(dtype.MustParse("float8_e4m3fn")),
	}
	b.EmitFunction("consts", 0, nil)
	b.EmitCall("vm.builtin.make_tuple", shaped, 0)
	b.EmitRet(Register(0))
	b.EndFunction("consts")
}

func encode(e *Executable) (code, blob []byte) {
	code, chunks := e.Encode()
	return code, bytes.Join(chunks, nil)
}

func TestEncodeRoundTrip(t *testing.T) {
	e := build(t, everyConst)
	code, blob := encode(e)
	d, err := Decode(code, blob)
	if err != nil {
		t.Fatal(err)
	}
	if d.AsText() != e.AsText() || d.Stats() != e.Stats() || !reflect.DeepEqual(d.InstrData, e.InstrData) {
		t.Errorf("got\n%s\nwant\n%s", d.AsText(), e.AsText())
	}
	for i := range e.Consts {
		if !e.Consts[i].equal(d.Consts[i]) {
			t.Errorf("constant %d: %v, want %v", i, d.Consts[i], e.Consts[i])
		}
	}
	for n := range code {
		if _, err := Decode(code[:n], blob); err == nil {
			t.Fatalf("code cut at %d was accepted", n)
		}
	}
	if _, err := Decode(code, blob[:1]); err == nil {
		t.Error("a short blob was accepted")
	}
	code[len(codeMagic)-1]++
	if _, err := Decode(code, blob); err == nil {
		t.Error("another version was accepted")
	}
}

// FuzzDecode decodes arbitrary bytes and runs what is accepted: errors are fine, panics
// and memory that stays on the device are not.
func FuzzDecode(f *testing.F) {
	for _, fn := range []func(*Builder){everyConst, shaped, control} {
		code, blob := encode(build(f, fn))
		f.Add(code, blob)
	}
	e := runtime.NewEngine(wasm.NewLoader(wasm.Options{}))
	d, err := e.NewDevice(runtime.DeviceOptions{MaxBytes: 4 << 20})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { e.Close() })
	f.Fuzz(func(t *testing.T, code, blob []byte) {
		exec, err := Decode(code, blob)
		if err != nil {
			return
		}
		exec.AsText()
		exec.Stats()
		m, err := Load(context.Background(), d, exec, modules(kerneltest.Services()), Options{MaxDepth: 4, MaxTurns: 100})
		if err != nil {
			return
		}
		defer m.Close()
		x := tensor.MustNew(dtype.Float32T, 3)
		for _, fn := range exec.Funcs {
			if fn.Kind == VMFunc && fn.NumArgs < 8 && len(exec.InstrOffset) < 64 {
				in := make([]*tensor.Tensor, fn.NumArgs)
				for i := range in {
					in[i] = x
				}
				m.Run(context.Background(), fn.Name, in...)
			}
		}
	})
}

// TestRandomPrograms builds programs of random calls: whatever they do, they end without
// a panic and without a byte left on the device.
func TestRandomPrograms(t *testing.T) {
	d := device(t)
	names := append(Builtins(), "add", "nop", "next", "twice", "trap")
	warm, err := d.Upload(vec(1))
	if err != nil {
		t.Fatal(err)
	}
	warm.Release()
	used := d.Stats().Used
	seed.Check(t, func(t *rapid.T) {
		b := NewBuilder()
		b.EmitFunction("main", 2, nil)
		written := []Reg{0, 1}
		arg := func() Arg {
			switch rapid.IntRange(0, 8).Draw(t, "arg") {
			case 0:
				return b.Int(rapid.Int64Range(-2, 5).Draw(t, "int"))
			case 1:
				return b.Shape(rapid.SliceOfN(rapid.Int64Range(0, 4), 0, 3).Draw(t, "shape"))
			case 2:
				return b.DType(rapid.SampledFrom([]dtype.DType{dtype.Float32T, dtype.Int64T, dtype.Void}).Draw(t, "dtype"))
			case 3:
				return VM()
			case 4:
				return b.DeclareFunction(rapid.SampledFrom(names).Draw(t, "fn"), PackedFunc)
			case 5:
				return b.Function("main")
			}
			return Register(rapid.SampledFrom(written).Draw(t, "reg"))
		}
		for range rapid.IntRange(1, 15).Draw(t, "calls") {
			args := make([]Arg, rapid.IntRange(0, 6).Draw(t, "nargs"))
			for i := range args {
				args[i] = arg()
			}
			dst := rapid.Int64Range(0, 8).Draw(t, "dst")
			b.EmitCall(rapid.SampledFrom(names).Draw(t, "callee"), args, dst)
			written = append(written, dst)
		}
		b.EmitRet(Register(rapid.SampledFrom(written).Draw(t, "ret")))
		b.EndFunction("main")
		exec, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		m, err := Load(context.Background(), d, exec, modules(kerneltest.Basic()), Options{MaxDepth: 4, MaxTurns: 100})
		if err != nil {
			t.Fatal(err)
		}
		m.Run(context.Background(), "main", vec(1, 2, 3), vec(4, 5, 6))
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if got := d.Stats().Used; got != used {
			t.Fatalf("%d bytes are left on the device", got-used)
		}
	})
}
