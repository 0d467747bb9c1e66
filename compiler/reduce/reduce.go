package reduce

import (
	"context"
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// Test reports whether a module has the property that is to be kept. An error ends the search.
type Test func(ctx context.Context, m *ir.Module) (bool, error)

// DefaultEvaluations is the number of modules that are tested at most where Options say nothing.
const DefaultEvaluations = 2000

// Options bound a search and follow it. The zero value is the default.
type Options struct {
	// Evaluations is the number of modules that are tested at most; 0 is DefaultEvaluations.
	Evaluations int
	// Progress, if not nil, hears of each test, with the smallest module so far.
	Progress func(evaluations int, best *ir.Module)
}

// Result is what a search found.
type Result struct {
	// Module is the smallest module that was found to have the property.
	Module *ir.Module
	// Evaluations is the number of modules that were tested.
	Evaluations int
	// Stopped says what ended the search early: "" where nothing that the package tries makes the module smaller.
	Stopped string
}

// ErrNotHeld is the error for a module that does not have the property to begin with.
var ErrNotHeld = errors.New("the module does not have the property that is to be kept")

// IllFormedError is the error for a module that is not well-formed to begin with.
type IllFormedError struct{ Found []ir.Diagnostic }

// Error gives the first finding.
func (e *IllFormedError) Error() string {
	return fmt.Sprintf("only well-formed modules can be reduced: %s", e.Found[0].String())
}

// Module reduces m while test holds. When ctx ends or the evaluations are used up, the result is the smallest module so far. The
// error is an *IllFormedError, ErrNotHeld, or that of the test.
func Module(ctx context.Context, m *ir.Module, test Test, o Options) (*Result, error) {
	if found := findings(m); len(found) > 0 {
		return nil, &IllFormedError{found}
	}
	s := &search{ctx: ctx, test: test, limit: o.Evaluations, progress: o.Progress, tried: map[uint64]bool{}}
	if s.limit <= 0 {
		s.limit = DefaultEvaluations
	}
	if !s.try(m) {
		switch {
		case s.err != nil:
			return nil, s.err
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		}
		return nil, ErrNotHeld
	}
	// Where the property is not about what nothing uses, that goes with every part that used it.
	s.tidy = s.try(swept(m)) || swept(m) == m
	s.try(s.best.WithAttrs(nil))
	for before := (*ir.Module)(nil); before != s.best && !s.over(); {
		before = s.best
		s.functions()
		s.bindings()
		s.statements()
	}
	if s.err != nil {
		return nil, s.err
	}
	return &Result{Module: s.best, Evaluations: s.evaluations, Stopped: s.stopped}, nil
}

// search is the state of one call of Module.
type search struct {
	ctx      context.Context
	test     Test
	limit    int
	progress func(int, *ir.Module)

	best        *ir.Module
	tidy        bool // what nothing uses is removed from each candidate
	tried       map[uint64]bool
	evaluations int
	stopped     string
	err         error
}

// over reports whether the search has ended.
func (s *search) over() bool { return s.err != nil || s.stopped != "" }

// try makes m the best module if it is well-formed and has the property.
func (s *search) try(m *ir.Module) bool {
	if s.over() || m == nil || m == s.best {
		return false
	}
	if s.tidy {
		m = swept(m)
	}
	hash := ir.StructuralHashModule(m)
	if s.tried[hash] {
		return false
	}
	s.tried[hash] = true
	if s.best != nil && len(findings(m)) > 0 {
		return false
	}
	switch {
	case s.ctx.Err() != nil:
		s.stopped = fmt.Sprintf("it was stopped: %v", context.Cause(s.ctx))
		return false
	case s.evaluations == s.limit:
		s.stopped = fmt.Sprintf("%d modules were tested", s.limit)
		return false
	}
	s.evaluations++
	ok, err := s.test(s.ctx, m)
	switch {
	case err != nil && s.ctx.Err() != nil:
		s.stopped = fmt.Sprintf("it was stopped: %v", context.Cause(s.ctx))
	case err != nil:
		s.err = err
	case ok:
		s.best = m
	}
	if s.progress != nil && s.best != nil {
		s.progress(s.evaluations, s.best)
	}
	return ok && err == nil
}

// findings returns the errors of the verifier, and calls of functions that are not in the module.
func findings(m *ir.Module) []ir.Diagnostic {
	var out []ir.Diagnostic
	for _, d := range frontend.Verify(m) {
		if d.Severity == ir.Error {
			out = append(out, d)
		}
	}
	for gv, fn := range m.Funcs() {
		for callee := range mentioned(fn) {
			if m.Lookup(callee) == nil {
				out = append(out, ir.Diagnostic{Severity: ir.Error, Func: gv.Name, Message: "there is no function " + callee})
			}
		}
	}
	return out
}

// mentioned returns the names of the functions that n refers to.
func mentioned(n ir.Node) map[string]bool {
	out := map[string]bool{}
	ir.Walk(n, func(n ir.Node) bool {
		switch n := n.(type) {
		case *ir.GlobalVar:
			out[n.Name] = true
		case *tir.Call:
			if gv, ok := n.Op.(*ir.GlobalVar); ok {
				out[gv.Name] = true
			}
		}
		return true
	})
	return out
}

// called returns the names of the functions that others of m refer to: their signatures cannot change.
func called(m *ir.Module) map[string]bool {
	out := map[string]bool{}
	for gv, fn := range m.Funcs() {
		for name := range mentioned(fn) {
			if name != gv.Name {
				out[name] = true
			}
		}
	}
	return out
}

// graphs returns the names of the Relax functions of the best module, and those whose signature may change.
func (s *search) graphs() (names []string, own map[string]bool) {
	fixed := called(s.best)
	own = map[string]bool{}
	for gv, fn := range s.best.Funcs() {
		if _, ok := fn.(*relax.Function); ok {
			names = append(names, gv.Name)
			own[gv.Name] = !fixed[gv.Name]
		}
	}
	return names, own
}

// halve offers runs of the n() things that there are: all of them, halves, and so on to single ones. try removes a run and reports
// whether that kept the property; what n counts is then one run shorter.
func halve(n func() int, try func(lo, hi int) bool) {
	for size := n(); size > 0; size /= 2 {
		for lo := 0; lo < n(); {
			if hi := min(lo+size, n()); !try(lo, hi) {
				lo = hi
			}
		}
	}
}
