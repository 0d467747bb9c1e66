package arith

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestEqual compares expressions of each kind, of which each differs from all others in one part.
func TestEqual(t *testing.T) {
	x, y := tir.NewVar("x", dtype.Int32T), tir.NewVar("y", dtype.Int32T)
	b1 := tir.NewBuffer("b", dtype.Int32T, []tir.Expr{tir.Int32(8), tir.Int32(8)}, "")
	b2 := tir.NewBuffer("b", dtype.Int32T, []tir.Expr{tir.Int32(8), tir.Int32(8)}, "")
	p := tir.NewVar("p", dtype.BoolT)
	all := func() []tir.Expr {
		call := func(d dtype.DType, args ...tir.Expr) tir.Expr {
			return &tir.Call{Type: d, Op: tir.OpShiftLeft, Args: args}
		}
		return []tir.Expr{
			x, y,
			num(dtype.Int32T, 1), num(dtype.Int32T, 2), num(dtype.Int64T, 1),
			&tir.FloatImm{Type: dtype.Float32T, Value: 1}, &tir.FloatImm{Type: dtype.Float32T, Value: 2}, &tir.FloatImm{Type: dtype.Float64T, Value: 1},
			&tir.FloatImm{Type: dtype.Float32T, Value: 0}, &tir.FloatImm{Type: dtype.Float32T, Value: 1 / (-1 / zeroFloat)},
			&tir.StringImm{Value: "a"}, &tir.StringImm{Value: "b"},
			tir.NewBinary(tir.OpAdd, x, y), tir.NewBinary(tir.OpAdd, y, x), tir.NewBinary(tir.OpSub, x, y), tir.NewBinary(tir.OpAdd, x, x), tir.NewBinary(tir.OpAdd, y, y),
			&tir.Cast{Type: dtype.Int64T, Value: x}, &tir.Cast{Type: dtype.Int64T, Value: y}, &tir.Cast{Type: dtype.Float32T, Value: x},
			&tir.Not{A: p}, &tir.Not{A: tir.NewBinary(tir.OpLT, x, y)},
			&tir.Select{Cond: p, True: x, False: y}, &tir.Select{Cond: p, True: x, False: x}, &tir.Select{Cond: p, True: y, False: y},
			&tir.Select{Cond: tir.NewBinary(tir.OpLT, x, y), True: x, False: y},
			&tir.Broadcast{Value: x, Lanes: 2}, &tir.Broadcast{Value: y, Lanes: 2}, &tir.Broadcast{Value: x, Lanes: 4},
			&tir.Ramp{Start: x, Stride: y, Lanes: 2}, &tir.Ramp{Start: y, Stride: y, Lanes: 2}, &tir.Ramp{Start: x, Stride: x, Lanes: 2}, &tir.Ramp{Start: x, Stride: y, Lanes: 4},
			tir.Load(b1, x, y), tir.Load(b1, x, x), tir.Load(b1, y, y), tir.Load(b2, x, y),
			&tir.BufferLoad{Buffer: b1, Indices: []tir.Expr{x, y}, Predicate: p},
			&tir.BufferLoad{Buffer: b1, Indices: []tir.Expr{x, y}, Predicate: tir.NewBinary(tir.OpLT, x, y)},
			call(dtype.Int32T, x, y), call(dtype.Int32T, y, y), call(dtype.Int32T, x, x), call(dtype.Int64T, x, y), call(dtype.Int32T, x),
			&tir.Call{Type: dtype.Int32T, Op: tir.OpShiftRight, Args: []tir.Expr{x, y}},
			&tir.Shuffle{Vectors: []tir.Expr{x, y}, Indices: []tir.Expr{tir.Int32(0)}},
			&tir.Shuffle{Vectors: []tir.Expr{x, x}, Indices: []tir.Expr{tir.Int32(0)}},
			&tir.Shuffle{Vectors: []tir.Expr{x, y}, Indices: []tir.Expr{tir.Int32(1)}},
		}
	}
	first, second := all(), all()
	for i, a := range first {
		for j, b := range second {
			if got := Equal(a, b); got != (i == j) {
				t.Errorf("%d: %s and %d: %s: %v", i, show(a), j, show(b), got)
			}
			if i == j && hashOf(a) != hashOf(b) {
				t.Errorf("%s has two hashes", show(a))
			}
		}
		if Equal(a, nil) || Equal(nil, a) {
			t.Errorf("%s is nothing", show(a))
		}
	}
	if !Equal(nil, nil) {
		t.Error("nothing is not nothing")
	}
}

var zeroFloat = 0.0

