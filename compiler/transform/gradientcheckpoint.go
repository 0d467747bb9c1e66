package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/relax"
)

// forward is a function to differentiate, without the marks of checkpoints.
type forward struct {
	bindings []*relax.VarBinding
	result   relax.Expr
	// kept are the variables whose values the derivatives may use. All others are computed again from them.
	kept map[*relax.Var]bool
	// renamed is, for what a mark bound, the variable that it marked.
	renamed map[*relax.Var]relax.Expr
}

// eliminateCheckpoints removes the calls of start_checkpoint and end_checkpoint. The value of a parameter is kept, that of a variable behind start_checkpoint, and
// that of what only depends on what is kept or is behind end_checkpoint. Without marks everything is kept.
func eliminateCheckpoints(f *relax.Function) (*forward, error) {
	out := &forward{kept: map[*relax.Var]bool{}, renamed: map[*relax.Var]relax.Expr{}}
	for _, p := range f.Params {
		out.kept[p] = true
	}
	ended := map[*relax.Var]bool{}
	sub := relax.Subst{Vars: map[*relax.Var]relax.Expr{}}
	bind := func(e relax.Expr) relax.Expr {
		if len(sub.Vars) == 0 {
			return e
		}
		return relax.Bind(e, sub)
	}
	for _, b := range f.Body.Blocks[0].Bindings {
		vb, ok := b.(*relax.VarBinding)
		if !ok {
			return nil, fmt.Errorf("at %s: a match_cast cannot be differentiated: put it before the dataflow block's function, by giving the parameters their shapes", b.Bound().Name)
		}
		mark := opName(vb.Value)
		if mark != "relax.grad.start_checkpoint" && mark != "relax.grad.end_checkpoint" {
			all := true
			usedVars(vb.Value, func(v *relax.Var) { all = all && (out.kept[v] || ended[v]) })
			if all {
				out.kept[vb.Var] = true
			}
			out.bindings = append(out.bindings, vb.WithValue(bind(vb.Value)))
			continue
		}
		arg, ok := vb.Value.(*relax.Call).Args[0].(*relax.Var)
		if !ok {
			return nil, fmt.Errorf("at %s: the argument of %s must be a variable", vb.Var.Name, mark)
		}
		marked := bind(arg).(*relax.Var)
		out.renamed[vb.Var] = marked
		if !vb.Var.Dataflow && marked.Dataflow { // a result stays bound
			out.bindings = append(out.bindings, vb.WithValue(marked))
		} else {
			sub.Vars[vb.Var] = marked
		}
		if mark == "relax.grad.start_checkpoint" {
			out.kept[marked] = true
		} else {
			ended[vb.Var] = true
		}
	}
	out.result = bind(f.Body.Body)
	return out, nil
}

// recompute computes again what is not kept, each value once, where a derivative needs it first.
type recompute struct {
	bb     *relax.BlockBuilder
	kept   map[*relax.Var]bool
	values map[*relax.Var]relax.Expr
	again  map[*relax.Var]relax.Expr
}

func newRecompute(bb *relax.BlockBuilder, fwd *forward) *recompute {
	r := &recompute{bb: bb, kept: fwd.kept, values: map[*relax.Var]relax.Expr{}, again: map[*relax.Var]relax.Expr{}}
	for _, b := range fwd.bindings {
		if !fwd.kept[b.Var] {
			r.values[b.Var] = withoutGradient(b).Value
		}
	}
	return r
}

// binding returns the variable that holds the value of a call and the call on what is at hand.
func (r *recompute) binding(v *relax.Var, call *relax.Call) (relax.Expr, *relax.Call, error) {
	e, err := r.expr(call)
	if err != nil {
		return nil, nil, err
	}
	result, err := r.variable(v)
	return result, e.(*relax.Call), err
}

// variable returns the variable that holds the value of v.
func (r *recompute) variable(v *relax.Var) (relax.Expr, error) {
	value, lost := r.values[v]
	if !lost {
		return v, nil
	}
	if out := r.again[v]; out != nil {
		return out, nil
	}
	e, err := r.expr(value)
	if err != nil {
		return nil, err
	}
	out, err := r.bb.Emit(e, v.Name+"_cp")
	if err != nil {
		return nil, err
	}
	r.again[v] = out
	return out, nil
}

// expr returns e on what is at hand.
func (r *recompute) expr(e relax.Expr) (relax.Expr, error) {
	var sub relax.Subst
	var failed error
	usedVars(e, func(v *relax.Var) {
		if failed != nil || r.values[v] == nil {
			return
		}
		out, err := r.variable(v)
		if err != nil {
			failed = err
			return
		}
		if sub.Vars == nil {
			sub.Vars = map[*relax.Var]relax.Expr{}
		}
		sub.Vars[v] = out
	})
	if failed != nil || sub.Vars == nil {
		return e, failed
	}
	return relax.Bind(e, sub), nil
}
