package vm

import (
	"math"
	"slices"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestBuilderMessages makes each error that a builder reports.
func TestBuilderMessages(t *testing.T) {
	for want, f := range map[string]func(b *Builder){
		"function g begins before the end of f":                                   func(b *Builder) { b.EmitFunction("f", 1, nil); b.EmitFunction("g", 1, nil) },
		"end of function g, which is not the one being emitted":                   func(b *Builder) { b.EndFunction("g") },
		"end of function h, which is not the one being emitted":                   func(b *Builder) { b.EmitFunction("f", 1, nil); b.EndFunction("h") },
		"function f was not ended":                                                func(b *Builder) { b.EmitFunction("f", 1, nil); b.EmitRet(Register(0)) },
		"the callee is not in the function table: call vm.builtin.invoke_closure": func(b *Builder) { b.EmitFunction("f", 1, nil); b.EmitCallArg(b.Int(1), nil, 1) },
		"if needs a register as its condition":                                    func(b *Builder) { b.EmitFunction("f", 1, nil); b.EmitIf(b.Int(1), 2) },
		"ret needs a register: copy the constant with vm.builtin.copy first":      func(b *Builder) { b.EmitFunction("f", 1, nil); b.EmitRet(b.String("")) },
		"setting a jump: instruction 1 of 1":                                      func(b *Builder) { identity(b, "f"); b.SetOffset(1, 1) },
		"setting a jump: instruction -1 of 1":                                     func(b *Builder) { identity(b, "f"); b.SetOffset(-1, 1) },
		"setting a jump: instruction 0 is not a goto or if":                       func(b *Builder) { identity(b, "f"); b.SetOffset(0, 1) },
		"an instruction outside of a function":                                    func(b *Builder) { identity(b, "f"); b.EmitGoto(1) },
		"function f was declared as vm_func, now as packed_func":                  func(b *Builder) { identity(b, "f"); b.DeclareFunction("f", PackedFunc) },
		"function f is defined twice":                                             func(b *Builder) { identity(b, "f"); identity(b, "f") },
		"function f was not declared":                                             func(b *Builder) { b.Function("f") },
		"function f was declared but not emitted":                                 func(b *Builder) { b.DeclareFunction("f", VMFunc); b.DeclareFunction("g", VMFunc) },
		"function f: register %1 is read but never written":                       func(b *Builder) { b.EmitFunction("f", 1, nil); b.EmitRet(Register(1)); b.EndFunction("f") },
		"function a: register %4 is read but never written":                       reads(func(b *Builder) { b.EmitCall("p", []Arg{Register(0), Register(4)}, 1); b.EmitRet(Register(1)) }),
		"function a: register %5 is read but never written":                       reads(func(b *Builder) { b.EmitIf(Register(5), 2); b.EmitRet(Register(0)); b.EmitRet(Register(0)) }),
		"function a: instruction 0: register %vm is out of range: there are 1":    reads(func(b *Builder) { b.EmitRet(VM()) }),
		"constant: shape [-1] has a negative dimension":                           func(b *Builder) { b.Shape([]int64{-1}) },
		"constant: float32[1] holds 0 bytes, expected 4":                          func(b *Builder) { b.Splat(dtype.Float32T, []int64{1}, nil) },
		"function  begins before the end of f":                                    func(b *Builder) { b.EmitFunction("f", 1, nil); b.EmitFunction("", 1, nil); b.Function("later") },
		"function f: 1 parameter names for 2 arguments":                           func(b *Builder) { b.EmitFunction("f", 2, []string{"x"}); b.EmitRet(Register(0)); b.EndFunction("f") },
		"function f: instruction 0: call of function 7, but there are 1": func(b *Builder) {
			b.EmitFunction("f", 1, nil)
			b.EmitCallArg(makeArg(ArgFunc, 7), nil, 1)
			b.EmitRet(Register(0))
			b.EndFunction("f")
		},
		"function f: instruction 0: argument 0 is register, constant or function 3, but there are 0": func(b *Builder) {
			b.EmitFunction("f", 1, nil)
			b.EmitCall("f", []Arg{makeArg(ArgConst, 3)}, 1)
			b.EmitRet(Register(0))
			b.EndFunction("f")
		},
		"function f: instruction 0: a jump by 0 leaves the function or goes backward": func(b *Builder) {
			b.EmitFunction("f", 1, nil)
			b.EmitGoto(0)
			b.EmitRet(Register(0))
			b.EndFunction("f")
		},
	} {
		b := NewBuilder()
		f(b)
		e, err := b.Build()
		if err == nil || err.Error() != "building a VM executable: "+want || e != nil {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// reads is a(x) with a body.
func reads(body func(b *Builder)) func(b *Builder) {
	return func(b *Builder) {
		b.EmitFunction("a", 1, nil)
		body(b)
		b.EndFunction("a")
	}
}

// TestRegisters: arguments keep their registers, also where they are written; others are numbered by their first definition.
func TestRegisters(t *testing.T) {
	e := build(t, func(b *Builder) {
		b.EmitFunction("f", 2, []string{"x", "y"})
		for i, at := range []int64{
			b.EmitCall("p", []Arg{Register(1)}, 1),
			b.EmitCall("p", []Arg{Register(1)}, 90),
			b.EmitCall("p", []Arg{Register(90), VM()}, 50),
			b.EmitCall("p", []Arg{b.Int(90)}, VoidReg),
			b.EmitIf(Register(50), 2),
			b.EmitCall("p", []Arg{Register(50)}, 90),
			b.EmitGoto(1),
			b.EmitRet(Register(90)),
		} {
			if at != int64(i) {
				t.Errorf("instruction %d is said to be %d", i, at)
			}
		}
		b.EndFunction("f")
	})
	const want = "@f:\n" +
		"  call  p                in: %1           dst: %1\n" +
		"  call  p                in: %1           dst: %2\n" +
		"  call  p                in: %2, %vm      dst: %3\n" +
		"  call  p                in: i90          dst: %void\n" +
		"  If    %3, 2\n" +
		"  call  p                in: %3           dst: %2\n" +
		"  goto  1\n" +
		"  ret   %2\n\n" +
		"@p packed_func;\n\n"
	if got := e.AsText(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if f := e.Funcs[0]; f.RegisterFileSize != 4 || f.NumArgs != 2 || !slices.Equal(f.ParamNames, []string{"x", "y"}) || f.Start != 0 || f.End != 8 {
		t.Errorf("%+v", f)
	}
}

// TestConstantPool adds many constants twice: each stands in the pool once, in the order of its first use.
func TestConstantPool(t *testing.T) {
	i32 := func(shape []int64, vals ...int32) *tensor.Tensor { return tensor.MustOf(shape, vals) }
	b := NewBuilder()
	makers := []func() Arg{
		func() Arg { return b.Float(0) },
		func() Arg { return b.Float(math.Copysign(0, -1)) },
		func() Arg { return b.Float(math.NaN()) },
		func() Arg { return b.Float(1) },
		func() Arg { return b.Int(1 << 55) },
		func() Arg { return b.Int(1<<55 + 1) },
		func() Arg { return b.Int(-1<<55 - 1) },
		func() Arg { return b.Int(math.MinInt64) },
		func() Arg { return b.Int(math.MaxInt64) },
		func() Arg { return b.String("") },
		func() Arg { return b.String("float32") },
		func() Arg { return b.DType(dtype.Float32T) },
		func() Arg { return b.DType(dtype.Int32T) },
		func() Arg { return b.Shape(nil) },
		func() Arg { return b.Shape([]int64{1, 2}) },
		func() Arg { return b.Shape([]int64{2, 1}) },
		func() Arg { return b.Shape([]int64{1}) },
		func() Arg { return b.Tensor(i32([]int64{2}, 0, 0)) },
		func() Arg { return b.Tensor(i32([]int64{2}, 0, 1)) },
		func() Arg { return b.Tensor(i32([]int64{2, 1}, 0, 0)) },
		func() Arg { return b.Tensor(i32([]int64{1, 2}, 0, 0)) },
		func() Arg { return b.Tensor(vec(0, 0)) },
		func() Arg { return b.Tensor(tensor.MustOf([]int64{1}, []int64{0})) },
		func() Arg { return b.Tensor(i32(nil, 0)) },
		func() Arg { return b.Splat(dtype.Int32T, nil, make([]byte, 4)) },
		func() Arg { return b.Splat(dtype.Int32T, []int64{2}, make([]byte, 4)) },
		func() Arg { return b.Splat(dtype.Int32T, []int64{2}, []byte{1, 0, 0, 0}) },
		func() Arg { return b.Splat(dtype.Float32T, []int64{2}, make([]byte, 4)) },
	}
	for range 2 {
		for i, f := range makers {
			if a := f(); a.Kind() != ArgConst || a.Value() != int64(i) {
				t.Errorf("constant %d has kind %d and index %d", i, a.Kind(), a.Value())
			}
		}
	}
	for i, c := range b.exec.Consts {
		for k, d := range b.exec.Consts {
			if c.equal(d) != (i == k) {
				t.Errorf("constants %d and %d: equal is %t", i, k, c.equal(d))
			}
		}
	}
	if len(b.consts) != len(makers) {
		t.Errorf("%d constants have %d hashes: finding one compares it with others", len(makers), len(b.consts))
	}
	if v := b.exec.Consts[7]; v.Kind != ConstInt || v.Int != math.MinInt64 {
		t.Errorf("%+v", v)
	}
	for _, v := range []int64{0, 1, -1, 1<<55 - 1, -(1<<55 - 1), 12345678901} {
		if a := b.Int(v); a.Kind() != ArgImm || a.Value() != v {
			t.Errorf("%d is kind %d, value %d", v, a.Kind(), a.Value())
		}
	}
}
