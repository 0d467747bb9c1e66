package instruments

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// wellFormedSkips are passes that may be given modules that are not well-formed yet.
var wellFormedSkips = []string{"Normalize", "NormalizeGlobalVar", "ResolveGlobals"}

// ErrIllFormed is wrapped by what WellFormed reports.
var ErrIllFormed = errors.New("the module is not well-formed")

// WellFormed verifies the module after each pass, and before each if validateBefore is set,
// at both levels, and that it has the forms that the pass gives. Only functions that changed are
// verified again.
func WellFormed(validateBefore bool) *pass.Instrument {
	good := ir.NewModule() // the last module that was right
	checked := &relax.Checked{}
	check := func(when string, m *ir.Module, s *pass.Step) error {
		if slices.Contains(wellFormedSkips, s.Pass.Name) {
			return nil
		}
		if problems := verifyChange(good, m, checked); len(problems) > 0 {
			return fmt.Errorf("%w %s %s: %s", ErrIllFormed, when, s.Path(), strings.Join(problems, "; "))
		}
		good = m
		return nil
	}
	in := &pass.Instrument{
		Name: "WellFormedInstrument", Replayable: true,
		EnterPassCtx: func() error { good = ir.NewModule(); return nil },
		RunAfterPass: func(m *ir.Module, s *pass.Step) error {
			for _, f := range s.Pass.Gives {
				if err := f.Check(m); err != nil {
					return fmt.Errorf("%w after %s: %w", ErrIllFormed, s.Path(), err)
				}
			}
			return check("after", m, s)
		},
		PassReused: func(m *ir.Module, s *pass.Step) error {
			if !slices.Contains(wellFormedSkips, s.Pass.Name) {
				good = m // the run that made it has verified it
			}
			return nil
		},
	}
	if validateBefore {
		in.RunBeforePass = func(m *ir.Module, s *pass.Step) error { return check("before", m, s) }
	}
	return in
}

// sameCode reports whether two functions are kernels that differ in attributes at most.
func sameCode(a, b ir.Function) bool {
	x, ok := a.(*tir.PrimFunc)
	if !ok {
		return false
	}
	y, ok := b.(*tir.PrimFunc)
	return ok && x.SameCode(y)
}

// maxProblems bounds what one report lists.
const maxProblems = 10

// Verify returns what is wrong with m, at most ten findings.
func Verify(m *ir.Module) []string { return verifyChange(ir.NewModule(), m, nil) }

// verifyChange returns what is wrong with the functions of m that good, which is right, has
// not: at most ten findings. Where functions of good are gone, all Relax functions are looked
// at, which may have called them. checked is what is known of calls; nil is nothing.
func verifyChange(good, m *ir.Module, checked *relax.Checked) []string {
	var problems []string
	graphs := 0 // looked at so far
	look := func(name string, fn ir.Function) {
		var found []ir.Diagnostic
		switch fn := fn.(type) {
		case *tir.PrimFunc:
			found = tir.Verify(name, fn)
		case *relax.Function:
			opts := op.VerifyOpts()
			if opts.Checked = checked; checked != nil && graphs == 0 {
				checked.Next()
			}
			graphs++
			found = relax.WellFormedFunc(m, name, fn, opts)
		}
		for _, d := range found {
			if d.Severity == ir.Error && len(problems) < maxProblems {
				problems = append(problems, d.String())
			}
		}
	}
	changed := map[string]bool{}
	gone := false
	m.EachChange(good, func(name string, before, after ir.Function) {
		if after == nil {
			gone = true
			return
		}
		changed[name] = true
		if !sameCode(before, after) {
			look(name, after)
		}
	})
	if gone {
		for gv, fn := range m.Funcs() {
			if _, graph := fn.(*relax.Function); graph && !changed[gv.Name] {
				look(gv.Name, fn)
			}
		}
	}
	return problems
}
