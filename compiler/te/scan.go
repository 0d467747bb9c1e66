package te

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Scan computes along the first axis what depends on what came before, TVM's te.scan. Entry k of the result begins with init[k]; each index t behind
// its end is what update[k] has there, in which state[k], a placeholder, stands for the result so far. update and state have the extents of the result.
// The updates are computations by element or reductions, read state at indices before t only, and other tensors that do not depend on a state. All is
// done in statements of one block.
func Scan(name string, init, update, state []*Tensor) ([]*Tensor, error) {
	if len(init) == 0 || len(init) != len(update) || len(init) != len(state) {
		return nil, fmt.Errorf("scan: there are %d values to begin with, %d updates and %d states, expected the same number, at least one", len(init), len(update), len(state))
	}
	var outs []Out
	reads := slices.Clone(init)
	for k, s := range state {
		if err := scanned(init[k], update[k], s); err != nil {
			return nil, fmt.Errorf("scan: entry %d: %w", k, err)
		}
		if !sameExtent(init[k].Shape[0], init[0].Shape[0]) || !sameExtent(s.Shape[0], state[0].Shape[0]) {
			return nil, fmt.Errorf("scan: entry %d has other extents along the first axis than the first", k)
		}
		outs = append(outs, Out{DType: s.DType, Shape: s.Shape})
		for _, t := range update[k].op.inputs() {
			if !slices.Contains(state, t) && !slices.Contains(reads, t) {
				reads = append(reads, t)
			}
		}
	}
	for _, t := range reads {
		if dependsOn(t, state, map[*Tensor]bool{}) {
			return nil, fmt.Errorf("scan: %s is computed from a state: write what it computes into the update", t.Name)
		}
	}
	ts := Extern(name, outs, reads, func(in, out []*tir.Buffer) tir.Stmt {
		s := scan{buffers: map[*Tensor]*tir.Buffer{}}
		for i, t := range reads {
			s.buffers[t] = in[i]
		}
		for k, t := range state {
			s.buffers[t] = out[k]
		}
		var begin, steps []tir.Stmt
		for k := range state {
			begin = append(begin, over(init[k].Shape, func(i []tir.Expr) tir.Stmt {
				return tir.Store(out[k], tir.Load(in[slices.Index(reads, init[k])], i...), i...)
			}))
		}
		first := init[0].Shape[0]
		t := tir.NewVar("t", first.DType())
		for k := range state {
			steps = append(steps, s.step(update[k], out[k], t))
		}
		return tir.Seq(tir.Seq(begin...), &tir.For{LoopVar: t, Min: first, Extent: tir.Sub(state[0].Shape[0], first), Body: tir.Seq(steps...)})
	})
	if len(ts) > 1 {
		for k, t := range ts {
			t.Name += "_v" + strconv.Itoa(k)
		}
	}
	return ts, nil
}

// scanned checks one entry of a scan.
func scanned(init, update, state *Tensor) error {
	same := func(what string, t *Tensor, from int) error {
		if t.DType != state.DType || len(t.Shape) != len(state.Shape) || !slices.EqualFunc(t.Shape[from:], state.Shape[from:], sameExtent) {
			return fmt.Errorf("the %s %s has another type or other extents than the state %s", what, t.Name, state.Name)
		}
		return nil
	}
	switch {
	case !state.IsPlaceholder() || state.NDim() == 0:
		return fmt.Errorf("the state %s is no placeholder with an axis to scan", state.Name)
	case update.op == nil || update.op.extern != nil || len(update.op.outputs) > 1:
		return fmt.Errorf("the update %s is no computation of one result by element", update.Name)
	}
	if err := same("value to begin with,", init, 1); err != nil {
		return err
	}
	return same("update", update, 0)
}

func sameExtent(a, b tir.Expr) bool { return ir.StructuralEqual(a, b, ir.EqualOpts{}) }

func dependsOn(t *Tensor, state []*Tensor, seen map[*Tensor]bool) bool {
	if slices.Contains(state, t) {
		return true
	}
	if t.op == nil || seen[t] {
		return false
	}
	seen[t] = true
	return slices.ContainsFunc(t.op.inputs(), func(in *Tensor) bool { return dependsOn(in, state, seen) })
}

// over is a nest of serial loops.
func over(extents []tir.Expr, body func(i []tir.Expr) tir.Stmt) tir.Stmt {
	var vars []*tir.Var
	var index []tir.Expr
	for k, e := range extents {
		v := tir.NewVar("i"+strconv.Itoa(k), e.DType())
		vars, index = append(vars, v), append(index, v)
	}
	out := body(index)
	for k := len(vars) - 1; k >= 0; k-- {
		out = &tir.For{LoopVar: vars[k], Min: tir.Const(vars[k].DType(), 0), Extent: extents[k], Body: out}
	}
	return out
}

// scan has the buffers that updates read.
type scan struct{ buffers map[*Tensor]*tir.Buffer }

// step computes what an update has at t.
func (s scan) step(update *Tensor, to *tir.Buffer, t *tir.Var) tir.Stmt {
	op := update.op
	return over(update.Shape[1:], func(i []tir.Expr) tir.Stmt {
		at := append([]tir.Expr{t}, i...)
		sub := map[*tir.Var]tir.Expr{}
		for k, a := range op.axes {
			sub[a.Var] = at[k]
		}
		r := op.reduce()
		if r == nil {
			return tir.Store(to, replaced(op.body[0], sub, s.buffers), at...)
		}
		var extents []tir.Expr
		for _, a := range r.Axis {
			extents = append(extents, a.Dom.Extent)
		}
		return tir.Seq(tir.Store(to, r.Combiner.Identity[0], at...), over(extents, func(j []tir.Expr) tir.Stmt {
			for k, a := range r.Axis {
				sub[a.Var] = j[k]
			}
			source := replaced(r.Source[0], sub, s.buffers)
			return tir.Store(to, tir.SubstExpr(r.Combiner.Result[0], map[*tir.Var]tir.Expr{r.Combiner.LHS[0]: tir.Load(to, at...), r.Combiner.RHS[0]: source}), at...)
		}))
	})
}
