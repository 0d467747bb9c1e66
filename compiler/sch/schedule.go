package sch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Schedule is a state that calls move forward, with the trace of the calls. It is used by one goroutine.
type Schedule struct {
	state *State
	past  []*State // before each instruction of the trace
	trace []*Instruction
	fn    string // the function that get_block looks into
	live  map[any]bool
	exprs map[*tir.Var]int64 // what was drawn
	rand  random
	// intrin finds the tensor intrinsics that tensorize names; nil knows none.
	intrin Intrinsics
	// watcher is told of instructions; nil is nobody.
	watcher Watcher
}

// Intrinsics returns the tensor intrinsic of a name, and an error if there is none.
type Intrinsics func(name string) (*TensorIntrin, error)

// Intrinsics returns where tensorize finds intrinsics.
func (s *Schedule) Intrinsics() Intrinsics { return s.intrin }

// UseIntrinsics says where tensorize finds intrinsics.
func (s *Schedule) UseIntrinsics(f Intrinsics) { s.intrin = f }

// MergeOrigins has blocks that take in others get the origins of both from now on, as made by a pass, in the table that the origins of the module are
// numbers in.
func (s *Schedule) MergeOrigins(t *ir.Origins, pass string) {
	st := *s.state
	st.origins = func(ids ...ir.OriginID) ir.OriginID { return t.Merge(pass, ids...) }
	s.state = &st
}

// ForRules is for rules that schedule a whole function as TVM's do, where primitives know less than the rule. From now on rfactor takes reductions of which a part may
// have no first step, where its init would not run: the caller must have decompose_reduction take the init out of the loops, before which such parts have no
// value. And a scope that is a stage pipeline once counts as one from then on.
func (s *Schedule) ForRules() {
	st := *s.state
	st.rules = true
	s.state = &st
}

// Instruction is a call that was made, with the references that it returned.
type Instruction struct {
	*Call
	Outputs []any
}

// NewSchedule returns the schedule of a module that was not changed yet.
func NewSchedule(m *ir.Module, seed int64) (*Schedule, error) {
	st, err := New(m)
	if err != nil {
		return nil, err
	}
	s := &Schedule{state: st, live: map[any]bool{}, exprs: map[*tir.Var]int64{}}
	if s.rand, err = newRandom(seed); err != nil {
		return nil, err
	}
	var names []string
	for gv, f := range m.Funcs() {
		if _, ok := f.(*tir.PrimFunc); ok {
			names = append(names, gv.Name)
		}
	}
	switch {
	case len(names) == 1:
		s.fn = names[0]
	case slices.Contains(names, "main"):
		s.fn = "main"
	}
	return s, nil
}

// Module returns the module as it stands.
func (s *Schedule) Module() *ir.Module { return s.state.mod }

// State returns the state as it stands.
func (s *Schedule) State() *State { return s.state }

// Trace returns the calls that were made. The slice must not be changed.
func (s *Schedule) Trace() []*Instruction { return s.trace }

// Working returns the name of the function that get_block looks into, "" if none was chosen.
func (s *Schedule) Working() string { return s.fn }

// WorkOn chooses the function that get_block looks into.
func (s *Schedule) WorkOn(fn string) error {
	if _, ok := s.state.mod.Lookup(fn).(*tir.PrimFunc); !ok {
		return fmt.Errorf("work_on: the module has no PrimFunc %q", fn)
	}
	s.fn = fn
	return nil
}

// Seed starts the random numbers anew. It fails for seeds below -1.
func (s *Schedule) Seed(seed int64) error {
	r, err := newRandom(seed)
	if err == nil {
		s.rand = r
	}
	return err
}

// ForkSeed returns a seed for another schedule.
func (s *Schedule) ForkSeed() int64 { return s.rand.fork() }

// Copy returns another schedule in the same state, with the same references and a seed forked from that of s.
func (s *Schedule) Copy() *Schedule {
	out := *s
	out.watcher = nil
	out.past, out.trace = slices.Clone(s.past), slices.Clone(s.trace)
	out.live, out.exprs = map[any]bool{}, map[*tir.Var]int64{}
	for r := range s.live {
		out.live[r] = true
	}
	for v, x := range s.exprs {
		out.exprs[v] = x
	}
	out.rand = s.rand.forked()
	return &out
}

// Undo takes back the last instruction of the trace.
func (s *Schedule) Undo() error {
	n := len(s.trace)
	if n == 0 {
		return errors.New("undo: nothing was called")
	}
	for _, r := range s.trace[n-1].Outputs {
		delete(s.live, r)
	}
	s.state, s.past, s.trace = s.past[n-1], s.past[:n-1], s.trace[:n-1]
	return nil
}

// Remove forgets a reference: remove_rv.
func (s *Schedule) Remove(r any) error {
	if !s.live[r] {
		return errUnknownRef
	}
	delete(s.live, r)
	return nil
}

var errUnknownRef = errors.New("IndexError: Cannot find corresponding random variable: it was removed, or is that of another schedule")

// Get returns the statement that a reference refers to.
func (s *Schedule) Get(r any) (tir.Stmt, error) {
	if !s.live[r] {
		return nil, errUnknownRef
	}
	return s.state.Stmt(r)
}

