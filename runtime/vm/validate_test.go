package vm

import (
	"math"
	"strings"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// handmade is an executable with every instruction and kind of argument, written word by word:
// f is [call, if, goto, call, ret] at words 0, 10, 13, 15 and 19, g is [ret] at word 21.
func handmade() *Executable {
	return &Executable{
		Funcs: []FuncInfo{
			{Name: "p"},
			{Kind: VMFunc, Name: "f", Start: 0, End: 5, NumArgs: 1, RegisterFileSize: 3},
			{Kind: VMFunc, Name: "g", Start: 5, End: 6, RegisterFileSize: 1},
		},
		Consts:      []Const{{Kind: ConstInt, Int: 1}, {Kind: ConstShape, Shape: []int64{0, 2}}},
		InstrOffset: []int64{0, 10, 13, 15, 19, 21},
		InstrData: []int64{
			1, 1, 0, 6, 0, 2<<56 | 1, 1<<56 | 5, 3<<56 | 2, int64(VoidReg), int64(VMReg),
			4, 1, 2,
			3, 1,
			1, int64(VoidReg), 0, 0,
			2, 1,
			2, int64(VoidReg),
		},
	}
}

// TestValidate gives every field its largest legal value and its smallest, and one beyond.
func TestValidate(t *testing.T) {
	word := func(at int, v int64) func(*Executable) { return func(e *Executable) { e.InstrData[at] = v } }
	arg := func(k int64, v int64) func(*Executable) { return word(4, k<<56|v&(1<<56-1)) }
	fn := func(i int, edit func(*FuncInfo)) func(*Executable) {
		return func(e *Executable) { edit(&e.Funcs[i]) }
	}
	span := func(start, end int64) func(*Executable) {
		return fn(1, func(f *FuncInfo) { f.Start, f.End = start, end })
	}
	konst := func(c Const) func(*Executable) { return func(e *Executable) { e.Consts[1] = c } }
	all := func(edits ...func(*Executable)) func(*Executable) {
		return func(e *Executable) {
			for _, edit := range edits {
				edit(e)
			}
		}
	}
	held := func(n int) *tensor.Tensor {
		return &tensor.Tensor{DType: dtype.Float32T, Shape: []int64{2}, Data: make([]byte, n)}
	}
	for _, c := range []struct {
		name string
		edit func(*Executable)
		want string // the whole error; empty where the executable is legal
	}{
		{"unchanged", all(), ""},

		{"layout: first not at 0", func(e *Executable) { e.InstrOffset[0] = 1 }, "instruction 0 starts at word 1, expected 0"},
		{"layout: a gap", func(e *Executable) { e.InstrOffset[2] = 14 }, "instruction 2 starts at word 14, expected 13"},
		{"layout: an overlap", func(e *Executable) { e.InstrOffset[2] = 12 }, "instruction 2 starts at word 12, expected 13"},
		{"layout: a word too many", func(e *Executable) { e.InstrData = append(e.InstrData, 0) }, "24 words of code, of which instructions use 23"},
		{"layout: an instruction at the end", func(e *Executable) { e.InstrOffset = append(e.InstrOffset, 23) }, "instruction 6 starts at word 23, but the code has 23"},
		{"layout: cut ret", func(e *Executable) { e.InstrData = e.InstrData[:22] }, "instruction 5 is truncated"},
		{"layout: cut goto", func(e *Executable) { e.InstrData, e.InstrOffset = e.InstrData[:14], e.InstrOffset[:3] }, "instruction 2 is truncated"},
		{"layout: cut if", func(e *Executable) { e.InstrData, e.InstrOffset = e.InstrData[:12], e.InstrOffset[:2] }, "instruction 1 is truncated"},
		{"layout: cut call", func(e *Executable) { e.InstrData, e.InstrOffset = e.InstrData[:3], e.InstrOffset[:1] }, "instruction 0 is truncated"},
		{"layout: cut arguments", func(e *Executable) { e.InstrData, e.InstrOffset = e.InstrData[:9], e.InstrOffset[:1] }, "instruction 0: its 6 arguments extend beyond the end of the code"},
		{"opcode 0", word(0, 0), "instruction 0 has the unknown opcode 0"},
		{"opcode 5", word(10, 5), "instruction 1 has the unknown opcode 5"},
		{"opcode of 2^32+1", word(0, 1<<32+1), "instruction 0 has the unknown opcode 4294967297"},
		{"arguments to the end of the code", word(3, 19), "instruction 1 starts at word 10, expected 23"},
		{"one argument more", word(3, 20), "instruction 0: its 20 arguments extend beyond the end of the code"},
		{"-1 arguments", word(3, -1), "instruction 0: its -1 arguments extend beyond the end of the code"},
		{"very many arguments", word(3, math.MaxInt64), "instruction 0: its 9223372036854775807 arguments extend beyond the end of the code"},

		{"no name", fn(1, func(f *FuncInfo) { f.Name = "" }), "function 1 has no name"},
		{"one name twice", fn(2, func(f *FuncInfo) { f.Name = "f" }), "function f is in the table twice"},
		{"kind 2", fn(1, func(f *FuncInfo) { f.Kind = 2 }), "function f has the unknown kind 2"},
		{"kind -1", fn(2, func(f *FuncInfo) { f.Kind = -1 }), "function g has the unknown kind -1"},
		{"fields of a packed function", fn(0, func(f *FuncInfo) { f.Start, f.End, f.NumArgs = 0, 100, -1 }), ""},

		{"shared instructions", fn(2, func(f *FuncInfo) { f.Start = 4 }), "function g has more instructions than there are left"},
		{"instructions of no function", span(4, 5), ""},
		{"empty", span(4, 4), "function f: instructions [4, 4) of 6: was EndFunction called?"},
		{"backwards", span(5, 4), "function f: instructions [5, 4) of 6: was EndFunction called?"},
		{"start -1", span(-1, 5), "function f: instructions [-1, 5) of 6: was EndFunction called?"},
		{"start far below", span(math.MinInt64, math.MaxInt64), "function f: instructions [-9223372036854775808, 9223372036854775807) of 6: was EndFunction called?"},
		{"end beyond the code", all(span(4, 5), fn(2, func(f *FuncInfo) { f.End = 7 })), "function g: instructions [5, 7) of 6: was EndFunction called?"},
		{"no ret at the end", span(0, 4), "function f: the last instruction is not a ret"},
		{"goto at the end", all(span(2, 3), word(14, 1)), "function f: instruction 0: a jump by 1 leaves the function or goes backward"},

		{"all registers are arguments", fn(1, func(f *FuncInfo) { f.NumArgs = 3 }), ""},
		{"more arguments than registers", fn(1, func(f *FuncInfo) { f.NumArgs = 4 }), "function f: 4 arguments with 3 registers: expected at least as many registers, and at most 1048576"},
		{"no arguments", fn(1, func(f *FuncInfo) { f.NumArgs = 0 }), ""},
		{"-1 arguments of a function", fn(1, func(f *FuncInfo) { f.NumArgs = -1 }), "function f: -1 arguments with 3 registers: expected at least as many registers, and at most 1048576"},
		{"the largest frame", fn(1, func(f *FuncInfo) { f.RegisterFileSize = 1 << 20 }), ""},
		{"a larger frame", fn(1, func(f *FuncInfo) { f.RegisterFileSize = 1<<20 + 1 }), "function f: 1 arguments with 1048577 registers: expected at least as many registers, and at most 1048576"},
		{"the smallest frame", fn(1, func(f *FuncInfo) { f.RegisterFileSize = 2 }), ""},
		{"a smaller frame", fn(1, func(f *FuncInfo) { f.RegisterFileSize = 1 }), "function f: instruction 0: register %1 is out of range: there are 1"},
		{"a name for each parameter", fn(1, func(f *FuncInfo) { f.ParamNames = []string{"x"} }), ""},
		{"a name too many", fn(1, func(f *FuncInfo) { f.ParamNames = []string{"x", "y"} }), "function f: 2 parameter names for 1 arguments"},
		{"a name too few", fn(1, func(f *FuncInfo) { f.NumArgs, f.ParamNames = 2, []string{"x"} }), "function f: 1 parameter names for 2 arguments"},

		{"dst 0", word(1, 0), ""},
		{"dst 2", word(1, 2), ""},
		{"dst 3", word(1, 3), "function f: instruction 0: register %3 is out of range: there are 3"},
		{"dst -1", word(1, -1), "function f: instruction 0: register %-1 is out of range: there are 3"},
		{"dst void", word(1, VoidReg), ""},
		{"dst vm", word(1, VMReg), "function f: instruction 0: register %vm is out of range: there are 3"},
		{"callee 2", word(17, 2), ""},
		{"callee 3", word(17, 3), "function f: instruction 3: call of function 3, but there are 3"},
		{"callee -1", word(17, -1), "function f: instruction 3: call of function -1, but there are 3"},
		{"argument %2", arg(0, 2), ""},
		{"argument %3", arg(0, 3), "function f: instruction 0: argument 0 is register, constant or function 3, but there are 3"},
		{"argument %-1", arg(0, -1), "function f: instruction 0: argument 0 is register, constant or function -1, but there are 3"},
		{"argument beyond the special registers", arg(0, VMReg+1), "function f: instruction 0: argument 0 is register, constant or function 18014398509481986, but there are 3"},
		{"the last argument", word(9, 3), "function f: instruction 0: argument 5 is register, constant or function 3, but there are 3"},
		{"the largest immediate", arg(1, 1<<55-1), ""},
		{"the smallest immediate", arg(1, -1<<55), ""},
		{"argument c[0]", arg(2, 0), ""},
		{"argument c[1]", arg(2, 1), ""},
		{"argument c[2]", arg(2, 2), "function f: instruction 0: argument 0 is register, constant or function 2, but there are 2"},
		{"argument c[-1]", arg(2, -1), "function f: instruction 0: argument 0 is register, constant or function -1, but there are 2"},
		{"a constant as void", arg(2, VoidReg), "function f: instruction 0: argument 0 is register, constant or function 18014398509481984, but there are 2"},
		{"argument f[2]", arg(3, 2), ""},
		{"argument f[3]", arg(3, 3), "function f: instruction 0: argument 0 is register, constant or function 3, but there are 3"},
		{"argument f[-1]", arg(3, -1), "function f: instruction 0: argument 0 is register, constant or function -1, but there are 3"},
		{"argument of kind 4", arg(4, 0), "function f: instruction 0: argument 0 has the unknown kind 4"},
		{"argument of kind 255", arg(-1, 0), "function f: instruction 0: argument 0 has the unknown kind 255"},

		{"if %0", word(11, 0), ""},
		{"if %2", word(11, 2), ""},
		{"if %3", word(11, 3), "function f: instruction 1: register %3 is out of range: there are 3"},
		{"if %-1", word(11, -1), "function f: instruction 1: register %-1 is out of range: there are 3"},
		{"if void", word(11, VoidReg), "function f: instruction 1: register %void is out of range: there are 3"},
		{"if by 3", word(12, 3), ""},
		{"if by 4", word(12, 4), "function f: instruction 1: a jump by 4 leaves the function or goes backward"},
		{"if by 1", word(12, 1), "function f: instruction 1: a jump by 1 leaves the function or goes backward"},
		{"if by -1", word(12, -1), "function f: instruction 1: a jump by -1 leaves the function or goes backward"},
		{"goto 2", word(14, 2), ""},
		{"goto 3", word(14, 3), "function f: instruction 2: a jump by 3 leaves the function or goes backward"},
		{"goto 0", word(14, 0), "function f: instruction 2: a jump by 0 leaves the function or goes backward"},
		{"goto -1", word(14, -1), "function f: instruction 2: a jump by -1 leaves the function or goes backward"},
		{"ret %2", word(20, 2), ""},
		{"ret %3", word(20, 3), "function f: instruction 4: register %3 is out of range: there are 3"},
		{"ret %-1", word(20, -1), "function f: instruction 4: register %-1 is out of range: there are 3"},
		{"ret void", word(20, VoidReg), ""},
		{"ret vm", word(20, VMReg), "function f: instruction 4: register %vm is out of range: there are 3"},
		{"the place is within its function", word(22, 1), "function g: instruction 0: register %1 is out of range: there are 1"},

		{"a tensor", konst(Const{Kind: ConstTensor, Tensor: held(8)}), ""},
		{"a byte too few", konst(Const{Kind: ConstTensor, Tensor: held(7)}), "constant 1: float32[2] holds 7 bytes, expected 8"},
		{"a byte too many", konst(Const{Kind: ConstTensor, Tensor: held(9)}), "constant 1: float32[2] holds 9 bytes, expected 8"},
		{"no tensor", konst(Const{Kind: ConstTensor}), "constant 1: a tensor is missing"},
		{"a splat", konst(Const{Kind: ConstSplat, Tensor: held(4)}), ""},
		{"a splat of two elements", konst(Const{Kind: ConstSplat, Tensor: held(8)}), "constant 1: float32[2] holds 8 bytes, expected 4"},
		{"an empty splat", konst(Const{Kind: ConstSplat, Tensor: held(0)}), "constant 1: float32[2] holds 0 bytes, expected 4"},
		{"no tensor for a splat", konst(Const{Kind: ConstSplat}), "constant 1: a tensor is missing"},
		{"a shape with -1", konst(Const{Kind: ConstShape, Shape: []int64{3, -1}}), "constant 1: shape [3, -1] has a negative dimension"},
		{"a shape with 0", konst(Const{Kind: ConstShape, Shape: []int64{0}}), ""},
		{"a string", konst(Const{Kind: ConstString}), ""},
		{"a float", konst(Const{Kind: ConstFloat, Float: math.NaN()}), ""},
		{"a type", konst(Const{Kind: ConstDType}), ""},
		{"a constant of kind 7", konst(Const{Kind: 7}), "constant 1: unknown kind 7"},
	} {
		e := handmade()
		c.edit(e)
		got := ""
		if err := e.Validate(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for _, kind := range []ConstKind{ConstTensor, ConstSplat} {
		e := handmade()
		e.Consts[0] = Const{Kind: kind, Tensor: &tensor.Tensor{DType: dtype.Float32T, Shape: []int64{-1}, Data: make([]byte, 4)}}
		if err := e.Validate(); err == nil || !strings.HasPrefix(err.Error(), "constant 0: ") {
			t.Errorf("a tensor of a negative shape: %v", err)
		}
	}
}

// TestInstr reads instructions of executables that nobody has validated.
func TestInstr(t *testing.T) {
	e := handmade()
	for i, want := range []Instr{
		{Op: OpCall, Dst: 1, Func: 0, Args: []Arg{Register(0), 2<<56 | 1, 1<<56 | 5, 3<<56 | 2, Void(), VM()}},
		{Op: OpIf, Reg: 1, Offset: 2},
		{Op: OpGoto, Offset: 1},
		{Op: OpCall, Dst: VoidReg, Args: []Arg{}},
		{Op: OpRet, Reg: 1},
		{Op: OpRet, Reg: VoidReg},
	} {
		in, err := e.Instr(int64(i))
		if err != nil || in.Op != want.Op || in.Dst != want.Dst || in.Func != want.Func || in.Reg != want.Reg || in.Offset != want.Offset || len(in.Args) != len(want.Args) {
			t.Fatalf("instruction %d is %+v, %v, want %+v", i, in, err, want)
		}
		for k := range want.Args {
			if in.Args[k] != want.Args[k] {
				t.Errorf("instruction %d, argument %d is %x, want %x", i, k, in.Args[k], want.Args[k])
			}
		}
	}
	refused := func(i int64, want string) {
		t.Helper()
		if in, err := e.Instr(i); err == nil || err.Error() != want || in.Op != 0 {
			t.Errorf("%+v, %v, want %s", in, err, want)
		}
	}
	refused(-1, "instruction -1 of 6")
	refused(6, "instruction 6 of 6")
	e.InstrOffset[1] = -1
	refused(1, "instruction 1 starts at word -1, but the code has 23")
	e.InstrOffset[1] = 23
	refused(1, "instruction 1 starts at word 23, but the code has 23")
	if text := e.AsText(); !strings.Contains(text, "\n  <instruction 1 starts at word 23, but the code has 23>\n\n@g:\n") {
		t.Errorf("a damaged function is printed as\n%s", text)
	}
}
