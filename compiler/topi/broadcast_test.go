package topi

import (
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestBroadcastOfExtents: axes align at the end, 1 gives way, a number wins over a symbol, and of two symbols the first.
func TestBroadcastOfExtents(t *testing.T) {
	n, m := tir.NewSizeVar("n", dtype.Int64T), tir.NewSizeVar("m", dtype.Int64T)
	i := func(v int64) tir.Expr { return tir.Int(v) }
	for _, c := range []struct {
		shapes [][]tir.Expr
		want   []tir.Expr
		err    string
	}{
		{nil, nil, ""},
		{[][]tir.Expr{nil, {i(2)}}, []tir.Expr{i(2)}, ""},
		{[][]tir.Expr{{i(2)}, nil}, []tir.Expr{i(2)}, ""},
		{[][]tir.Expr{{i(2), i(1)}, {i(3)}}, []tir.Expr{i(2), i(3)}, ""},
		{[][]tir.Expr{{i(3)}, {i(2), i(1)}}, []tir.Expr{i(2), i(3)}, ""},
		{[][]tir.Expr{{i(1)}, {i(0)}}, []tir.Expr{i(0)}, ""},
		{[][]tir.Expr{{i(0)}, {i(1)}}, []tir.Expr{i(0)}, ""},
		{[][]tir.Expr{{i(0)}, {i(2)}}, nil, "extents 0 and 2 do not broadcast"},
		{[][]tir.Expr{{n}, {i(1)}}, []tir.Expr{n}, ""},
		{[][]tir.Expr{{i(1)}, {n}}, []tir.Expr{n}, ""},
		{[][]tir.Expr{{n}, {i(4)}}, []tir.Expr{i(4)}, ""},
		{[][]tir.Expr{{i(4)}, {n}}, []tir.Expr{i(4)}, ""},
		{[][]tir.Expr{{n}, {m}}, []tir.Expr{n}, ""},
		{[][]tir.Expr{{n}, {n}}, []tir.Expr{n}, ""},
		{[][]tir.Expr{{tir.Add(n, i(1))}, {tir.Add(n, i(1))}}, []tir.Expr{tir.Add(n, i(1))}, ""},
		{[][]tir.Expr{{i(4), n}, {m, i(1), i(5)}, {i(3), i(1), i(1)}}, []tir.Expr{i(3), i(4), i(5)}, ""},
		{[][]tir.Expr{{i(2)}, {i(2)}, {i(2), i(3)}}, nil, "extents 2 and 3 do not broadcast"},
	} {
		before := fmt.Sprint(c.shapes)
		got, err := BroadcastShape(c.shapes...)
		switch {
		case c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%v: %v, want %q", c.shapes, err, c.err)
			}
		case err != nil || len(got) != len(c.want):
			t.Errorf("%v become %v (%v), want %v", c.shapes, got, err, c.want)
		default:
			for k := range got {
				if !ir.StructuralEqual(got[k], c.want[k], ir.EqualOpts{}) {
					t.Errorf("%v become %v, want %v", c.shapes, got, c.want)
				}
			}
		}
		if fmt.Sprint(c.shapes) != before {
			t.Errorf("the shapes %s were changed to %v", before, c.shapes)
		}
	}
	bad, good := Operand{Tensor: nil, Scalar: tir.Int(1)}, T((&kernelTest{T: t}).float(random(newRand(1), 3)))
	four := T((&kernelTest{T: t}).float(random(newRand(1), 4)))
	if _, err := Binary("add", good, four); err == nil || err.Error() != "extents 3 and 4 do not broadcast" {
		t.Errorf("a sum of 3 and 4: %v", err)
	}
	if _, err := Where(bad, good, four); err == nil || err.Error() != "extents 3 and 4 do not broadcast" {
		t.Errorf("a choice of 3 and 4: %v", err)
	}
	if good.DType() != dtype.Float32T || bad.DType() != dtype.Int64T {
		t.Errorf("the types are %s and %s", good.DType(), bad.DType())
	}
}

