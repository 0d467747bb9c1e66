package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/irscope/irscope/instruments/event"
)

// results compares the outputs of executions.
func (c *comparer) results() {
	if len(c.was.Executions) != len(c.is.Executions) {
		c.add(difference{Kind: "output", Message: fmt.Sprintf("the program was executed %d times, in the session %d times", len(c.is.Executions), len(c.was.Executions))})
		return
	}
	for i := range c.was.Executions {
		was, is := c.was.Executions[i].Body, c.is.Executions[i].Body
		if a, b := fault(was), fault(is); a != b {
			c.add(difference{Kind: "output", Message: fmt.Sprintf("execution %d gives %q, in the session %q", i+1, b, a)})
			continue
		}
		if len(was.Outputs) != len(is.Outputs) {
			c.add(difference{Kind: "output", Message: fmt.Sprintf("execution %d has %s, in the session %d", i+1, count(len(is.Outputs), "output"), len(was.Outputs))})
			continue
		}
		for k, t := range was.Outputs {
			c.out.Outputs++
			if text := c.tensor(t, is.Outputs[k]); text != "" {
				c.add(difference{Kind: "output", Message: fmt.Sprintf("output %s of execution %d: %s", t.Name, i+1, text)})
			}
		}
	}
}

func fault(e *event.Executed) string {
	if e.Error == nil {
		return ""
	}
	return e.Error.Message
}

// tensor says how an output differs; "" where it does not.
func (c *comparer) tensor(was, is event.Tensor) string {
	if was.DType != is.DType || !slices.Equal(was.Shape, is.Shape) {
		return fmt.Sprintf("it is %s%v, in the session %s%v", is.DType, is.Shape, was.DType, was.Shape)
	}
	if was.NaNs != is.NaNs {
		return fmt.Sprintf("%d elements are NaN, in the session %d", is.NaNs, was.NaNs)
	}
	if len(was.First) != len(is.First) {
		return fmt.Sprintf("%d elements are recorded, in the session %d", len(is.First), len(was.First))
	}
	for i, x := range was.First {
		if !c.near(x, is.First[i]) {
			return fmt.Sprintf("element %d is %v, in the session %v", i, is.First[i], x)
		}
	}
	for _, s := range []struct {
		name    string
		was, is event.Float
	}{{"minimum", was.Min, is.Min}, {"maximum", was.Max, is.Max}, {"mean", was.Mean, is.Mean}} {
		if !c.near(s.was, s.is) {
			return fmt.Sprintf("the %s is %v, in the session %v", s.name, s.is, s.was)
		}
	}
	return ""
}

// near tells whether two numbers are the same within the tolerance.
func (c *comparer) near(was, is event.Float) bool {
	a, b := float64(was), float64(is)
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return true
	}
	return math.Abs(a-b) <= c.flags.atol+c.flags.rtol*math.Abs(a)
}
