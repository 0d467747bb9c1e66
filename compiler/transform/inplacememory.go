package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// overwrites tells which values share memory that a call_tir_inplace writes over. Nothing that is read before such a call may be read
// behind it, so passes that move or share values ask. Values that may share memory are a union-find forest: names, tuples and
// their fields, views, and what unknown calls return and were given.
type overwrites struct {
	up      map[*relax.Var]*relax.Var
	written map[*relax.Var]bool // by root
}

// overwritesOf returns what calls of f write over, nil if there is no such call.
func overwritesOf(f *relax.Function) *overwrites {
	if !hasInplace(f) {
		return nil
	}
	o := &overwrites{up: map[*relax.Var]*relax.Var{}, written: map[*relax.Var]bool{}}
	var targets []*relax.Var
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		v, value := b.Bound(), b.BoundValue()
		for _, e := range inplaceArgs(value) {
			usedVars(e, func(u *relax.Var) {
				targets = append(targets, u)
				o.join(v, u)
			})
		}
		if mayAlias(value) {
			eachUsed(value, func(u *relax.Var) { o.join(v, u) })
		}
	})
	for _, v := range targets {
		o.written[o.root(v)] = true
	}
	return o
}

// mayAlias reports whether a value may be, or hold, what it uses.
func mayAlias(value relax.Expr) bool {
	call, ok := value.(*relax.Call)
	if !ok {
		return true
	}
	name := opName(call)
	return name == opReshape || name != opCallTIR && name != opCallTIRInplace && name != opCallDPS && !makesKernel(name)
}

// inplaceArgs returns the arguments that a value writes over.
func inplaceArgs(value relax.Expr) []relax.Expr {
	call, ok := value.(*relax.Call)
	if !ok {
		return nil
	}
	var args []relax.Expr
	switch opName(call) {
	case opCallTIRInplace:
		args = fieldsOf(call.Args[1])
	case "relax.call_inplace_packed":
		args = call.Args[1:]
	}
	var out []relax.Expr
	if args != nil {
		for _, n := range call.Attrs.Ints("inplace_indices") {
			if n >= 0 && int(n) < len(args) {
				out = append(out, args[n])
			}
		}
	}
	return out
}

func hasInplace(f *relax.Function) bool {
	found := false
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) { found = found || inplaceArgs(b.BoundValue()) != nil })
	return found
}

func (o *overwrites) root(v *relax.Var) *relax.Var {
	for o.up[v] != nil {
		if next := o.up[o.up[v]]; next != nil {
			o.up[v] = next
		}
		v = o.up[v]
	}
	return v
}

func (o *overwrites) join(a, b *relax.Var) {
	if x, y := o.root(a), o.root(b); x != y {
		o.up[x] = y
	}
}

// has reports whether a call may write over v.
func (o *overwrites) has(v *relax.Var) bool { return o != nil && o.written[o.root(v)] }

// order calls before(a, b) where binding a of a block must stay before b because one of them writes over what the other uses:
// as often as there are uses of what is written over.
func (o *overwrites) order(b *relax.BindingBlock, before func(a, b relax.Binding)) {
	if o == nil {
		return
	}
	writer := map[*relax.Var]relax.Binding{}    // the last one, by root
	readers := map[*relax.Var][]relax.Binding{} // since then
	for _, x := range b.Bindings {
		writes := inplaceArgs(x.BoundValue()) != nil
		seen := map[*relax.Var]bool{}
		eachUsed(x.BoundValue(), func(u *relax.Var) {
			r := o.root(u)
			if !o.written[r] || seen[r] {
				return
			}
			seen[r] = true
			if w := writer[r]; w != nil {
				before(w, x)
			}
			if !writes {
				readers[r] = append(readers[r], x)
				return
			}
			for _, y := range readers[r] {
				before(y, x)
			}
			writer[r], readers[r] = x, nil
		})
	}
}

// overwrittenLater returns the bindings of a block that use what a later one writes over.
func (o *overwrites) overwrittenLater(b *relax.BindingBlock) map[relax.Binding]bool {
	if o == nil {
		return nil
	}
	out := map[relax.Binding]bool{}
	o.order(b, func(x, _ relax.Binding) { out[x] = true })
	return out
}

// BeforeInplace is a pass that reads operands of an expression where the whole is computed, and so does nothing in
// functions that write over values.
func BeforeInplace(run pass.RelaxFunc) pass.RelaxFunc {
	return func(c *pass.Context, gv *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		if hasInplace(f) {
			c.Declined("rewrite a function with in-place calls", f, whyInplace)
			return f, nil
		}
		return run(c, gv, f)
	}
}

const whyInplace = "the function writes over values, and what is moved could read them afterwards: the pass comes before DataflowUseInplaceCalls"

// overwritesAny reports whether a call may write over a variable in e.
func overwritesAny(o *overwrites, e relax.Expr) bool {
	found := false
	usedVars(e, func(v *relax.Var) { found = found || o.has(v) })
	return found
}
