package execute

import (
	"fmt"
	"math"
	"slices"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// ToleranceOf returns the tolerance of an element type.
func ToleranceOf(dt dtype.DType) check.Tolerance {
	out := check.ToleranceOf(dt.Elem().String())
	out.DType = dt.String()
	return out
}

// Tolerances returns those of the types of tensors, each once.
func Tolerances(list []*tensor.Tensor) []check.Tolerance {
	out := []check.Tolerance{}
	for _, t := range list {
		if tol := ToleranceOf(t.DType); !slices.Contains(out, tol) {
			out = append(out, tol)
		}
	}
	return out
}

// Comparison is the result of Compare.
type Comparison struct {
	check.Difference
	// Message says why outputs cannot be compared, "" where they were.
	Message string
}

// Status returns Same, Close, or Wrong.
func (c Comparison) Status() check.Status {
	switch {
	case c.Message != "" || c.Beyond > 0:
		return check.Wrong
	case c.MaxAbs == 0:
		return check.Same
	}
	return check.Close
}

// Tolerate gives the tolerance of an element type.
type Tolerate func(dtype.DType) check.Tolerance

// Compare compares outputs with those of a reference, within the tolerances of their types; nil means ToleranceOf. Names, where there are as
// many, are those of outputs.
func Compare(got, want []*tensor.Tensor, names []string, tol Tolerate) Comparison {
	if tol == nil {
		tol = ToleranceOf
	}
	c := Comparison{Difference: check.Difference{Index: -1}}
	if len(got) != len(want) {
		c.Message = fmt.Sprintf("got %d outputs, expected %d", len(got), len(want))
		return c
	}
	for i := range want {
		name := fmt.Sprintf("output_%d", i)
		if len(names) == len(want) {
			name = names[i]
		}
		if c.one(name, got[i], want[i], tol(want[i].DType)); c.Message != "" {
			return c
		}
	}
	return c
}

// one adds the comparison of one output.
func (c *Comparison) one(name string, got, want *tensor.Tensor, tol check.Tolerance) {
	d, err := tensor.Compare(got, want, tensor.Tolerance{RTol: tol.RTol, ATol: tol.ATol * max(1, largest(want))})
	if err != nil {
		c.Output, c.Message = name, fmt.Sprintf("%s: %v", name, err)
		return
	}
	at := d.First
	if at < 0 && d.MaxAbs > float64(c.MaxAbs) {
		at = d.MaxAbsIndex
	}
	if c.Beyond == 0 && at >= 0 {
		c.Output, c.Index, c.Got, c.Want = name, at, event.Float(got.Float(at)), event.Float(want.Float(at))
	}
	c.MaxAbs, c.MaxRel = max(c.MaxAbs, event.Float(d.MaxAbs)), max(c.MaxRel, event.Float(d.MaxRel))
	c.Beyond += int64(d.Mismatches)
	if !want.DType.IsFloat() {
		return
	}
	for i := range d.Elements {
		if x := got.Float(i); x != x {
			c.NaNs++
			if y := want.Float(i); y == y {
				c.NewNaNs++
			}
		}
	}
}

// largest returns the largest finite magnitude in a tensor of floats, 0 for other types.
func largest(t *tensor.Tensor) float64 {
	out := 0.0
	if !t.DType.IsFloat() {
		return out
	}
	for i := range t.Len() {
		if x := math.Abs(t.Float(i)); x > out && !math.IsInf(x, 0) {
			out = x
		}
	}
	return out
}
