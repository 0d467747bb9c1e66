package models

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler"
	. "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// corner is a node on x, or on x and y, and what it computes of a pair of their elements: an element of its result, in one of the ways that are right.
// It is nil for pairs of which nothing is said.
type corner struct {
	op    string
	y     bool
	attrs []onnxpb.Attribute
	to    onnxpb.DataType
	want  func(i int) []any // a float64, or the bits of an integer as an int64
}

// codeTargets are those that this machine executes, x86 also with short vectors.
func codeTargets(t *testing.T) (out []target.Target) {
	for _, name := range []string{"wasm", "x86", "x86 -mattr=+avx2", "interp"} {
		to, err := target.Parse(name)
		if err == nil {
			to, err = compiler.ForMachine(to)
		}
		if err != nil {
			t.Logf("without %s: %v", name, err)
			continue
		}
		out = append(out, to)
	}
	return out
}

// corners runs nodes on data, and on constants, for each target. A single element is a constant.
func corners(t *testing.T, pb onnxpb.DataType, x, y *tensor.Tensor, nodes []corner) {
	t.Helper()
	h := newHarness(t)
	for _, constant := range []bool{false, true} {
		b := New("corners", 23)
		var in []*tensor.Tensor
		for i, v := range []*tensor.Tensor{x, y} {
			name := string(rune('x' + i))
			if constant || v.Len() == 1 {
				b.Initializer(name, onnxpb.Tensor{Type: pb, Dims: v.Shape, Data: v.Data})
			} else {
				b.Input(name, pb, v.Len())
				in = append(in, v)
			}
		}
		for i, n := range nodes {
			args := []string{"x"}
			if n.y {
				args = append(args, "y")
			}
			b.Output(b.Node(n.op, fmt.Sprintf("n%d", i), args, n.attrs...), n.to)
		}
		mod := h.importModel(b.Model())
		for _, to := range codeTargets(t) {
			for _, level := range []int{0, 3} {
				if constant && level == 0 { // computed as data is
					continue
				}
				outs, err := h.compileAndRun(mod, settings{target: to, level: level}, [][]*tensor.Tensor{in})
				if err != nil {
					t.Fatalf("%s for %s: %v", pb, to, err)
				}
				for k, n := range nodes {
					wrong := 0
					for i := range x.Len() {
						got, want := element(outs[0][k], i), n.want(i)
						if want == nil || slices.ContainsFunc(want, func(w any) bool { return alike(got, w) }) {
							continue
						}
						if wrong++; wrong < 4 {
							t.Errorf("constants %v, target %s, level %d: %s of %v and %v %s to %s is %v, want %v", constant, to, level, n.op, element(x, i), element(y, min(i, y.Len()-1)), pb, n.to, got, want[0])
						}
					}
				}
			}
		}
	}
}

func element(t *tensor.Tensor, i int) any {
	if t.DType.IsFloat() {
		return t.Float(i)
	}
	return t.Int(i)
}

// alike compares the values of floats, signs of zeros included, and of integers.
func alike(got, want any) bool {
	a, ok := got.(float64)
	if !ok {
		return got == want
	}
	b := want.(float64)
	return a == b && math.Signbit(a) == math.Signbit(b) || a != a && b != b
}

// pairs are tensors with every pair of the values.
func pairs[T any](t *testing.T, pb onnxpb.DataType, values []T, set func(t *tensor.Tensor, i int, v T)) (x, y *tensor.Tensor) {
	t.Helper()
	dt, err := pb.DType()
	if err != nil {
		t.Fatal(err)
	}
	n := len(values)
	x, y = tensor.MustNew(dt, int64(n*n)), tensor.MustNew(dt, int64(n*n))
	for i := range n * n {
		set(x, i, values[i/n])
		set(y, i, values[i%n])
	}
	return x, y
}

