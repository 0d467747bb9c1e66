package passtest

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax/relaxtest"
)

// Walk runs a program through passes in their order and puts others, in any number and order, in between; of those that are optional it
// leaves some out. allowed says which of the others may run behind those that ran. After each pass that changed the module, Check holds and the program computes what it did. One of the others may refuse
// a module, with an error that is not an internal one. With only, nothing is checked but the pass of that name, and the walk ends where it has changed
// something or does not come again, or at an error of another one. Walk returns the names of the passes that changed something.
func Walk(t Failer, src relaxtest.Source, c *pass.Context, prog *Program, order, others []*pass.Pass, allowed func(ran []string, p *pass.Pass) bool, only string) map[string]bool {
	t.Helper()
	m, changed := prog.Module, map[string]bool{}
	want, err := prog.compute(m)
	if err != nil {
		t.Fatalf("before any pass: %v\n%s", err, Text(m))
	}
	var ran []string
	rounded := false // numbers of few digits differ more where they are added in another order
	step := func(p *pass.Pass, mayRefuse bool) (goOn bool) {
		var out *ir.Module
		checked := only == "" || p.Name == only
		if checked {
			out, _ = check(t, c, p, m, mayRefuse)
		} else if out, err = c.Run(p, m); err != nil {
			return false
		}
		if out != m && !t.Failed() && (checked || exempt["rounds otherwise"][p.Name]) {
			got, err := prog.compute(out)
			if err != nil {
				t.Errorf("after %s: %v\n--- before\n%s\n--- after\n%s", p.Name, err, Text(m), Text(out))
			} else if d := differs(rounded || exempt["rounds otherwise"][p.Name], prog)(got, want); d != "" {
				t.Errorf("%s: %s\n--- before\n%s\n--- after\n%s", p.Name, d, Text(m), Text(out))
			}
			changed[p.Name] = true
			if exempt["rounds otherwise"][p.Name] {
				want, rounded = got, true
			}
		}
		if t.Failed() {
			t.Fatalf("the checks object after %s", p.Name)
		}
		m, ran = out, append(ran, p.Name)
		return only == "" || p.Name != only || !changed[only] && find(others, p) >= 0
	}
	for _, p := range order {
		for len(others) > 0 && src.IntN(3) == 2 {
			if p := others[src.IntN(len(others))]; (allowed == nil || allowed(ran, p)) && !step(p, true) {
				return changed
			}
		}
		if (p.Lowering || src.IntN(8) < 7) && !step(p, false) {
			return changed
		}
	}
	return changed
}

// differs compares what a program computes before and after a pass, roughly where it rounds.
func differs(rounds bool, prog *Program) func(got, want any) string {
	if rounds {
		return roughly
	}
	return prog.differ
}

// Wrong returns p with a fault: it changes one place of what p made of a module, as fault does, once.
func Wrong(p *pass.Pass, fault func(m *ir.Module) *ir.Module) *pass.Pass {
	out := *p
	if n := len(p.Children); n > 0 {
		out.Children = append([]*pass.Pass{}, p.Children...)
		out.Children[n-1] = Wrong(p.Children[n-1], fault)
		return &out
	}
	done := false
	out.Run = func(c *pass.Context, in *ir.Module) (*ir.Module, error) {
		m, err := p.Run(c, in)
		if err != nil || done {
			return m, err
		}
		wrong := fault(m)
		done = wrong != m
		return wrong, nil
	}
	return &out
}