// TestTypeBounds checks the values of each type, and what casts keep of a bound and a factor.
func TestTypeBounds(t *testing.T) {
	for name, want := range map[string]Bound{
		"bool": {0, 1}, "uint8": {0, 255}, "uint16": {0, 65535}, "uint32": {0, 1<<32 - 1}, "uint64": {0, PosInf},
		"int8": {-128, 127}, "int16": {-32768, 32767}, "int32": {-1 << 31, 1<<31 - 1}, "int64": {NegInf, PosInf}, "float32": {NegInf, PosInf},
	} {
		if got := DTypeBound(dtype.MustParse(name)); got != want {
			t.Errorf("%s holds %v, want %v", name, got, want)
		}
	}
	for _, c := range []struct {
		to   string
		x    Bound
		fits bool
	}{
		{"int8", Bound{-128, 124}, true},
		{"int8", Bound{-128, 128}, false},
		{"int8", Bound{-132, 124}, false},
		{"uint8", Bound{0, 252}, true},
		{"uint8", Bound{0, 256}, false},
		{"uint8", Bound{-4, 252}, false},
		{"int64", Bound{-4, 252}, true},
	} {
		a, x := NewAnalyzer(), tir.NewVar("x", dtype.Int32T)
		a.UpdateBound(x, c.x)
		a.UpdateModular(x, Modular{4, 0})
		d := dtype.MustParse(c.to)
		e := tir.CastTo(d, x)
		want := c.x
		if !c.fits {
			want = DTypeBound(d)
		}
		if got := a.ConstIntBound(e); got != want {
			t.Errorf("%v as %s: got %v, want %v", c.x, c.to, got, want)
		}
		if got, want := a.ModularSet(e), (Modular{4, 0}); got != want { // also of those that wrap, by 256
			t.Errorf("multiples of 4 in %v as %s: got %v, want %v", c.x, c.to, got, want)
		}
		set := EvalSet(e, map[*tir.Var]IntSet{x: Interval(num(x.DType(), c.x.Min), num(x.DType(), c.x.Max))})
		if set.IsEverything() == c.fits {
			t.Errorf("%v as %s: %s..%s", c.x, c.to, show(set.Min), show(set.Max))
		}
	}
}

// TestFloatCasts checks which casts of float constants fold: those of integers that the type holds.
func TestFloatCasts(t *testing.T) {
	for _, c := range []struct {
		to    string
		value float64
		want  int64
		folds bool
	}{
		{"int8", 127, 127, true},
		{"int8", 128, 0, false},
		{"int8", -128, -128, true},
		{"int8", -129, 0, false},
		{"uint8", 255, 255, true},
		{"uint8", 256, 0, false},
		{"uint8", -1, 0, false},
		{"uint8", 0, 0, true},
		{"int32", 2048, 2048, true},
		{"int32", -2048, -2048, true},
		{"bool", 2, 1, true},
		{"bool", 0, 0, true},
	} {
		d := dtype.MustParse(c.to)
		e := &tir.Cast{Type: d, Value: &tir.FloatImm{Type: dtype.Float32T, Value: c.value}}
		got := NewAnalyzer().RewriteSimplify(e)
		if v, ok := cst(got); ok != c.folds || ok && (v != c.want || got.DType() != d) {
			t.Errorf("%v as %s: %s", c.value, c.to, show(got))
		}
	}
}

// TestSymbolicExtents checks what is at most an extent with a symbol, which is at least 1.
func TestSymbolicExtents(t *testing.T) {
	for _, c := range []struct {
		x, shape string
		want     bool
	}{
		{"32", "n * 32", true},
		{"33", "n * 32", false},
		{"32", "n * -32", true},
		{"8", "n * 4 * 2", true},
		{"9", "n * 4 * 2", false},
		{"4", "4", true},
		{"5", "4", false},
		{"n", "n", true},
		{"n", "n + 1", true},
		{"n + 1", "n", false},
		{"1", "n", true},
		{"2", "n", false},
	} {
		a, v := NewAnalyzer(), newEnv()
		if got := a.CanProveLessEqualThanSymbolicShapeValue(v.expr(c.x), v.expr(c.shape)); got != c.want {
			t.Errorf("%s in %s: %v", c.x, c.shape, got)
		}
	}
}

// TestRegionsByDimension checks unions of regions dimension by dimension.
func TestRegionsByDimension(t *testing.T) {
	set := func(lo, hi int64) IntSet { return Interval(tir.Int32(lo), tir.Int32(hi)) }
	regions := [][]IntSet{{set(0, 1), set(5, 6)}, {set(2, 3), set(9, 9)}}
	for name, c := range map[string]struct {
		got  []IntSet
		want []Bound
	}{
		"union":       {UnionRegion(regions), []Bound{{0, 3}, {5, 9}}},
		"lower bound": {UnionRegionLowerBound(regions), []Bound{{0, 3}, {5, 6}}},
		"ranges":      {EvalSetRegion([]*tir.Range{{Min: tir.Int32(2), Extent: tir.Int32(1)}, {Min: tir.Int32(2), Extent: tir.Int32(5)}}, nil), []Bound{{2, 2}, {2, 6}}},
	} {
		if len(c.got) != len(c.want) {
			t.Fatalf("%s: %d dimensions", name, len(c.got))
		}
		for i, s := range c.got {
			if b := s.ConstBound(NewAnalyzer()); s.Empty || b != c.want[i] {
				t.Errorf("%s, dimension %d: got %v, want %v", name, i, b, c.want[i])
			}
		}
	}
	if UnionRegion(nil) != nil {
		t.Error("no regions have dimensions")
	}
}