// floatUnary and floatBinary are what IEEE 754, and the text of the operators, say. They compute in float64, which rounds to a shorter type as one
// rounding would.
var (
	floatUnary = map[string]func(x float64) float64{
		"Neg": func(x float64) float64 { return -x }, "Abs": math.Abs, "Ceil": math.Ceil, "Floor": math.Floor, "Round": math.RoundToEven, "Sqrt": math.Sqrt,
		"Reciprocal": func(x float64) float64 { return 1 / x }, "Identity": func(x float64) float64 { return x },
	}
	floatBinary = map[string]func(x, y float64) float64{
		"Add": func(x, y float64) float64 { return x + y }, "Sub": func(x, y float64) float64 { return x - y }, "Mul": func(x, y float64) float64 { return x * y },
		"Div": func(x, y float64) float64 { return x / y }, "Mod": math.Mod,
	}
	floatCompare = map[string]func(x, y float64) bool{
		"Equal": func(x, y float64) bool { return x == y }, "Less": func(x, y float64) bool { return x < y }, "LessOrEqual": func(x, y float64) bool { return x <= y },
		"Greater": func(x, y float64) bool { return x > y }, "GreaterOrEqual": func(x, y float64) bool { return x >= y },
	}
	// floatEnds are what functions are at infinities, zeros, and where they are not defined; other values are not looked at.
	floatEnds = map[string]map[float64]float64{
		"Exp": {math.Inf(1): math.Inf(1), math.Inf(-1): 0, 0: 1}, "Log": {math.Inf(1): math.Inf(1), 0: math.Inf(-1), -1: math.NaN(), math.Inf(-1): math.NaN(), 1: 0},
		"Sin": {math.Inf(1): math.NaN(), 0: 0}, "Cos": {math.Inf(-1): math.NaN(), 0: 1}, "Tan": {math.Inf(1): math.NaN(), 0: 0},
		"Asin": {2: math.NaN(), math.Inf(1): math.NaN()}, "Acos": {-2: math.NaN(), 1: 0}, "Atan": {0: 0},
		"Sinh": {math.Inf(-1): math.Inf(-1), math.Inf(1): math.Inf(1)}, "Cosh": {math.Inf(-1): math.Inf(1), 0: 1}, "Tanh": {math.Inf(1): 1, math.Inf(-1): -1},
		"Asinh": {math.Inf(1): math.Inf(1), math.Inf(-1): math.Inf(-1)}, "Acosh": {1: 0, 0.5: math.NaN(), math.Inf(1): math.Inf(1), math.Inf(-1): math.NaN()},
		"Atanh": {1: math.Inf(1), -1: math.Inf(-1), 2: math.NaN()}, "Erf": {math.Inf(1): 1, math.Inf(-1): -1}, "Sigmoid": {math.Inf(1): 1, math.Inf(-1): 0, 0: 0.5},
	}
)

// TestFloatCorners computes with infinities, NaNs, zeros of both signs, the largest and the least numbers, and those that are not normal.
func TestFloatCorners(t *testing.T) {
	for _, pb := range []onnxpb.DataType{onnxpb.Float, onnxpb.Double, onnxpb.Float16, onnxpb.Bfloat16} {
		values := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1, -1, 2, -2, 0.5, -0.5, 2.5, -3, 7}
		most, least, tiny := floatLimits(pb)
		values = append(values, most, -most, least, tiny, -tiny, -3*tiny, most/2)
		x, y := pairs(t, pb, values, func(t *tensor.Tensor, i int, v float64) { t.SetFloat(i, v) })
		rounded := func(v float64) []any {
			one := tensor.MustNew(x.DType, 1)
			one.SetFloat(0, v)
			return []any{one.Float(0)}
		}
		var nodes []corner
		for op, f := range floatUnary {
			nodes = append(nodes, corner{op, false, nil, pb, func(i int) []any { return rounded(f(x.Float(i))) }})
		}
		for op, f := range floatBinary {
			var attrs []onnxpb.Attribute
			if op == "Mod" {
				attrs = append(attrs, Int("fmod", 1))
			}
			nodes = append(nodes, corner{op, true, attrs, pb, func(i int) []any { return rounded(f(x.Float(i), y.Float(i))) }})
		}
		for op, f := range floatCompare {
			nodes = append(nodes, corner{op, true, nil, onnxpb.Bool, func(i int) []any {
				if f(x.Float(i), y.Float(i)) {
					return []any{int64(1)}
				}
				return []any{int64(0)}
			}})
		}
		for op, ends := range floatEnds {
			nodes = append(nodes, corner{op, false, nil, pb, func(i int) []any {
				v := x.Float(i)
				if math.IsNaN(v) {
					return []any{v}
				}
				if want, ok := ends[v]; ok && (v != 0 || !math.Signbit(v)) {
					return []any{want, -want}[:1+bit(want == 0)]
				}
				return nil
			}})
		}
		corners(t, pb, x, y, nodes)
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// floatLimits are the largest number of a type, the least that is normal, and the least of all.
func floatLimits(pb onnxpb.DataType) (most, least, tiny float64) {
	switch pb {
	case onnxpb.Float:
		return math.MaxFloat32, 0x1p-126, 0x1p-149
	case onnxpb.Float16:
		return 65504, 0x1p-14, 0x1p-24
	case onnxpb.Bfloat16:
		return 0x1.fep127, 0x1p-126, 0x1p-133
	}
	return math.MaxFloat64, 0x1p-1022, 0x1p-1074
}

// TestPowerCorners raises to constant exponents, for which kernels have products and roots.
func TestPowerCorners(t *testing.T) {
	values := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1, -1, 2, -2, 4, 0.25}
	x, _ := pairs(t, onnxpb.Float, values, func(t *tensor.Tensor, i int, v float64) { t.SetFloat(i, v) })
	for _, exponent := range []float64{0, 1, 2, 3, 4, -1, -2, 0.5, -0.5, 1.5, 0.25, -3, math.Inf(1), math.NaN()} {
		y := tensor.MustNew(x.DType)
		y.SetFloat(0, exponent)
		corners(t, onnxpb.Float, x, y, []corner{{"Pow", true, nil, onnxpb.Float, func(i int) []any {
			want := math.Pow(x.Float(i), exponent)
			if want != want || want == 0 || want == 1 || math.IsInf(want, 0) || want == math.Trunc(want) {
				return []any{want}
			}
			return nil
		}}})
	}
}

