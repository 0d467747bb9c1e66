package starpass

import (
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
)

// A pass of a script reports its rewrites without saying so. The handlers of a mutator are rules: one that returns something else
// than what was there, or than what self.visit_default made of it, has rewritten it. Outside of handlers replace() is the rule, under
// the name of the function that calls it. A function that changed without either is a rewrite of the pass's function.

// frame is what the call of a handler has done so far.
type frame struct {
	of        ir.Node   // what it was given
	visited   bool      // whether self.visit_default was called for that
	defaulted ir.Node   // what came of it, nil where it was emitted
	emitted   []ir.Node // what the handler emitted itself
}

// reported reports what a handler made of a node, unless it is what became of its children.
func (k *walk) reported(h starlark.Callable, at frame, image ir.Node) {
	if !k.r.cur.Observed() {
		return
	}
	var before []ir.Node
	after := at.emitted
	switch {
	case image == at.of || at.visited && image == at.defaulted: // it stays, and what was emitted is new
		if len(after) == 0 {
			return
		}
	case image == nil:
		before = []ir.Node{at.of}
	default:
		before, after = []ir.Node{at.of}, append(after, image)
	}
	k.r.rewrites++
	k.r.cur.RewriteAll(ruleName(h, k.r.cur.Step().Pass.Name), before, after)
}

// whole reports that p made one function, block or module part of another, where nothing finer was reported since.
func (r *run) whole(p *Pass, since int, before, after ir.Node) {
	if r.rewrites == since {
		r.cur.Rewrite(ruleName(p.fn, p.name), before, after)
	}
}

// replaced reports that replace() made one node of another. Inside of a handler only what that returns counts.
func (r *run) replaced(t *starlark.Thread, before, after ir.Node) {
	if r.handlers == 0 && r.cur.Observed() {
		r.rewrites++
		r.cur.Rewrite(named(t.CallFrame(1).Name, r.cur.Step().Pass.Name), before, after)
	}
}

// ruleName is the name of a function of a script, or that of the pass where it has none.
func ruleName(fn starlark.Callable, pass string) string {
	if m, ok := fn.(*Method); ok {
		fn = m.fn
	}
	if f, ok := fn.(*starlark.Function); ok {
		return named(f.Name(), pass)
	}
	return pass
}

func named(function, pass string) string {
	if function == "lambda" || function == "<toplevel>" {
		return pass
	}
	return function[strings.LastIndexByte(function, '.')+1:] // without the class of a method
}

// funcNode returns a function as a node, nil where there is none.
func funcNode(f ir.Function) ir.Node {
	if f == nil {
		return nil
	}
	return f
}
