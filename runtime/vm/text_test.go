package vm

import (
	"math"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestPrint prints every instruction, argument and constant, in the layout of TVM's as_text and stats.
func TestPrint(t *testing.T) {
	e := handmade()
	const want = `@p packed_func;

@f:
  call  p                in: %0, c[1], i5, f[g], %void, %vm dst: %1
  If    %1, 2
  goto  1
  call  p                in:              dst: %void
  ret   %1

@g:
  ret   %void

`
	if got := e.AsText(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// What Validate would refuse is printed all the same.
	e.InstrData[4] = 4 << 56
	e.InstrData[5] = 2<<56 | 123
	e.InstrData[6] = 1<<56 | (1<<56 - 27)
	e.InstrData[7] = 3<<56 | 3
	e.InstrData[8] = 3 << 56
	e.InstrData[9] = 45
	e.InstrData[17] = -1
	const damaged = `@p packed_func;

@f:
  call  p                in: unknown_arg(288230376151711744), c[123], i-27, f[unknown_func_index(3)], f[p], %45 dst: %1
  If    %1, 2
  goto  1
  call  unknown_func_index(-1) in:              dst: %void
  ret   %1

@g:
  ret   %void

`
	if got := e.AsText(); got != damaged {
		t.Errorf("got\n%s\nwant\n%s", got, damaged)
	}
	e.Funcs[0].Kind = 9
	if got, want := e.AsText()[:20], "@p func kind 9;\n\n@f:"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	e.Consts = []Const{
		{Kind: ConstTensor, Tensor: tensor.MustOf(nil, []float32{1})},
		{Kind: ConstTensor, Tensor: tensor.MustOf([]int64{2, 1}, []float32{1, 2})},
		{Kind: ConstSplat, Tensor: &tensor.Tensor{DType: dtype.Int8T, Shape: []int64{30}, Data: []byte{1}}},
		{Kind: ConstShape, Shape: []int64{4, 5}},
		{Kind: ConstString, Str: "a\n"},
		{Kind: ConstInt, Int: -1234567890123},
		{Kind: ConstFloat, Float: 0.1},
		{Kind: ConstFloat, Float: 1e300},
		{Kind: ConstFloat, Float: math.Inf(-1)},
		{Kind: ConstDType, DType: dtype.Float16T},
	}
	const stats = "Relax VM executable statistics:\n  Constant pool (# 10): [scalar, [2, 1], [30], shapetuple[4, 5], \"a\\n\", -1234567890123, 0.1, 1e+300, -Inf, float16]\n  Globals (#3): [p, f, g]\n"
	if got := e.Stats(); got != stats {
		t.Errorf("got %s, want %s", got, stats)
	}
}

// TestTables looks functions up, and adds up what constants take on a device.
func TestTables(t *testing.T) {
	e := handmade()
	for i, name := range []string{"p", "f", "g"} {
		if e.Func(name) != &e.Funcs[i] {
			t.Errorf("Func(%q) is not entry %d", name, i)
		}
	}
	if e.Func("h") != nil {
		t.Error("a function that is not there was found")
	}
	if got := e.Packed(); len(got) != 1 || got[0] != "p" {
		t.Errorf("Packed() = %v", got)
	}
	for want, c := range map[int64]Const{
		0:  {Kind: ConstString, Str: "abc"},
		24: {Kind: ConstTensor, Tensor: tensor.MustNew(dtype.Float32T, 2, 3)},
		90: {Kind: ConstSplat, Tensor: &tensor.Tensor{DType: dtype.Int8T, Shape: []int64{90}, Data: []byte{1}}},
	} {
		if got := c.Bytes(); got != want {
			t.Errorf("%v takes %d bytes, want %d", c, got, want)
		}
	}
	if got := (Const{Kind: ConstTensor, Tensor: &tensor.Tensor{DType: dtype.Int8T, Shape: []int64{-5}}}).Bytes(); got != 0 {
		t.Errorf("a tensor of a negative shape takes %d bytes", got)
	}
}
