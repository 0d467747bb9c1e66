package transform

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
)

// FuseOpsByPattern makes functions of operators that match patterns.
var FuseOpsByPattern = &pass.Pass{
	Name: "FuseOpsByPattern", Kind: pass.Module,
	Doc: "Moves operators that match the patterns of external code generators into functions with the attribute Composite, the name of the pattern. The patterns are tried in order, and of what one matched the later ones see calls.",
	Options: []pass.Option{
		{Name: "patterns", Default: []ir.Value{}, Elem: "", Doc: "names of patterns that are registered; irscope.matmul* is all whose names begin with irscope.matmul, and irscope those of that generator"},
		{Name: "bind_constants", Default: true, Doc: "whether constants stay in the functions; otherwise they become parameters"},
		{Name: "annotate_codegen", Default: false, Doc: "whether each composite function is put into a function for its generator, as MergeCompositeFunctions does with several"},
		entryFunctions,
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		var list []FusionPattern
		for _, v := range c.Arg("patterns").([]ir.Value) {
			named, err := patternsNamed(c.Registry, v.(string))
			if err != nil {
				return nil, err
			}
			list = append(list, named...)
		}
		return fuseByPatterns(c, m, list)
	},
}

// entryFunctions is the option of passes that work on some functions.
var entryFunctions = pass.Option{Name: "entry_functions", Default: []ir.Value{}, Elem: "", Doc: "names of the functions to work on; none is all"}

// FuseByPatterns returns the pass FuseOpsByPattern with patterns of its own.
func FuseByPatterns(list ...FusionPattern) *pass.Pass {
	p := *FuseOpsByPattern
	p.Foreign = true
	p.Options = slices.DeleteFunc(slices.Clone(p.Options), func(o pass.Option) bool { return o.Name == "patterns" })
	p.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) { return fuseByPatterns(c, m, list) }
	return &p
}

// ruleByPattern is the name of the rule in decisions.
const ruleByPattern = "make a function of what matches a pattern"

func fuseByPatterns(c *pass.Context, m *ir.Module, list []FusionPattern) (*ir.Module, error) {
	entries, err := relaxEntries(c, m)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		e := m.Edit()
		d := newDistinct("FuseOpsByPattern", m, e)
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok || isFused(f) || len(entries) > 0 && !slices.Contains(entries, gv.Name) {
				continue
			}
			c.Working(gv.Name)
			if err := c.Err(); err != nil {
				return nil, err
			}
			t := &patternFuser{
				FusionPattern: p, c: c, m: m, infer: op.NewBlockBuilder(m).Context(), bound: dpl.Bindings{}, place: map[*relax.Var]int{}, of: map[relax.Expr]*relax.Var{},
				g: &grouper{c: c, m: m, d: d, pass: "FuseOpsByPattern", rule: ruleByPattern, groups: map[*relax.Var]*bindingGroup{}, lift: !c.Arg("bind_constants").(bool)},
			}
			t.seq(f.Body)
			if len(t.g.groups) == 0 {
				continue
			}
			out, err := t.g.function(f)
			if err != nil {
				return nil, err
			}
			e.Set(gv.Name, out)
		}
		c.Working("")
		m = d.done()
	}
	if !c.Arg("annotate_codegen").(bool) {
		return m, nil
	}
	return forCodegen(c, m, nil, func(name string) bool { return generatorOfComposite(m.Lookup(name)) != "" })
}

// isFused tells whether f was made by fusion.
func isFused(f *relax.Function) bool {
	return f.Attrs.Has(attrPrimitive) || f.Attrs.Has(attrComposite) || f.Attrs.Has(pass.AttrCodegen)
}

// relaxEntries returns the option entry_functions.
func relaxEntries(c *pass.Context, m *ir.Module) ([]string, error) {
	var out []string
	for _, v := range c.Arg("entry_functions").([]ir.Value) {
		if _, ok := m.Lookup(v.(string)).(*relax.Function); !ok {
			return nil, fmt.Errorf("entry_functions: the module has no Relax function called %s", v)
		}
		out = append(out, v.(string))
	}
	return out, nil
}

// patternFuser puts what one pattern matches in a function into groups.
type patternFuser struct {
	FusionPattern
	c     *pass.Context
	m     *ir.Module
	infer *relax.InferContext
	g     *grouper

	bound dpl.Bindings              // of the function, up to here
	block *relax.BindingBlock       // at work
	place map[*relax.Var]int        // of the bindings of the block
	of    map[relax.Expr]*relax.Var // what their values are bound to
	used  map[*relax.Var][]*relax.Var
}

