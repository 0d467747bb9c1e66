package tensor

import (
	"fmt"
	"math"
	"slices"

	"github.com/irscope/irscope/runtime/dtype"
)

// Tolerance bounds the difference of two elements: |got-want| <= ATol + RTol*|want|.
type Tolerance struct {
	RTol, ATol float64
}

// Diff is the result of a comparison. Indices are flat, -1 where there is no element.
type Diff struct {
	Elements    int     // compared elements
	Mismatches  int     // elements outside of the tolerance
	First       int     // index of the first mismatch
	MaxAbs      float64 // largest |got-want|; +Inf where one side is not finite and the other differs
	MaxAbsIndex int
	MaxRel      float64 // largest |got-want|/|want| over want != 0
	MaxRelIndex int
}

// OK reports whether every element was within the tolerance.
func (d Diff) OK() bool { return d.Mismatches == 0 }

// String states the largest errors in one line.
func (d Diff) String() string {
	if d.Elements == 0 {
		return "no elements"
	}
	s := fmt.Sprintf("max abs error %.3g at %d, max rel error %.3g at %d", d.MaxAbs, d.MaxAbsIndex, d.MaxRel, d.MaxRelIndex)
	if d.Mismatches > 0 {
		s = fmt.Sprintf("%d of %d elements differ, first at %d; %s", d.Mismatches, d.Elements, d.First, s)
	}
	return s
}

// Compare compares got with want element by element. NaN equals NaN and an infinity
// equals itself. Integers are compared exactly, without passing through floats. Tensors
// of different types or shapes are an error.
func Compare(got, want *Tensor, tol Tolerance) (Diff, error) {
	if got.DType != want.DType {
		return Diff{}, fmt.Errorf("element types differ: got %v, want %v", got.DType, want.DType)
	}
	if !slices.Equal(got.Shape, want.Shape) {
		return Diff{}, fmt.Errorf("shapes differ: got %s, want %s", ShapeString(got.Shape), ShapeString(want.Shape))
	}
	if len(got.Data) != len(want.Data) {
		return Diff{}, fmt.Errorf("tensors of shape %s hold %d and %d bytes", ShapeString(got.Shape), len(got.Data), len(want.Data))
	}
	d := Diff{Elements: got.lanes(), First: -1, MaxAbsIndex: -1, MaxRelIndex: -1}
	if got.DType == dtype.Float32T {
		g, errG := View[float32](got)
		w, errW := View[float32](want)
		if errG == nil && errW == nil {
			for i := range g {
				d.add(i, float64(g[i]), float64(w[i]), tol)
			}
			return d, nil
		}
	}
	ints := got.DType.IsInteger()
	for i := range d.Elements {
		if !ints {
			d.add(i, got.Float(i), want.Float(i), tol)
			continue
		}
		g, w := got.Int(i), want.Int(i)
		diff := uint64(g) - uint64(w)
		if less := g < w; got.DType.IsUInt() && uint64(g) < uint64(w) || !got.DType.IsUInt() && less {
			diff = -diff
		}
		d.record(i, float64(diff), math.Abs(want.Float(i)), tol)
	}
	return d, nil
}

func (d *Diff) add(i int, g, w float64, tol Tolerance) {
	switch {
	case g == w || g != g && w != w:
		d.record(i, 0, math.Abs(w), tol)
	case math.IsInf(g, 0) || math.IsInf(w, 0) || g != g || w != w:
		d.record(i, math.Inf(1), math.Abs(w), tol)
	default:
		d.record(i, math.Abs(g-w), math.Abs(w), tol)
	}
}

func (d *Diff) record(i int, abs, want float64, tol Tolerance) {
	if abs > d.MaxAbs || d.MaxAbsIndex < 0 {
		d.MaxAbs, d.MaxAbsIndex = abs, i
	}
	if rel := abs / want; want != 0 && (rel > d.MaxRel || d.MaxRelIndex < 0) {
		d.MaxRel, d.MaxRelIndex = rel, i
	}
	if abs == 0 || !math.IsInf(abs, 1) && abs <= tol.ATol+tol.RTol*want {
		return
	}
	if d.Mismatches++; d.Mismatches == 1 {
		d.First = i
	}
}
