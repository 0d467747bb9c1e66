package tirpass

import (
	"fmt"
	"maps"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// InlinePrivateFunctions puts the bodies of private PrimFuncs in the place of their calls.
var InlinePrivateFunctions = &pass.Pass{
	Name: "tir.InlinePrivateFunctions", Kind: pass.Module,
	Doc: "Replaces calls of private PrimFuncs by their bodies, and removes these functions. Functions stay that call themselves, have buffer parameters or blocks, " +
		"return from several places, or are called for another target. In an expression it replaces only calls of functions that compute one value without effect.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		in := &primInliner{c: c, called: map[string]bool{}}
		in.bodies = in.inlinable(m)
		if len(in.bodies) == 0 {
			return m, nil
		}
		out, err := pass.EachPrimFunc(func(c *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			in.target, in.err = f.Attrs, nil
			g := f.WithBody(in.stmt(f.Body))
			return g, in.err
		})(c, m)
		if err != nil || out == m {
			return m, err
		}
		e := out.Edit()
		for _, name := range slices.Sorted(maps.Keys(in.bodies)) {
			if !in.called[name] {
				c.Working(name)
				c.Rewrite("remove an inlined function", in.bodies[name], nil)
				e.Remove(name)
			}
		}
		c.Working("")
		return ConvertSSA.Run(c, e.Done())
	},
}

type primInliner struct {
	c      *pass.Context
	bodies map[string]*tir.PrimFunc // functions that may be inlined
	called map[string]bool          // those of which calls are left
	target *ir.Attrs                // of the function that is rewritten
	err    error
}

// inlinable returns the functions of m whose calls can be replaced by their bodies.
func (in *primInliner) inlinable(m *ir.Module) map[string]*tir.PrimFunc {
	out, calls := map[string]*tir.PrimFunc{}, map[string][]string{}
	for gv, fn := range m.Funcs() {
		f, ok := fn.(*tir.PrimFunc)
		ir.Walk(fn, func(n ir.Node) bool {
			if g, is := n.(*ir.GlobalVar); is {
				if !ok {
					in.called[g.Name] = true // by a function that is not a PrimFunc
				}
				calls[gv.Name] = append(calls[gv.Name], g.Name)
			}
			if x, is := n.(*tir.Call); is {
				if g, is := x.Op.(*ir.GlobalVar); is {
					calls[gv.Name] = append(calls[gv.Name], g.Name)
				}
			}
			return true
		})
		if ok && ir.GlobalSymbol(f) == "" {
			out[gv.Name] = f
		}
	}
	for gv := range m.Funcs() {
		f := out[gv.Name]
		if f == nil {
			continue
		}
		why := ""
		switch {
		case reaches(calls, gv.Name):
			why = "it calls itself"
		case hasBuffers(f):
			why = "it has buffer parameters"
		case hasBlock(f.Body):
			why = "it has blocks"
		case returnsEarly(f.Body):
			why = "it returns from several places"
		default:
			continue
		}
		in.c.Working(gv.Name)
		in.c.Declined("inline a private function", f, why)
		delete(out, gv.Name)
	}
	in.c.Working("")
	return out
}

// reaches reports whether calls lead from a function back to it.
func reaches(calls map[string][]string, name string) bool {
	seen := map[string]bool{}
	var visit func(string) bool
	visit = func(at string) bool {
		for _, to := range calls[at] {
			if to == name {
				return true
			}
			if !seen[to] {
				seen[to] = true
				if visit(to) {
					return true
				}
			}
		}
		return false
	}
	return visit(name)
}

func hasBuffers(f *tir.PrimFunc) bool {
	for _, b := range f.Buffers {
		if b != nil {
			return true
		}
	}
	return false
}

// returnsEarly reports whether s returns other than as the last thing that it does.
func returnsEarly(s tir.Stmt) bool {
	for {
		switch x := s.(type) {
		case *tir.LetStmt:
			if callsRet(x.Value) {
				return true
			}
			s = x.Body
			continue
		case *tir.DeclBuffer:
			s = x.Body
			continue
		case *tir.SeqStmt:
			for _, y := range x.Seq[:len(x.Seq)-1] {
				if callsRet(y) {
					return true
				}
			}
			s = x.Seq[len(x.Seq)-1]
			continue
		case *tir.Evaluate:
			if c, ok := tir.IsCallTo(x.Value, tir.OpRet); ok {
				return callsRet(c.Args[0])
			}
		}
		return callsRet(s)
	}
}

func callsRet(n ir.Node) bool {
	return ir.Any(n, func(n ir.Node) bool {
		e, ok := n.(tir.Expr)
		if ok {
			_, ok = tir.IsCallTo(e, tir.OpRet)
		}
		return ok
	})
}

// callee returns the function to put in the place of a call, nil if the call stays.
func (in *primInliner) callee(x *tir.Call) *tir.PrimFunc {
	g, ok := x.Op.(*ir.GlobalVar)
	if !ok {
		return nil
	}
	f := in.bodies[g.Name]
	if f == nil {
		return nil
	}
	mine, hasMine := in.target.Get(ir.AttrTarget)
	its, hasIts := f.Attrs.Get(ir.AttrTarget)
	if hasMine && hasIts && fmt.Sprint(mine) != fmt.Sprint(its) {
		in.c.Declined("inline a private function", x, "it is for another target")
		return nil
	}
	if len(x.Args) != len(f.Params) {
		if in.err == nil {
			in.err = fmt.Errorf("call of %s: %d arguments, want %d", g.Name, len(x.Args), len(f.Params))
		}
		return nil
	}
	return f
}

func (in *primInliner) stmt(s tir.Stmt) tir.Stmt {
	in.c.Budget().Spend(1)
	if x, ok := s.(*tir.Evaluate); ok {
		if call, ok := x.Value.(*tir.Call); ok {
			if f := in.callee(call); f != nil {
				out := in.instance(f, call, dropResult)
				in.c.Rewrite("inline a private function", x, out)
				return in.stmt(out)
			}
		}
	}
	m := &tir.Mapper{Stmt: in.stmt}
	var before []*tir.LetStmt
	m.Expr = in.values(s, &before)
	out := m.MapStmt(s)
	for i := len(before) - 1; i >= 0; i-- {
		out = before[i].WithBody(out)
	}
	return out
}