// TestBinaryTypes: results have the type of the operands, or are bools; integers wrap, divisions round as their names say.
func TestBinaryTypes(t *testing.T) {
	a, b := values(-128, 127, 100, -7, 7, 0), values(-1, 1, 100, 2, -2, 5)
	wrap := func(v int64) float64 { return float64(int8(v)) }
	for name, f := range map[string]func(x, y int64) int64{
		"add": func(x, y int64) int64 { return x + y }, "subtract": func(x, y int64) int64 { return x - y }, "multiply": func(x, y int64) int64 { return x * y },
		"maximum": func(x, y int64) int64 { return max(x, y) }, "minimum": func(x, y int64) int64 { return min(x, y) },
		"bitwise_and": func(x, y int64) int64 { return x & y }, "bitwise_or": func(x, y int64) int64 { return x | y }, "bitwise_xor": func(x, y int64) int64 { return x ^ y },
	} {
		static(t, name+" int8", func(k *kernelTest) {
			k.exactly(k.ok(Binary(name, T(k.in(a, dtype.Int8T)), T(k.in(b, dtype.Int8T)))), dtype.Int8T, 0, fill(a.shape, func(i []int) float64 {
				return wrap(f(int64(a.at(i...)), int64(b.at(i...))))
			}))
		})
	}
	// Unsigned bytes compare as what they are.
	p, q := values(200, 100, 255, 0), values(100, 200, 255, 1)
	for name, f := range map[string]func(x, y float64) bool{
		"less": func(x, y float64) bool { return x < y }, "less_equal": func(x, y float64) bool { return x <= y }, "greater": func(x, y float64) bool { return x > y },
		"greater_equal": func(x, y float64) bool { return x >= y }, "equal": func(x, y float64) bool { return x == y }, "not_equal": func(x, y float64) bool { return x != y },
		"logical_and": func(x, y float64) bool { return x != 0 && y != 0 }, "logical_or": func(x, y float64) bool { return x != 0 || y != 0 }, "logical_xor": func(x, y float64) bool { return (x != 0) != (y != 0) },
	} {
		for _, d := range []dtype.DType{dtype.UInt8T, dtype.Float64T, dtype.Float16T} {
			static(t, name+d.String(), func(k *kernelTest) {
				k.exactly(k.ok(Binary(name, T(k.in(p, d)), T(k.in(q, d)))), dtype.BoolT, 0, fill(p.shape, func(i []int) float64 { return truth(f(p.at(i...), q.at(i...))) }))
			})
		}
		// NaN is equal to nothing, and no number is above or below it.
		nan, one := values(math.NaN(), math.NaN(), 1), values(1, math.NaN(), math.NaN())
		static(t, name+" of NaN", func(k *kernelTest) {
			k.exactly(k.ok(Binary(name, T(k.float(nan)), T(k.float(one)))), dtype.BoolT, 0, fill(nan.shape, func(i []int) float64 { return truth(f(nan.at(i...), one.at(i...))) }))
		})
	}
	x, y := values(-7.5, 7.5, -7.5, 7.5, 1, -1, 0.25), values(2, 2, -2, -2, 0.5, 0.5, 3)
	for name, f := range map[string]func(x, y float64) float64{
		"divide": func(x, y float64) float64 { return x / y }, "floor_divide": func(x, y float64) float64 { return math.Floor(x / y) }, "mod": math.Mod,
		"floor_mod": func(x, y float64) float64 { return x - math.Floor(x/y)*y }, "atan2": math.Atan2,
		"log_add_exp": func(x, y float64) float64 { return math.Max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y))) },
	} {
		static(t, name+" in double", func(k *kernelTest) {
			k.exactly(k.ok(Binary(name, T(k.in(x, dtype.Float64T)), T(k.in(y, dtype.Float64T)))), dtype.Float64T, 8, fill(x.shape, func(i []int) float64 { return f(x.at(i...), y.at(i...)) }))
		})
	}
	// No exponent overflows in between.
	static(t, "log_add_exp of large numbers", func(k *kernelTest) {
		k.exactly(k.ok(Binary("log_add_exp", T(k.in(values(1000, -1000, 5), dtype.Float64T)), T(k.in(values(1000, -1001, 800), dtype.Float64T)))), dtype.Float64T, 4, values(1000+math.Ln2, -1000+math.Log1p(math.Exp(-1)), 800))
	})
	for _, n := range []int64{0, 1, 2, 3, 4} {
		base := values(-3, 0, 2)
		static(t, fmt.Sprint("power ", n), func(k *kernelTest) {
			k.exactly(k.ok(Binary("power", T(k.in(base, dtype.Float64T)), Operand{Scalar: tir.Int(n)})), dtype.Float64T, 4, mapped(base, func(v float64) float64 { return math.Pow(v, float64(n)) }))
		})
	}
	static(t, "square of integers", func(k *kernelTest) {
		k.exactly(k.ok(Binary("power", T(k.in(values(-3, 0, 5), dtype.Int32T)), Operand{Scalar: tir.Int(2)})), dtype.Int32T, 0, values(9, 0, 25))
	})
}

// TestChoices: conditions of any type, operands of two types, and scalars.
func TestChoices(t *testing.T) {
	c, a, b := values(0, 2, -1, 0.5), values(1, 2, 3, 4), values(5, 6, 7, 8)
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Int32T} {
		static(t, "where "+d.String(), func(k *kernelTest) {
			k.exactly(k.ok(Where(T(k.in(c, d)), T(k.in(a, dtype.Float64T)), T(k.in(b, dtype.Float64T)))), dtype.Float64T, 0, fill(c.shape, func(i []int) float64 {
				if d.IsFloat() && c.at(i...) != 0 || math.Trunc(c.at(i...)) != 0 {
					return a.at(i...)
				}
				return b.at(i...)
			}))
		})
	}
	static(t, "where with scalars", func(k *kernelTest) {
		out := k.ok(Where(T(k.float(c)), Operand{Scalar: tir.FloatConst(dtype.Float32T, 9)}, T(k.float(b))))
		k.exactly(out, dtype.Float32T, 0, values(5, 9, 9, 9))
	})
	static(t, "where broadcasts all three", func(k *kernelTest) {
		cond, yes, no := nd{dims(2, 1, 1), []float64{1, 0}}, nd{dims(3, 1), []float64{1, 2, 3}}, values(4, 5)
		k.want(k.ok(Where(T(k.in(cond, dtype.BoolT)), T(k.float(yes)), T(k.float(no)))), fill(dims(2, 3, 2), func(i []int) float64 {
			if i[0] == 0 {
				return yes.v[i[1]]
			}
			return no.v[i[2]]
		}))
	})
	// A symbolic extent may turn out to be 1 or that of the result.
	for _, n := range []int{1, 3} {
		static(t, fmt.Sprint("broadcast_to from ", n), func(k *kernelTest) {
			x := k.float(fill(dims(2, n), func(i []int) float64 { return float64(10*i[0] + i[1]) }))
			x.Shape[1] = tir.NewSizeVar("n", dtype.Int64T)
			k.want(BroadcastTo(x, intShape(4, 2, 3)), fill(dims(4, 2, 3), func(i []int) float64 { return float64(10*i[1] + i[2]%n) }))
		})
	}
}