func (t *patternFuser) seq(s *relax.SeqExpr) {
	for _, blk := range s.Blocks {
		if blk.Dataflow {
			t.block, t.used = blk, nil
			clear(t.place)
			for i, b := range blk.Bindings {
				t.place[b.Bound()] = i
			}
		}
		for _, b := range blk.Bindings {
			if branches, ok := b.BoundValue().(*relax.If); ok {
				t.seq(branches.Then)
				t.seq(branches.Else)
			}
			vb, ok := b.(*relax.VarBinding)
			if !ok {
				continue
			}
			t.bound[vb.Var] = vb.Value
			t.of[vb.Value] = vb.Var
			if call, ok := vb.Value.(*relax.Call); ok && blk.Dataflow {
				t.match(vb, call)
			}
		}
	}
}

// match makes a group of what the pattern matches at a call. Of a group that was made before, the match must hold all.
func (t *patternFuser) match(vb *relax.VarBinding, call *relax.Call) {
	found, ok := dpl.Match(t.Pattern, vb.Var, t.bound, t.infer, t.c.Budget())
	if !ok {
		return
	}
	members := map[*relax.Var]bool{vb.Var: true}
	for p, e := range found {
		if !dpl.Computes(p) {
			continue
		}
		v := t.of[t.bound.Value(e)]
		if _, inside := t.place[v]; !inside {
			t.c.Declined(ruleByPattern, vb, "a value of the match is computed outside of the dataflow block")
			return
		}
		members[v] = true
	}
	list := make([]*relax.Var, 0, len(members))
	for v := range members {
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b *relax.Var) int { return t.place[a] - t.place[b] })
	info := t.checkContext(call, list, found)
	if t.Check != nil {
		if err := t.Check(info); err != nil {
			t.c.Declined(ruleByPattern, vb, t.Name+": "+err.Error())
			return
		}
	}
	for _, v := range list {
		if g := t.g.groups[v]; g != nil {
			for _, other := range g.root().vars {
				if !members[other] {
					t.c.Declined(ruleByPattern, vb, v.Name+" is part of an earlier match, which this one does not contain")
					return
				}
			}
		}
	}
	attrs := ir.NewAttrs(attrComposite, t.Name)
	if t.Attrs != nil {
		more := t.Attrs(info.Annotated)
		for i := range more.Len() {
			key, v := more.At(i)
			attrs = attrs.With(key, v)
		}
	}
	group := &bindingGroup{attrs: attrs}
	for _, v := range list {
		if old := t.g.groups[v]; old != nil {
			group.merge(old)
			continue
		}
		t.g.groups[v] = group
		group.vars = append(group.vars, v)
	}
}

// checkContext is what Check and Attrs are told.
func (t *patternFuser) checkContext(call *relax.Call, list []*relax.Var, found dpl.Matches) *PatternCheckContext {
	if t.Check == nil && t.Attrs == nil {
		return &PatternCheckContext{}
	}
	if t.used == nil {
		t.used = map[*relax.Var][]*relax.Var{}
		for _, b := range t.block.Bindings {
			usedVars(b.BoundValue(), func(v *relax.Var) {
				if users := t.used[v]; len(users) == 0 || users[len(users)-1] != b.Bound() {
					t.used[v] = append(users, b.Bound())
				}
			})
		}
	}
	out := &PatternCheckContext{Matched: call, Annotated: map[string]relax.Expr{}, Bindings: map[*relax.Var]relax.Expr{}, Usages: t.used, Infer: t.infer}
	for name, p := range t.Annotations {
		if e := found[p]; e != nil {
			out.Annotated[name] = e
		}
	}
	for _, v := range list {
		out.Bindings[v] = t.bound[v]
	}
	return out
}

// Leaks returns an error if a value that is computed on the way is used elsewhere, so that the function would have several results: TVM's
// has_leaking_intermediate_variables.
func (x *PatternCheckContext) Leaks() error {
	for v, value := range x.Bindings {
		if value == relax.Expr(x.Matched) {
			continue
		}
		if !v.Dataflow {
			return fmt.Errorf("%s is a result of the block", v.Name)
		}
		for _, user := range x.Usages[v] {
			if x.Bindings[user] == nil {
				return fmt.Errorf("%s is used elsewhere too, by %s", v.Name, user.Name)
			}
		}
	}
	return nil
}
