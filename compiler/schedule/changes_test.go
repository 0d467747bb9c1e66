package schedule_test

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/tir"
)

// change is what primitives make of a function: the outline of the result, "" if it is not compared.
type change struct {
	name, params, body string
	do                 func(o on) error
	want               string
	extents            []map[string]int64 // of symbolic dimensions, for each run; none: one run without
}

// changes applies each change and compares the text, and the results for all extents.
func changes(t *testing.T, list []change) {
	t.Helper()
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			f := parsed(t, c.params, c.body)
			giveOrigins(f)
			s := scheduled(t, f)
			if err := c.do(on{t, s}); err != nil {
				t.Fatal(err)
			}
			if c.want != "" {
				looks(t, s, c.want)
			}
			hasOrigins(t, s)
			if len(c.extents) == 0 {
				same(t, f, s, nil)
			}
			for _, e := range c.extents {
				t.Run(fmt.Sprint(e), func(t *testing.T) { same(t, f, s, e) })
			}
		})
	}
}

// giveOrigins gives each loop, block and allocated buffer of a function an origin.
func giveOrigins(f *tir.PrimFunc) {
	ir.Walk(f.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			n.Origin = 1
		case *tir.BlockRealize:
			n.Origin = 1
		case *tir.Block:
			n.Origin = 1
			for _, x := range n.AllocBuffers {
				x.Origin = 1
			}
		case tir.Expr:
			return false
		}
		return true
	})
}

// hasOrigins checks that each loop, block and allocated buffer knows what it was made from.
func hasOrigins(t *testing.T, s *schedule.Schedule) {
	t.Helper()
	missing := func(kind, name string, n ir.Node) {
		if n.Meta().Origin == 0 {
			t.Errorf("%s %s has no origin", kind, name)
		}
	}
	ir.Walk(s.Func().Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			missing("loop", n.LoopVar.Name, n)
		case *tir.BlockRealize:
			missing("realize", n.Block.Name, n)
		case *tir.Block:
			missing("block", n.Name, n)
			for _, x := range n.AllocBuffers {
				missing("buffer", x.Name, x)
			}
		case tir.Expr:
			return false
		}
		return true
	})
}
