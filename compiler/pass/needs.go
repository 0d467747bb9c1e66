package pass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// A pass may only change functions that have the forms that it strictly needs; one that finds nothing to do in a function needs nothing
// of it. So needs are checked when a pass has run, for the functions that it changed, and what it was given is looked at, since what it made
// of a function that it was not written for means nothing.
//
// Looking means walking, which costs more than some passes. Passes of this program keep the forms of functions but for those that they say they break
// (passtest holds them to it), so a form that one of them gave is believed for every function that was there then, until a pass that is not of this
// program has changed something. In the default pipeline all needs are met by what ran before, and nothing is walked.

// formsGiven knows which forms the functions of the module at hand have.
type formsGiven struct {
	at    *ir.Module           // what the last pass made; the rest is about this module alone
	given map[*Form]*ir.Module // the module whose functions were of the form
}

// NeedError is a pass that changed a function without a form that it needs.
type NeedError struct {
	Need  Need
	Found string // what of the function is not of the form
}

// Error names the form, why it is needed, and the pass that gives it.
func (e *NeedError) Error() string {
	return fmt.Sprintf("needs %s (%s), found %s: run %s before it", e.Need.Form.Name, e.Need.Why, e.Found, e.Need.Form.By)
}

// unmet returns what p, which made out of in, needed and did not have, and the function that had it not, nil if there is none.
// Where out is nil, p panicked, and all functions count as changed.
func (k *formsGiven) unmet(p *Pass, in, out *ir.Module) (err *NeedError, function string) {
	if len(p.Needs) == 0 {
		return nil, ""
	}
	for gv, fn := range in.Funcs() {
		if out != nil {
			if after := out.Lookup(gv.Name); after == nil || after == fn {
				continue
			}
		}
		for _, n := range p.Needs {
			if !n.Strict || k.known(n.Form, gv.Name, fn, in) {
				continue
			}
			if found := n.Form.Broken(fn); found != "" {
				return &NeedError{n, found}, gv.Name
			}
		}
	}
	return nil, ""
}

// known reports whether fn, the function of that name, has the form by what ran before.
func (k *formsGiven) known(f *Form, name string, fn ir.Function, m *ir.Module) bool {
	then := k.given[f]
	return k.at == m && then != nil && SameLevel(then.Lookup(name), fn)
}

// SameLevel reports whether two functions are both Relax functions or both PrimFuncs. One that became the other is a new function.
func SameLevel(a, b ir.Function) bool {
	switch a.(type) {
	case *relax.Function:
		_, ok := b.(*relax.Function)
		return ok
	case *tir.PrimFunc:
		_, ok := b.(*tir.PrimFunc)
		return ok
	}
	return false
}

// ran notes that p made out of in.
func (k *formsGiven) ran(p *Pass, in, out *ir.Module) {
	if k.at != in || p.Foreign && out != in {
		clear(k.given)
	}
	k.at = out
	for _, f := range p.Breaks {
		if out != in {
			delete(k.given, f)
		}
	}
	for _, f := range p.Gives {
		if k.given == nil {
			k.given = map[*Form]*ir.Module{}
		}
		k.given[f] = out
	}
}
