// Package rewrites keeps what passes report of their work, step by step: each rewrite by its
// name with the places before and after, and each decision with its place and its reason.
//
// It is recorded when asked for only. Nodes are kept while their step runs; when it ends, they
// are looked up in the printed functions and become an event.Rewrites, which knows no IR. A step
// lists a bounded number of rewrites and decisions and counts the others. What it lists follows
// from the module alone.
//
// It may be imported by the command line and by runners; it knows no particular pass and no web.
package rewrites

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments/event"
)

// DefaultLimit is the number of rewrites, and of decisions, that a step lists.
const DefaultLimit = 500

// Observer keeps the rewrites and decisions of the steps that run. It belongs to one run.
type Observer struct {
	// Limit is the number of rewrites, and of decisions, that a step lists; 0 is DefaultLimit.
	Limit int
	steps map[*pass.Step]*notes
}

// notes are those of a step that runs.
type notes struct {
	rewrites  []pass.Rewrite
	decisions []pass.Decision
	names     counts
	rules     counts
}

// counts counts by name, in the order in which names come up.
type counts struct {
	list  []event.RuleCount
	index map[string]int
}

func (c *counts) of(name string) *event.RuleCount {
	i, ok := c.index[name]
	if !ok {
		if c.index == nil {
			c.index = map[string]int{}
		}
		i = len(c.list)
		c.index[name] = i
		c.list = append(c.list, event.RuleCount{Name: name})
	}
	return &c.list[i]
}

func (o *Observer) limit() int {
	if o.Limit == 0 {
		return DefaultLimit
	}
	return o.Limit
}

func (o *Observer) of(s *pass.Step) *notes {
	n := o.steps[s]
	if n == nil {
		if o.steps == nil {
			o.steps = map[*pass.Step]*notes{}
		}
		n = &notes{}
		o.steps[s] = n
	}
	return n
}

// Rewrite implements pass.Observer.
func (o *Observer) Rewrite(s *pass.Step, r pass.Rewrite) {
	n := o.of(s)
	n.names.of(r.Name).Taken++
	if len(n.rewrites) < o.limit() {
		n.rewrites = append(n.rewrites, r)
	}
}

// Decision implements pass.Observer.
func (o *Observer) Decision(s *pass.Step, d pass.Decision) {
	n := o.of(s)
	if c := n.rules.of(d.Rule); d.Taken {
		c.Taken++
	} else {
		c.Declined++
	}
	if len(n.decisions) < o.limit() {
		n.decisions = append(n.decisions, d)
	}
}

// Count returns how many rewrites and decisions a step has reported so far.
func (o *Observer) Count(s *pass.Step) (rewrites, decisions int) {
	n := o.steps[s]
	if n == nil {
		return 0, 0
	}
	for _, c := range n.names.list {
		rewrites += c.Taken
	}
	for _, c := range n.rules.list {
		decisions += c.Taken + c.Declined
	}
	return rewrites, decisions
}

// Forget drops what a step reported: it failed.
func (o *Observer) Forget(s *pass.Step) { delete(o.steps, s) }

// Take returns what a step reported, with the places in the module that it was given and in m,
// which it made, and forgets it; nil if it reported nothing.
func (o *Observer) Take(s *pass.Step, m *ir.Module) *event.Rewrites {
	n := o.steps[s]
	if n == nil {
		return nil
	}
	delete(o.steps, s)
	out := &event.Rewrites{
		Names: orEmpty(n.names.list), Rewrites: make([]event.Rewrite, len(n.rewrites)),
		Rules: orEmpty(n.rules.list), Decisions: make([]event.Decision, len(n.decisions)),
	}
	for i := range out.Names {
		out.Omitted += out.Names[i].Taken
	}
	out.Omitted -= len(n.rewrites)
	for i := range out.Rules {
		out.OmittedDecisions += out.Rules[i].Taken + out.Rules[i].Declined
	}
	out.OmittedDecisions -= len(n.decisions)
	before, after := newFinder(s.Input, m), newFinder(m, s.Input)
	n.want(before, after)
	before.find()
	after.find()
	for i, r := range n.rewrites {
		x := event.Rewrite{Name: r.Name, Func: r.Func, From: sources(m, append(append([]ir.Node{}, r.Before...), r.After...)...)}
		for _, b := range r.Before {
			x.Before = append(x.Before, before.place(r.Func, b))
		}
		for _, a := range r.After {
			x.After = append(x.After, after.place(r.Func, a))
		}
		out.Rewrites[i] = x
	}
	for i, d := range n.decisions {
		x := event.Decision{Rule: d.Rule, Func: d.Func, Taken: d.Taken, Reason: d.Reason}
		if d.Place != nil {
			p := before.place(d.Func, d.Place)
			x.Place, x.From = &p, sources(m, d.Place)
		}
		out.Decisions[i] = x
	}
	return out
}

// want notes the nodes that are looked for. Where one rule's result is another's start, the node
// between the two has no place: that of the first start stands for it, and of the last result.
func (n *notes) want(before, after *finder) {
	for _, r := range n.rewrites {
		if len(r.Before) == 1 && len(r.After) == 1 {
			before.instead[r.After[0]] = r.Before[0]
			if _, ok := after.instead[r.Before[0]]; !ok {
				after.instead[r.Before[0]] = r.After[0]
			}
		}
	}
	for _, r := range n.rewrites {
		before.want(r.Func, r.Before...)
		after.want(r.Func, r.After...)
	}
	for _, d := range n.decisions {
		if d.Place != nil {
			before.want(d.Func, d.Place)
		}
	}
}

// maxSources is the number of nodes of the model that a rewrite names.
const maxSources = 4

// sources returns the names of the model's nodes that nodes come from.
func sources(m *ir.Module, nodes ...ir.Node) []string {
	var out []string
	seen := map[string]bool{}
	for _, n := range nodes {
		for _, o := range m.Origins().Sources(n.Meta().Origin) {
			name := o.Name
			if name == "" {
				name = o.Op
			}
			if name == "" || seen[name] {
				continue
			}
			if seen[name] = true; len(out) == maxSources {
				return out
			}
			out = append(out, name)
		}
	}
	return out
}

func orEmpty(list []event.RuleCount) []event.RuleCount {
	if list == nil {
		return []event.RuleCount{}
	}
	return list
}
