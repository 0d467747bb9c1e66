package transform

import (
	"errors"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// attrComposite is the name of the pattern that a function was made for: that of the generator, a dot, and what it computes.
const attrComposite = "Composite"

// MergeCompositeFunctions makes one function of composite functions that follow each other and are for one external generator.
var MergeCompositeFunctions = &pass.Pass{
	Name: "MergeCompositeFunctions", Kind: pass.Module,
	Doc: "Moves calls of composite functions, as FuseOpsByPattern makes them, that are for one external code generator and depend on each other into one function, unless it would depend on itself. That function has the attribute Codegen and contains the composite functions.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		f, ok := m.Lookup("main").(*relax.Function)
		if !ok {
			return nil, errors.New("the module has no Relax function called main, which is what MergeCompositeFunctions works on")
		}
		e := m.Edit()
		g := &grouper{
			c: c, m: m, d: newDistinct("MergeCompositeFunctions", m, e), pass: "MergeCompositeFunctions", rule: "merge composite functions",
			groups: map[*relax.Var]*bindingGroup{}, lift: true, calls: map[string]bool{},
		}
		c.Working("main")
		if err := newMerger(c, m, g).function(f); err != nil {
			return nil, err
		}
		out, err := g.function(f)
		if err != nil {
			return nil, err
		}
		c.Working("")
		if out == f {
			return m, nil
		}
		e.Set("main", out)
		merged, err := forCodegen(c, g.d.done(), []string{"main"}, func(name string) bool { return g.calls[name] })
		if err != nil {
			return nil, err
		}
		entries := []string{"main"}
		for gv, fn := range merged.Funcs() {
			if ir.GlobalSymbol(fn) != "" {
				entries = append(entries, gv.Name)
			}
		}
		return removeUnreachable(c, merged, entries), nil
	},
}

// generatorOfComposite returns the name of the generator that a composite function is for, "" for other functions.
func generatorOfComposite(fn ir.Function) string {
	f, ok := fn.(*relax.Function)
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(f.Attrs.Str(attrComposite, ""), ".")
	return name
}

// merger decides which calls of composite functions come together. A call joins the groups of its operands that are for the same generator and
// that no other operand depends on: a group that it joined although would depend on itself.
type merger struct {
	c  *pass.Context
	m  *ir.Module
	g  *grouper
	of map[*relax.Var]*mergeNode
	at int // number of the search
}

// mergeNode is a binding, or several that were merged: a union-find forest of what depends on what.
type mergeNode struct {
	up        *mergeNode
	codegen   string
	group     *bindingGroup // nil where there is no generator
	deps      []*mergeNode
	low, high int // places of the first and the last binding
	seen      int
}

func (n *mergeNode) root() *mergeNode {
	for n.up != nil {
		if n.up.up != nil {
			n.up = n.up.up
		}
		n = n.up
	}
	return n
}

func newMerger(c *pass.Context, m *ir.Module, g *grouper) *merger {
	return &merger{c: c, m: m, g: g, of: map[*relax.Var]*mergeNode{}}
}

// function puts the calls of f into groups.
func (k *merger) function(f *relax.Function) error {
	place := 0
	relax.EachBinding(f.Body, func(blk *relax.BindingBlock, b relax.Binding) {
		place++
		if v, name := b.BoundValue().(*relax.Var); name && k.of[v] != nil && k.of[v].root().group != nil && blk.Dataflow {
			n := k.of[v].root() // another name of a value belongs to it
			n.high = place
			k.of[b.Bound()], k.g.groups[b.Bound()] = n, n.group
			return
		}
		n := &mergeNode{low: place, high: place}
		call, ok := b.BoundValue().(*relax.Call)
		if ok && blk.Dataflow {
			n.codegen = generatorOfComposite(k.m.Lookup(calleeOf(call)))
		}
		if n.codegen != "" {
			n.group = &bindingGroup{attrs: ir.NewAttrs(pass.AttrCodegen, n.codegen), vars: []*relax.Var{b.Bound()}}
			k.g.groups[b.Bound()] = n.group
			n = k.join(call, n)
		}
		usedVars(b.BoundValue(), func(v *relax.Var) {
			if d := k.of[v]; d != nil && d.root() != n.root() {
				n.root().deps = append(n.root().deps, d.root())
			}
		})
		k.of[b.Bound()] = n
	})
	return k.c.Err()
}

// join merges a call with the groups of its operands that it may join, and returns them.
func (k *merger) join(call *relax.Call, n *mergeNode) *mergeNode {
	var operands []*mergeNode
	for _, a := range call.Args {
		usedVars(a, func(v *relax.Var) {
			if d := k.of[v]; d != nil && !slices.Contains(operands, d.root()) {
				operands = append(operands, d.root())
			}
		})
	}
	var into []*mergeNode
	for _, a := range call.Args {
		v, ok := a.(*relax.Var)
		if !ok || k.of[v] == nil {
			continue
		}
		d := k.of[v].root()
		if d.codegen != n.codegen || slices.Contains(into, d) {
			continue
		}
		if slices.ContainsFunc(operands, func(other *mergeNode) bool { return other != d && k.dependsOn(other, d) }) {
			k.c.Declined(k.g.rule, call, "another operand depends on the function that "+v.Name+" comes from, which would depend on itself")
			continue
		}
		into = append(into, d)
	}
	for i, d := range into {
		if i == 0 {
			d.merge(n)
		} else {
			into[0].merge(d)
		}
	}
	if len(into) > 0 {
		return into[0]
	}
	return n
}

// merge makes one node of two.
func (n *mergeNode) merge(other *mergeNode) {
	n.group.merge(other.group)
	other.up = n
	n.deps = append(n.deps, other.deps...)
	n.low, n.high = min(n.low, other.low), max(n.high, other.high)
	other.deps = nil
}

// dependsOn tells whether from depends on to. What lies before all of to cannot.
func (k *merger) dependsOn(from, to *mergeNode) bool {
	k.at++
	var visit func(n *mergeNode) bool
	visit = func(n *mergeNode) bool {
		n = n.root()
		if n == to {
			return true
		}
		if n.seen == k.at || n.high < to.low {
			return false
		}
		n.seen = k.at
		return slices.ContainsFunc(n.deps, visit)
	}
	return visit(from)
}
