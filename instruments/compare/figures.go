package compare

import (
	"math"
	"slices"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/event"
)

// The units of figures.
const (
	UnitCount = "count"
	UnitBytes = "bytes"
	UnitTime  = "ns"
)

// Figure is a number that a run came to.
type Figure struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	// A and B are absent where a run did not get so far.
	A *int64 `json:"a,omitempty"`
	B *int64 `json:"b,omitempty"`
}

// numbers are the numbers that runs come to.
var numbers = []struct {
	name, unit string
	of         func(*event.Run) (int64, bool)
}{
	{"latency", UnitTime, latency},
	{"kernels", UnitCount, kernels},
	{"intermediates", UnitBytes, intermediates},
	{"code", UnitBytes, func(r *event.Run) (int64, bool) {
		return of(r.Code, func(c *event.CodeGenerated) int64 { return c.Bytes })
	}},
	{"passes", UnitTime, passes},
}

// Numbers returns the numbers that a run came to by their names, as figures have them.
func Numbers(r *event.Run) map[string]int64 {
	out := map[string]int64{}
	for _, f := range numbers {
		if n, ok := f.of(r); ok {
			out[f.name] = n
		}
	}
	return out
}

// figures lists the numbers that at least one of the runs has.
func figures(a, b *event.Run) []Figure {
	out := []Figure{}
	for _, f := range numbers {
		x, hasA := f.of(a)
		y, hasB := f.of(b)
		if !hasA && !hasB {
			continue
		}
		g := Figure{Name: f.name, Unit: f.unit}
		if hasA {
			g.A = &x
		}
		if hasB {
			g.B = &y
		}
		out = append(out, g)
	}
	return out
}

func of[T any](x *T, f func(*T) int64) (int64, bool) {
	if x == nil {
		return 0, false
	}
	return f(x), true
}

// Result is what a run came to, in short. What it did not get to is absent.
type Result struct {
	// Latency is the median time of an execution, in nanoseconds.
	Latency *int64 `json:"latency,omitempty"`
	Kernels *int64 `json:"kernels,omitempty"`
}

// ResultOf returns what a run came to.
func ResultOf(r *event.Run) Result {
	var out Result
	if n, ok := latency(r); ok {
		out.Latency = &n
	}
	if n, ok := kernels(r); ok {
		out.Kernels = &n
	}
	return out
}

// latency is the median of the timed executions of the last execution, in nanoseconds.
func latency(r *event.Run) (int64, bool) {
	for _, e := range slices.Backward(r.Executions) {
		if len(e.Measured.Latency) > 0 {
			median, _ := event.Spread(e.Measured.Latency)
			return median, true
		}
	}
	return 0, false
}

// kernels counts the functions of generated code.
func kernels(r *event.Run) (int64, bool) {
	return of(r.Code, func(c *event.CodeGenerated) int64 { return int64(len(c.Kernels)) })
}

// intermediates is the memory of intermediate tensors in the last module that was measured, in bytes.
func intermediates(r *event.Run) (int64, bool) {
	if len(r.Lanes) == 0 {
		return 0, false
	}
	return of(r.Lanes[len(r.Lanes)-1].Metrics, func(m *event.Metrics) int64 { return m.IntermediateBytes })
}

// passes is the time of all passes, in nanoseconds, where a run got to their end.
func passes(r *event.Run) (int64, bool) {
	if r.Finished == nil {
		return 0, false
	}
	var total int64
	for _, s := range r.Roots {
		total += s.Measured.Total
	}
	// Most compilers do not print times.
	return total, total > 0 || r.Started == nil || r.Started.Dump == nil
}

// Output is an output of the two runs.
type Output struct {
	Name string        `json:"name"`
	A    *event.Tensor `json:"a,omitempty"`
	B    *event.Tensor `json:"b,omitempty"`
	// Same tells that type, shape, range, mean and the first elements are the same. Logs do not hold the other elements.
	Same bool `json:"same"`
	// Close tells that they differ by no more than rounding may: the tolerance of a check of every pass.
	Close bool `json:"close"`
	// MaxAbs is the largest difference of two of these numbers, where type and shape are the same and both are finite.
	MaxAbs event.Float `json:"max_abs"`
}

// outputs pairs the outputs of the last execution of each run.
func outputs(a, b *event.Run) []Output {
	out := []Output{}
	index := map[string]int{}
	for side, r := range []*event.Run{a, b} {
		if len(r.Executions) == 0 {
			continue
		}
		for _, t := range r.Executions[len(r.Executions)-1].Body.Outputs {
			i, ok := index[t.Name]
			if !ok {
				i = len(out)
				index[t.Name] = i
				out = append(out, Output{Name: t.Name})
			}
			if side == 0 {
				out[i].A = &t
			} else {
				out[i].B = &t
			}
		}
	}
	for i := range out {
		if out[i].A != nil && out[i].B != nil {
			out[i].compare()
		}
	}
	return out
}

// compare says how far what is recorded of the two tensors is the same; NaN is NaN.
func (o *Output) compare() {
	a, b := o.A, o.B
	if a.DType != b.DType || !slices.Equal(a.Shape, b.Shape) || len(a.First) != len(b.First) {
		return
	}
	tol := check.ToleranceOf(a.DType)
	atol := tol.ATol * max(1, finite(a.Min), finite(a.Max))
	o.Same, o.Close = a.NaNs == b.NaNs, a.NaNs == b.NaNs
	pair := func(x, y event.Float) {
		if x == y || x != x && y != y {
			return
		}
		d := math.Abs(float64(x - y))
		o.Same, o.Close = false, o.Close && d <= atol+tol.RTol*math.Abs(float64(x))
		if finite(event.Float(d)) == d {
			o.MaxAbs = max(o.MaxAbs, event.Float(d))
		}
	}
	pair(a.Min, b.Min)
	pair(a.Max, b.Max)
	pair(a.Mean, b.Mean)
	for i := range a.First {
		pair(a.First[i], b.First[i])
	}
}

// finite returns the magnitude of x, 0 where that is no finite number.
func finite(x event.Float) float64 {
	if m := math.Abs(float64(x)); m <= math.MaxFloat64 {
		return m
	}
	return 0
}
