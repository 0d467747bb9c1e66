package tensor

import (
	"fmt"
	"math"
	"strings"
)

// Summary describes the values of a tensor. Min, Max and Mean are over finite elements
// and NaN where there are none.
type Summary struct {
	Elements       int
	Min, Max, Mean float64
	NaNs, Infs     int
	First          []string // the first elements, formatted
}

// Summarize reads t once and keeps its first elements, at most first of them.
func (t *Tensor) Summarize(first int) Summary {
	s := Summary{Elements: t.lanes(), Min: math.NaN(), Max: math.NaN(), Mean: math.NaN()}
	sum, n := 0.0, 0
	for i := range s.Elements {
		v := t.Float(i)
		switch {
		case v != v:
			s.NaNs++
		case math.IsInf(v, 0):
			s.Infs++
		default:
			if n == 0 || v < s.Min {
				s.Min = v
			}
			if n == 0 || v > s.Max {
				s.Max = v
			}
			sum += v
			n++
		}
	}
	if n > 0 {
		s.Mean = sum / float64(n)
	}
	for i := range min(first, s.Elements) {
		s.First = append(s.First, t.Format(i, 6))
	}
	return s
}

// String states the summary in one line.
func (s Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "min %.6g max %.6g mean %.6g", s.Min, s.Max, s.Mean)
	if s.NaNs > 0 || s.Infs > 0 {
		fmt.Fprintf(&b, " nan %d inf %d", s.NaNs, s.Infs)
	}
	b.WriteString(" [" + strings.Join(s.First, ", "))
	if len(s.First) < s.Elements {
		b.WriteString(", ...")
	}
	b.WriteByte(']')
	return b.String()
}
