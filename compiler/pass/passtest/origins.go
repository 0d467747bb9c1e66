package passtest

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// stamped returns m with an origin for every binding, call, statement and buffer access of its functions, as an importer gives them.
func stamped(m *ir.Module) *ir.Module {
	n := 0
	next := func(op string) ir.OriginID {
		n++
		return m.Origins().Add(ir.Origin{Pass: "import", Name: fmt.Sprintf("%s%d", op, n), Op: op})
	}
	for gv, fn := range m.Funcs() {
		switch f := fn.(type) {
		case *relax.Function:
			r := &relax.Mapper{}
			r.Expr = func(e relax.Expr) relax.Expr {
				e = r.MapExpr(e)
				if c, ok := e.(*relax.Call); ok {
					return ir.WithOrigin(c, next("call"))
				}
				return e
			}
			m = m.With(gv.Name, r.MapFunction(f))
		case *tir.PrimFunc:
			m = m.With(gv.Name, f.WithBody(tir.RewriteStmt(f.Body, func(s tir.Stmt) tir.Stmt { return ir.WithOrigin(s, next("stmt")) }, nil)))
		}
	}
	return m
}

// carried counts for each function the calls, loops and blocks, and those of them that have an origin.
func carried(m *ir.Module) map[string][2]int {
	out := map[string][2]int{}
	for gv, fn := range m.Funcs() {
		var n [2]int
		ir.Walk(fn, func(x ir.Node) bool {
			switch x.(type) {
			case *relax.Call, *tir.For, *tir.Block:
				n[0]++
				if x.Meta().Origin != 0 {
					n[1]++
				}
			}
			return true
		})
		out[gv.Name] = n
	}
	return out
}

// originsKept checks that a function which a pass changed still says where it comes from, as it did before, and that one which it made
// of others says so too.
func originsKept(t Failer, what string, before, after *ir.Module) {
	t.Helper()
	was, now := carried(before), carried(after)
	all := true // of the functions before say where they come from
	for _, n := range was {
		all = all && (n[0] == 0 || n[1] > 0)
	}
	for fn, n := range now {
		if old, ok := was[fn]; n[0] > 0 && n[1] == 0 && (ok && old[1] > 0 || !ok && all) {
			t.Errorf("nothing of the function %s says where it comes from after %s\n%s", fn, what, Text(after))
		}
	}
}
