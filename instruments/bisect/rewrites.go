package bisect

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/fault"
)

// maxListed bounds the rewrites that a finding lists, and maxApplied those that are applied one by one.
const (
	maxListed  = 20
	maxApplied = 400
)

// reported collects the rewrites of a run: where inside names a step by its path, those of that step.
type reported struct {
	list   []pass.Rewrite
	inside string
}

// Rewrite implements pass.Observer.
func (r *reported) Rewrite(x *pass.Step, w pass.Rewrite) {
	if r.inside == "" || x.Path() == r.inside {
		r.list = append(r.list, w)
	}
}

// Decision implements pass.Observer.
func (r *reported) Decision(*pass.Step, pass.Decision) {}

// rewrites finds the rewrite at fault in some functions: the step at fault runs once more, and reports what it does. Passes report
// rewrites when they have made them, so one cannot be kept from happening; instead, those that were reported are applied to the
// function as it was, in ever smaller groups.
func (s *search) rewrites(functions []string) ([]fault.Rewrite, fault.How, error) {
	var seen reported
	if s.inner != nil {
		seen.inside = s.inner.Path()
	}
	if _, _, err := s.run(s.ctx, s.before, s.steps[s.guilty:s.guilty+1], false, &seen); err != nil {
		return nil, "", err
	}
	if s.p.Kind == Crash {
		if len(seen.list) == 0 {
			return []fault.Rewrite{}, fault.HowNone, nil
		}
		return written(seen.list[len(seen.list)-1:]), fault.HowLast, nil
	}
	list := slices.DeleteFunc(seen.list, func(r pass.Rewrite) bool { return r.Func != "" && !slices.Contains(functions, r.Func) })
	switch {
	case len(list) == 0:
		return []fault.Rewrite{}, fault.HowNone, nil
	case len(list) == 1:
		return written(list), fault.HowOnly, nil
	case len(functions) != 1 || len(list) > maxApplied || s.after == nil:
		return written(list), fault.HowAny, nil
	}
	name := functions[0]
	f := s.before.Lookup(name)
	test := func(rest []pass.Rewrite) (bool, error) {
		g := applied(f, rest)
		if g == nil || g == f {
			return false, nil
		}
		e := s.before.Edit()
		e.Set(name, g)
		return s.spoiled(s.completed(e, []string{name}))
	}
	if ok, err := test(list); err != nil || !ok {
		return written(list), fault.HowAny, err
	}
	list, err := shrink(list, test)
	return written(list), fault.HowApplied, err
}

// written describes rewrites, with their nodes as text.
func written(list []pass.Rewrite) []fault.Rewrite {
	out := make([]fault.Rewrite, min(len(list), maxListed))
	for i := range out {
		out[i] = fault.Rewrite{Name: list[i].Name, Func: list[i].Func, Before: texts(list[i].Before), After: texts(list[i].After)}
	}
	return out
}

// maxTexts bounds the nodes of a rewrite that are printed.
const maxTexts = 8

// texts prints nodes. Whole functions are left out: the finding has the module before and after the step.
func texts(nodes []ir.Node) []string {
	out := []string{}
	for i, n := range nodes {
		if i == maxTexts {
			return append(out, fmt.Sprintf("and %d more", len(nodes)-i))
		}
		if _, ok := n.(ir.Function); !ok {
			out = append(out, script.Node(n, script.Options{}))
		}
	}
	return out
}

// applied returns f with some rewrites applied in turn, nil where one is of a kind that cannot be. A rewrite whose node is no longer
// there, since it was made by one that is left out, is left out, too.
func applied(f ir.Function, list []pass.Rewrite) ir.Function {
	switch f := f.(type) {
	case *tir.PrimFunc:
		for _, r := range list {
			if len(r.Before) != 1 || len(r.After) != 1 {
				return nil
			}
			out, ok := inLoops(f, r.Before[0], r.After[0])
			if !ok {
				return nil
			}
			f = out
		}
		return f
	case *relax.Function:
		for _, r := range list {
			out, ok := inGraph(f, r.Before, r.After)
			if !ok {
				return nil
			}
			f = out
		}
		return f
	}
	return nil
}

// inLoops replaces a statement or an expression of a PrimFunc. Where the node itself is not there, those that are equal to it are meant:
// what is inside of them was rewritten before.
func inLoops(f *tir.PrimFunc, before, after ir.Node) (*tir.PrimFunc, bool) {
	if before == ir.Node(f) {
		g, ok := after.(*tir.PrimFunc)
		return g, ok
	}
	_, stmt := before.(tir.Stmt)
	_, expr := before.(tir.Expr)
	if !stmt && !expr {
		return nil, false
	}
	found := false
	replace := func(same func(ir.Node) bool) *tir.PrimFunc {
		m := &tir.Mapper{}
		m.Stmt = func(x tir.Stmt) tir.Stmt {
			if y, ok := after.(tir.Stmt); ok && stmt && same(x) {
				found = true
				return y
			}
			return m.MapStmt(x)
		}
		m.Expr = func(x tir.Expr) tir.Expr {
			if y, ok := after.(tir.Expr); ok && expr && same(x) {
				found = true
				return y
			}
			return m.MapExpr(x)
		}
		return f.WithBody(m.Stmt(f.Body))
	}
	out := replace(func(n ir.Node) bool { return n == before })
	if !found {
		hash := ir.StructuralHash(before)
		out = replace(func(n ir.Node) bool {
			return ir.StructuralHash(n) == hash && ir.StructuralEqual(n, before, ir.EqualOpts{})
		})
	}
	if !found {
		return f, true
	}
	return out, true
}

// inGraph replaces bindings of a Relax function, or an expression.
func inGraph(f *relax.Function, before, after []ir.Node) (*relax.Function, bool) {
	if len(before) == 1 && len(after) == 1 && before[0] == ir.Node(f) {
		g, ok := after[0].(*relax.Function)
		return g, ok
	}
	gone := map[ir.Node]bool{}
	for _, n := range before {
		gone[n] = true
	}
	m := &relax.Mapper{}
	if len(before) == 0 {
		return nil, false
	}
	if _, ok := before[0].(relax.Binding); ok {
		var list []relax.Binding
		for _, n := range after {
			b, ok := n.(relax.Binding)
			if !ok {
				return nil, false
			}
			list = append(list, b)
		}
		put := false
		m.Expr = func(e relax.Expr) relax.Expr {
			switch e.(type) {
			case *relax.SeqExpr, *relax.If, *relax.Function:
				return m.MapExpr(e)
			}
			return e
		}
		m.Block = func(b *relax.BindingBlock) *relax.BindingBlock {
			out := make([]relax.Binding, 0, len(b.Bindings))
			for _, x := range b.Bindings {
				if !gone[x] {
					out = append(out, m.MapBinding(x))
				} else if !put {
					put = true
					out = append(out, list...)
				}
			}
			if slices.Equal(out, b.Bindings) {
				return b
			}
			return b.WithBindings(out)
		}
		return m.MapFunction(f), true
	}
	if len(before) != 1 || len(after) != 1 {
		return nil, false
	}
	by, ok := after[0].(relax.Expr)
	if !ok {
		return nil, false
	}
	m.Expr = func(e relax.Expr) relax.Expr {
		if ir.Node(e) == before[0] {
			return by
		}
		return m.MapExpr(e)
	}
	return m.MapFunction(f), true
}
