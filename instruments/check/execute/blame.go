package execute

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/instruments/check"
)

// blame finds the function that a step changed wrongly. Before computes what the reference does, and after does not.
//
// The idea: functions that exist on both sides can be exchanged one by one, as long as a pass does not change what two of them agree on, which
// holds for all passes over PrimFuncs. With the first k of n exchanged, the module is right for k = 0 and wrong for k = n, so a binary search
// finds in log2(n) runs a k where it turns wrong: the function there is at fault. Functions that the step added are there from the start, since
// nothing calls them. A module in between that cannot be run, or fails where the whole step does not, ends the search, and the functions that are left are returned.
func (c *Checker) blame(ctx context.Context, before, after *ir.Module, status check.Status) (*check.Fault, error) {
	var both, others []string
	from := before.Edit()
	after.EachChange(before, func(name string, a, b ir.Function) {
		switch {
		case a != nil && b != nil:
			both = append(both, name)
			return
		case a == nil:
			from.Set(name, b)
		}
		others = append(others, name)
	})
	out := &check.Fault{All: len(both) + len(others), Functions: both}
	switch {
	case len(both) == 0:
		out.Functions = append([]string{}, others...)
		out.Why = "the step only added and removed functions"
		if out.All == 0 {
			out.Why = "the step changed no function, only the module around them"
		}
		return out, nil
	case len(both) == 1:
		if len(others) > 0 {
			out.Why = fmt.Sprintf("the step also added or removed %d functions that it calls", len(others))
		}
		return out, nil
	}
	base := from.Done()
	lo, hi := 0, len(both)
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		bad, known, err := c.bad(ctx, exchange(base, after, both[:mid]), status)
		if err != nil {
			return nil, err
		}
		if !known {
			out.Functions, out.Why = both[lo:hi], "the module cannot be run with only some of them changed"
			return out, nil
		}
		if bad {
			hi = mid
		} else {
			lo = mid
		}
	}
	out.Functions = both[hi-1 : hi]
	bad, _, err := c.bad(ctx, exchange(base, after, out.Functions), status)
	if err != nil {
		return nil, err
	}
	if !bad {
		out.Functions = both[:hi]
		out.Why = fmt.Sprintf("the change of %s is wrong only together with the others", both[hi-1])
	}
	return out, nil
}

// exchange returns m with the named functions of another module in place of its own.
func exchange(m, from *ir.Module, names []string) *ir.Module {
	e := m.Edit()
	for _, n := range names {
		e.Set(n, from.Lookup(n))
	}
	return e.Done()
}

// bad tells whether m computes something else than the reference; known is false where that cannot be said: it cannot be run, or it fails where the
// module behind the whole step, whose status is given, does not.
func (c *Checker) bad(ctx context.Context, m *ir.Module, whole check.Status) (bad, known bool, err error) {
	var s check.Step
	_, _ = c.judge(ctx, &s, m) // the status says it
	if ctx.Err() != nil {
		return false, false, context.Cause(ctx)
	}
	return s.Status.Bad(), s.Status != check.NotRunnable && (s.Status != check.Failed || whole == check.Failed), nil
}
