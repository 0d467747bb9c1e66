package tirpass

import (
	"errors"
	"maps"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// asyncQueue is what is known of an asynchronous stage across prologue, body, and epilogue.
type asyncQueue struct {
	writes map[*tir.Buffer]bool
	// head is the index that the latest asynchronous step wrote to, as the sum of the extents of the
	// loops so far less one; nil if predicates make it unknown.
	head tir.Expr
}

// asyncQueues holds the queues by stage.
type asyncQueues map[int64]*asyncQueue

func (q *asyncQueues) of(stage int64) *asyncQueue {
	if *q == nil {
		*q = asyncQueues{}
	}
	if (*q)[stage] == nil {
		(*q)[stage] = &asyncQueue{writes: map[*tir.Buffer]bool{}, head: tir.Int32(-1)}
	}
	return (*q)[stage]
}

// stages returns the stages in ascending order.
func (q asyncQueues) stages() []int64 { return slices.Sorted(maps.Keys(q)) }

// advance notes that extent steps of a stage were emitted.
func (q *asyncQueues) advance(stage int64, s *asyncState, an *arith.Analyzer, extent tir.Expr) {
	all := q.of(stage)
	if s.pred != nil && an.CanProve(s.pred) && all.head != nil {
		all.head = tir.Add(all.head, extent)
	} else {
		all.head = nil
	}
}

// asyncState is what is known of an asynchronous stage in one of prologue, body, and epilogue.
type asyncState struct {
	seen     map[*tir.Buffer]bool // what was written in this iteration so far
	head     tir.Expr             // the index that its latest step writes to
	pred     tir.Expr
	groups   [][]int // the steps of each commit
	consumed bool    // a step that reads what it wrote was found
	waits    bool
	before   int // the step in front of which to wait
	count    tir.Expr
}

// asyncRange collects the steps of one of prologue, body, and epilogue.
type asyncRange struct {
	w      *pipelineWriter
	an     *arith.Analyzer // over the loop as it is emitted
	steps  []*step
	states map[int64]*asyncState
	group  map[*tir.Buffer]int // the commit that a buffer is written in
}

func (r *asyncRange) of(stage int64) *asyncState {
	if r.states[stage] == nil {
		r.states[stage] = &asyncState{seen: map[*tir.Buffer]bool{}}
	}
	return r.states[stage]
}

// add appends a step; that of an asynchronous stage joins a commit, a new one behind a reader.
func (r *asyncRange) add(s *step) {
	if s.async {
		state := r.of(s.stage)
		if len(state.groups) == 0 || state.consumed {
			state.groups = append(state.groups, nil)
		}
		last := len(state.groups) - 1
		state.groups[last] = append(state.groups[last], len(r.steps))
		for _, x := range s.block.Writes {
			r.w.queues.of(s.stage).writes[x.Buffer] = true
			r.group[x.Buffer] = last
		}
		state.head = s.index
		switch {
		case state.pred == nil || r.an.CanProve(state.pred):
			state.pred = s.pred
		default:
			state.pred = r.an.Simplify(tir.And(state.pred, s.pred))
		}
		s.block = s.block.WithBody(r.w.note(keyAsyncScope, tir.Int32(1), s.block.Body))
	}
	r.steps = append(r.steps, s)
	for _, x := range s.block.Reads {
		for _, stage := range r.w.queues.stages() {
			if stage <= s.stage && r.w.queues[stage].writes[x.Buffer] {
				r.of(stage).consumed = true
			}
		}
	}
}

// finish returns the statements of the steps, with waits and commits.
func (r *asyncRange) finish() ([]tir.Stmt, error) {
	for i := range r.steps {
		if err := r.wait(i); err != nil {
			return nil, err
		}
	}
	commit := map[int]int64{} // the stage of the commit that a step is in
	for _, stage := range slices.Sorted(maps.Keys(r.states)) {
		state := r.states[stage]
		for _, g := range state.groups {
			for j := range g {
				commit[g[0]+j] = stage
			}
		}
		if !state.waits {
			continue
		}
		count := state.count
		if state.pred != nil && !r.an.CanProve(state.pred) {
			// The count holds in the iterations in which the predicate does.
			count = &tir.Call{Base: r.w.loop.Base, Type: dtype.Int32T, Op: tir.OpIfThenElse, Args: []tir.Expr{state.pred, count, tir.Const(count.DType(), 0)}}
		}
		s := r.steps[state.before]
		s.block = s.block.WithBody(r.w.note(keyAsyncWait, tir.Int32(stage), r.w.note(keyAsyncInFlight, count, s.block.Body)))
	}
	var out []tir.Stmt
	for i := 0; i < len(r.steps); {
		s := r.steps[i]
		stage, in := commit[i]
		if !in {
			out = append(out, r.w.realize(s.pred, s.block))
			i++
			continue
		}
		var bodies []tir.Stmt
		for ; i < len(r.steps); i++ {
			if at, in := commit[i]; !in || at != stage {
				break
			}
			if !ir.StructuralEqual(s.pred, r.steps[i].pred, ir.EqualOpts{}) {
				return nil, errors.New("predicates in the same stage are expected to be identical")
			}
			bodies = append(bodies, r.steps[i].block.Body)
		}
		block := r.w.p.blockOf(r.w.note(keyAsyncCommit, tir.Int32(stage), tir.Seq(bodies...)))
		out = append(out, r.w.realize(s.pred, block))
	}
	return out, nil
}

// wait notes that step i must wait for the asynchronous stage that writes what it reads, until no more than a
// number of its commits are in flight.
//
// That number is the sum over the commits that i reads from of how far each is ahead: with B written
// behind the reader in the body, its latest write is that of the iteration before.
func (r *asyncRange) wait(i int) error {
	s := r.steps[i]
	if s.async {
		for _, x := range s.block.Writes {
			r.of(s.stage).seen[x.Buffer] = true
		}
	}
	found := int64(-1)
	for _, x := range s.block.Reads {
		for _, stage := range r.w.queues.stages() {
			if stage <= s.stage && r.w.queues[stage].writes[x.Buffer] {
				if found >= 0 && found != stage {
					return errors.New("a dependency on multiple async stages is not supported")
				}
				found = stage
			}
		}
	}
	if found < 0 {
		return nil
	}
	state := r.of(found)
	count := tir.Expr(tir.Int32(0))
	for _, head := range r.heads(s, found, state) {
		if head == nil || !r.an.CanProve(tir.GE(head, tir.Const(head.DType(), 0))) {
			count = tir.Int32(0) // not known: wait for all
			break
		}
		count = tir.Add(count, r.w.an.Simplify(tir.Sub(head, s.index)))
	}
	switch {
	case !state.waits:
		state.waits, state.before, state.count = true, i, count
	case r.w.an.CanProve(tir.LT(count, state.count)):
		state.count = count // one wait for both
	}
	return nil
}

// heads returns the indices that the latest commits of a stage which s reads from have written to.
func (r *asyncRange) heads(s *step, stage int64, state *asyncState) []tir.Expr {
	if len(state.groups) == 0 {
		return []tir.Expr{r.w.queues.of(stage).head} // the epilogue
	}
	var out []tir.Expr
	done := map[int]bool{}
	for _, x := range s.block.Reads {
		g, ok := r.group[x.Buffer]
		if !r.w.queues.of(stage).writes[x.Buffer] || !ok || done[g] {
			continue
		}
		done[g] = true
		head := state.head
		if !state.seen[x.Buffer] {
			head = tir.Sub(head, tir.Const(head.DType(), 1))
		}
		out = append(out, head)
	}
	return out
}
