package pass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// listener keeps what it hears.
type listener struct {
	rewrites  []pass.Rewrite
	decisions []pass.Decision
	steps     []string
}

func (l *listener) Rewrite(s *pass.Step, r pass.Rewrite) {
	l.rewrites, l.steps = append(l.rewrites, r), append(l.steps, s.Path())
}

func (l *listener) Decision(s *pass.Step, d pass.Decision) {
	l.decisions, l.steps = append(l.decisions, d), append(l.steps, s.Path())
}

// reporter returns a pass that calls report.
func reporter(report func(c *pass.Context)) *pass.Pass {
	return &pass.Pass{Name: "Reporter", Doc: "Reports.", Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		c.Working("main")
		report(c)
		return m, nil
	}}
}

func TestObserver(t *testing.T) {
	one, two := tir.Int(1), tir.Int(2)
	p := reporter(func(c *pass.Context) {
		if !c.Observed() {
			t.Error("nobody listens")
		}
		c.Rewrite("change", one, two)
		c.Rewrite("change", one, one) // no change
		c.Rewrite("remove", one, nil)
		c.Rewrite("add", nil, two)
		c.RewriteAll("join", []ir.Node{one, two}, []ir.Node{one})
		c.Took("rule", one, "it holds")
		c.Declined("rule", two, "it does not")
		c.Declinedf("rule", two, "%d is above %d", 5, 4)
	})
	var l listener
	c := newContext(t, pass.Observe(&l))
	run(t, c, pass.NewSequential("all", p), testModule())
	type rewrite struct {
		name          string
		before, after int
	}
	want := []rewrite{{"change", 1, 1}, {"remove", 1, 0}, {"add", 0, 1}, {"join", 2, 1}}
	if len(l.rewrites) != len(want) {
		t.Fatalf("heard of %d rewrites, want %d", len(l.rewrites), len(want))
	}
	for i, w := range want {
		if r := l.rewrites[i]; r.Name != w.name || len(r.Before) != w.before || len(r.After) != w.after || r.Func != "main" {
			t.Errorf("rewrite %d is %+v, want %+v", i, r, w)
		}
	}
	reasons := []struct {
		taken  bool
		reason string
	}{{true, "it holds"}, {false, "it does not"}, {false, "5 is above 4"}}
	if len(l.decisions) != len(reasons) {
		t.Fatalf("heard of %d decisions, want %d", len(l.decisions), len(reasons))
	}
	for i, w := range reasons {
		if d := l.decisions[i]; d.Taken != w.taken || d.Reason != w.reason || d.Rule != "rule" || d.Func != "main" {
			t.Errorf("decision %d is %+v, want %+v", i, d, w)
		}
	}
	for _, s := range l.steps {
		if s != "1.1/Reporter" {
			t.Errorf("reported by step %s", s)
		}
	}
}

// TestObserverAbsent checks that reports cost no memory where nobody listens, also on contexts
// outside of passes.
func TestObserverAbsent(t *testing.T) {
	var none *pass.Context
	var one, two ir.Node = tir.Int(1), tir.Int(2)
	check := func(where string, c *pass.Context) {
		if c.Observed() {
			t.Errorf("%s: somebody listens", where)
		}
		if n := testing.AllocsPerRun(100, func() { reports(c, one, two) }); n != 0 {
			t.Errorf("%s: a report that nobody hears of allocates %v times", where, n)
		}
	}
	check("no context", none)
	check("outside of passes", newContext(t, pass.Observe(&listener{})))
	run(t, newContext(t), reporter(func(c *pass.Context) { check("in a pass", c) }), testModule())
}

func reports(c *pass.Context, one, two ir.Node) {
	c.Rewrite("change", one, two)
	c.Took("rule", one, "it holds")
	c.Declined("rule", two, "it does not")
	c.Declinedf("rule", two, "%d is above %d", 1<<40, 1<<41)
}

// BenchmarkObserverAbsent measures four reports that nobody hears of.
func BenchmarkObserverAbsent(b *testing.B) {
	var one, two ir.Node = tir.Int(1), tir.Int(2)
	c, err := pass.NewContext(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	p := reporter(func(c *pass.Context) {
		b.ReportAllocs()
		for b.Loop() {
			reports(c, one, two)
		}
	})
	if _, err := c.Run(p, testModule()); err != nil {
		b.Fatal(err)
	}
}
