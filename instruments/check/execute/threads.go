package execute

import (
	"errors"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/instruments/check"
)

// whyRace explains why a pass is named that wrote neither of the accesses of a race.
const whyRace = "from here on the kernel runs with the barriers that are written, and one is missing: before, threads did statements one after the other"

// ThreadFault returns what threads did that ended a run with err, with the lines where module m has it, or else the function that was run: m is
// nil for a program that was loaded. It returns nil if it was something else.
func ThreadFault(m *ir.Module, err error) *check.ThreadFault {
	var f *interp.ThreadFault
	if !errors.As(err, &f) {
		return nil
	}
	out := &check.ThreadFault{Kind: string(f.Kind), Element: f.Element, Function: f.Function}
	list := []interp.Access{f.First}
	if f.Second.Thread != "" {
		list = append(list, f.Second)
	}
	wanted := map[ir.Node]bool{}
	for _, a := range list {
		if a.Node != nil {
			wanted[a.Node] = true
		}
	}
	var lines []string
	var places map[ir.Node]script.Place
	// A program has functions of its own, which are like those of the module that it was compiled from.
	var fn ir.Function
	if m != nil {
		fn = m.Lookup(f.Function)
	} else if f.Fn != nil {
		fn = f.Fn
	}
	if fn != nil {
		var text *script.Text
		if text, places = script.Places(f.Function, fn, wanted); len(places) == 0 && f.Fn != nil {
			if own, at := script.Places(f.Function, f.Fn, wanted); own.Source == text.Source {
				places = at
			}
		}
		lines = strings.Split(text.Source, "\n")
	}
	for _, a := range list {
		x := check.ThreadAccess{Thread: a.Thread, Does: a.Does}
		if p, ok := places[a.Node]; ok {
			x.Line, x.Code = p.Line, strings.TrimSpace(lines[p.Line-1])
		}
		out.Accesses = append(out.Accesses, x)
	}
	return out
}

// launchesThreads tells whether fn is for the threads of a GPU.
func launchesThreads(fn *tir.PrimFunc) bool {
	found := false
	ir.Walk(fn.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			found = found || n.Thread != nil
		case *tir.AttrStmt:
			found = found || n.BoundThread() != nil
		case tir.Expr:
			return false
		}
		return !found
	})
	return found
}