// Value returns what was drawn for a variable.
func (s *Schedule) Value(v *tir.Var) (int64, bool) {
	x, ok := s.exprs[v]
	return x, ok && s.live[v]
}

// Do calls an instruction with one argument for each of its parameters, and returns its outputs. The state stays as it is where it fails.
func (s *Schedule) Do(k *Kind, args ...any) ([]any, error) {
	return s.do(&Call{Kind: k, Args: args})
}

// Can reports whether an instruction could be called with these arguments. The error is about arguments that no call could have.
func (s *Schedule) Can(k *Kind, args ...any) (bool, error) {
	c := &Call{Kind: k, Args: args, fn: s.fn}
	if err := s.check(c); err != nil {
		return false, fmt.Errorf("%s: %w", k.Method, err)
	}
	if k.prepare != nil {
		if err := k.prepare(s.state, c); err != nil {
			return false, nil
		}
	}
	if s.state.checkViews(c) != nil {
		return false, nil
	}
	for i, x := range c.Args {
		c.Args[i] = s.valued(x)
	}
	r := s.rand
	c.rand = &r
	_, _, err := k.apply(s.state, c)
	return err == nil, nil
}

// perform makes an instruction.
func (s *Schedule) perform(c *Call) ([]any, error) {
	c.fn, c.rand, c.intrin = s.fn, &s.rand, s.intrin
	if err := s.check(c); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Kind.Method, err)
	}
	if c.Kind.prepare != nil {
		if err := c.Kind.prepare(s.state, c); err != nil {
			return nil, s.named(err, c.Kind)
		}
	}
	if err := s.state.checkViews(c); err != nil {
		return nil, s.named(err, c.Kind)
	}
	run := *c
	run.Args = make([]any, len(c.Args))
	for i, x := range c.Args {
		run.Args[i] = s.valued(x)
	}
	next, out, err := c.Kind.apply(s.state, &run)
	if err != nil {
		return nil, s.named(err, c.Kind)
	}
	c.Decision = run.Decision
	for i, x := range out {
		if n, ok := x.(int64); ok { // a number that was drawn
			if n == -1 && c.Kind.Name == "SamplePerfectTile" { // to be inferred
				out[i] = nil
				continue
			}
			v := tir.NewVar("v", tir.Int32(0).Type)
			s.exprs[v] = n
			out[i] = v
		}
		s.live[out[i]] = true
	}
	s.past = append(s.past, s.state)
	s.trace = append(s.trace, &Instruction{c, out})
	s.state = next
	if c.after != nil {
		if _, err := s.Do(KindOf(c.after.name), c.after.args...); err != nil {
			return nil, errors.Join(err, s.Undo())
		}
	}
	return out, nil
}

// named notes in an error which primitive failed.
func (s *Schedule) named(err error, k *Kind) error {
	var e *Error
	if errors.As(err, &e) {
		e.Primitive = k.Method
		return err
	}
	return fmt.Errorf("%s: %w", k.Method, err)
}

// check looks up names of blocks, and returns an error for references that the schedule does not know.
func (s *Schedule) check(c *Call) error {
	if len(c.Args) != len(c.Kind.Params) {
		return fmt.Errorf("expected %d arguments, got %d", len(c.Kind.Params), len(c.Args))
	}
	known := func(r any) error {
		if !s.live[r] {
			return errUnknownRef
		}
		return nil
	}
	for i, p := range c.Kind.Params {
		if name, ok := c.Args[i].(string); ok && (p.Form == BlockForm || p.Form == RefForm) {
			b, err := s.Do(KindOf("GetBlock"), name, nil)
			if err != nil {
				return err
			}
			c.Args[i] = b[0]
		}
		if list, ok := c.Args[i].([]any); ok && (p.Form == BlocksForm || p.Form == TargetForm) {
			blocks := make([]*Block, len(list))
			for k, x := range list {
				if name, ok := x.(string); ok {
					b, err := s.Do(KindOf("GetBlock"), name, nil)
					if err != nil {
						return err
					}
					x = b[0]
				}
				blocks[k] = x.(*Block)
			}
			c.Args[i] = blocks
		}
		var err error
		switch x := c.Args[i].(type) {
		case *Block:
			err = known(x)
		case *Loop:
			err = known(x)
		case []*Block:
			for _, r := range x {
				err = errors.Join(err, known(r))
			}
		case []*Loop:
			for _, r := range x {
				err = errors.Join(err, known(r))
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// valued puts what was drawn in the place of its variables.
func (s *Schedule) valued(x any) any {
	if len(s.exprs) == 0 {
		return x
	}
	sub := func(e tir.Expr) tir.Expr {
		if e == nil {
			return nil
		}
		values := map[*tir.Var]tir.Expr{}
		used := map[*tir.Var]bool{}
		varsOf(e, used)
		for v := range used {
			if n, ok := s.exprs[v]; ok {
				values[v] = tir.Const(v.DType(), n)
			}
		}
		return tir.SubstExpr(e, values)
	}
	switch x := x.(type) {
	case []tir.Expr:
		out := make([]tir.Expr, len(x))
		for i, e := range x {
			out[i] = sub(e)
		}
		return out
	case tir.Expr:
		e := sub(x)
		if n, ok := tir.AsInt(e); ok && e != x {
			return n
		}
		return e
	}
	return x
}