// TestIntegerCorners computes with the ends of integers, where sums wrap, remainders have the sign of one operand or the other, and the least number
// divided by -1 is itself.
func TestIntegerCorners(t *testing.T) {
	for _, pb := range []onnxpb.DataType{onnxpb.Int8, onnxpb.Uint8, onnxpb.Int16, onnxpb.Uint16, onnxpb.Int32, onnxpb.Uint32, onnxpb.Int64, onnxpb.Uint64} {
		dt, err := pb.DType()
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := dt.IntLimits()
		values := []int64{1, 2, 3, 34, lo, hi, hi - 1, hi/2 + 1}
		if dt.IsInt() {
			values = append(values, -1, -2, -3, -34, lo+1)
		} else if dt.Bits == 64 {
			values = append(values, -1, -34, math.MinInt64) // numbers beyond int64
		}
		x, y := pairs(t, pb, values, func(t *tensor.Tensor, i int, v int64) { t.SetInt(i, v) })
		for i := range y.Len() {
			if y.Int(i) == 0 { // a division by zero ends the run
				y.SetInt(i, 5)
			}
		}
		wrapped := func(v int64) []any {
			one := tensor.MustNew(dt, 1)
			one.SetInt(0, v)
			return []any{one.Int(0)}
		}
		var nodes []corner
		add := func(op string, f func(x, y int64) int64, attrs ...onnxpb.Attribute) {
			nodes = append(nodes, corner{op, true, attrs, pb, func(i int) []any {
				if op == "BitShift" && uint64(y.Int(i)) >= uint64(dt.Bits) {
					return nil
				}
				return wrapped(f(x.Int(i), y.Int(i)))
			}})
		}
		add("Add", func(x, y int64) int64 { return x + y })
		add("Sub", func(x, y int64) int64 { return x - y })
		add("Mul", func(x, y int64) int64 { return x * y })
		if dt.IsUInt() {
			add("Max", func(x, y int64) int64 { return int64(max(uint64(x), uint64(y))) })
			add("Div", func(x, y int64) int64 { return int64(uint64(x) / uint64(y)) })
			add("Mod", func(x, y int64) int64 { return int64(uint64(x) % uint64(y)) })
			add("BitShift", func(x, y int64) int64 { return x << y }, Str("direction", "LEFT"))
			add("BitShift", func(x, y int64) int64 { return int64(uint64(x) >> y) }, Str("direction", "RIGHT"))
		} else {
			add("Max", func(x, y int64) int64 { return max(x, y) })
			add("Div", func(x, y int64) int64 { return x / y })
			add("Mod", func(x, y int64) int64 { return x % y }, Int("fmod", 1))
			add("Mod", func(x, y int64) int64 {
				if r := x % y; r != 0 && (r < 0) != (y < 0) {
					return r + y
				}
				return x % y
			})
		}
		corners(t, pb, x, y, nodes)
	}
}
