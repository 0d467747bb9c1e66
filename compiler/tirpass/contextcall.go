package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// keyDeviceScope marks statements of which all runs on one device.
const keyDeviceScope = "device_scope"

// DecorateDeviceScope marks functions as run by one device.
var DecorateDeviceScope = &pass.Pass{
	Name: "tir.DecorateDeviceScope", Kind: pass.PrimFunc,
	Doc: "Puts the attribute device_scope around the body of each function, which is that of code for one device.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if a, ok := f.Body.(*tir.AttrStmt); ok && a.Key == keyDeviceScope {
			return f, nil
		}
		mark := func(s tir.Stmt) tir.Stmt {
			out := &tir.AttrStmt{Base: s.Meta(), Key: keyDeviceScope, Value: tir.Int32(0), Body: s}
			c.Rewrite("mark the code of a device", s, out)
			return out
		}
		// A root block stays outermost.
		if r, ok := f.Body.(*tir.BlockRealize); ok && len(r.Block.IterVars) == 0 && tir.IsTrue(r.Predicate) {
			if a, ok := r.Block.Body.(*tir.AttrStmt); ok && a.Key == keyDeviceScope {
				return f, nil
			}
			return f.WithBody(r.WithBlock(r.Block.WithBody(mark(r.Block.Body)))), nil
		}
		return f.WithBody(mark(f.Body)), nil
	}),
}

// CombineContextCall computes the contexts of threads once.
var CombineContextCall = &pass.Pass{
	Name: "tir.CombineContextCall", Kind: pass.PrimFunc,
	Doc: "Computes what T.tvm_thread_context is of once for each thread, in front of its code, in functions that run on the host. A context stays in its place if variables inside that code are in it.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if !onHost(f) {
			return f, nil
		}
		m := &contextCombiner{c: c, region: &contextRegion{}}
		m.m = tir.Mapper{Stmt: m.stmt, Expr: m.expr}
		return f.WithBody(m.within(f.Body, m.stmt)), nil
	}),
}

// onHost reports whether f is known to run on the host.
func onHost(f *tir.PrimFunc) bool {
	if f.Attrs.Bool(attrIsHostFunc, false) {
		return true
	}
	if !f.Attrs.Has(ir.AttrTarget) {
		return false
	}
	t, err := target.Parse(f.Attrs.Str(ir.AttrTarget, ""))
	return err == nil && t.HasKey("cpu")
}

// contextRegion is the code of one thread: the contexts in it, each with the variable that it gets, and the variables that it defines.
type contextRegion struct {
	values  []*tir.LetStmt
	defined map[*tir.Var]bool
}

type contextCombiner struct {
	c      *pass.Context
	m      tir.Mapper
	region *contextRegion
}

// within maps the code of a thread, and binds its contexts in front of it, the first outermost.
func (m *contextCombiner) within(s tir.Stmt, visit func(tir.Stmt) tir.Stmt) tir.Stmt {
	around := m.region
	m.region = &contextRegion{defined: map[*tir.Var]bool{}}
	ir.Walk(s, func(n ir.Node) bool {
		definedBy(n, func(v *tir.Var) { m.region.defined[v] = true })
		return true
	})
	out := visit(s)
	for i := len(m.region.values) - 1; i >= 0; i-- {
		out = m.region.values[i].WithBody(out)
	}
	m.region = around
	return out
}

// definedBy calls f for the variables that a node defines.
func definedBy(n ir.Node, f func(*tir.Var)) {
	switch n := n.(type) {
	case *tir.For:
		f(n.LoopVar)
	case *tir.LetStmt:
		f(n.Var)
	case *tir.Let:
		f(n.Var)
	case *tir.Allocate:
		f(n.Var)
	case *tir.AllocateConst:
		f(n.Var)
	case *tir.IterVar:
		f(n.Var)
	case *tir.BufferRealize:
		f(n.Buffer.Data)
	case *tir.Block:
		for _, b := range n.AllocBuffers {
			f(b.Data)
		}
		for _, x := range n.MatchBuffers {
			x.Buffer.EachExpr(func(e tir.Expr) {
				if v, ok := e.(*tir.Var); ok {
					f(v)
				}
			})
		}
	}
}

func (m *contextCombiner) stmt(s tir.Stmt) tir.Stmt {
	switch x := s.(type) {
	case *tir.AttrStmt:
		if x.Key == tir.KeyThreadExtent || x.Key == "coproc_uop_scope" {
			return m.within(s, m.m.MapStmt)
		}
	case *tir.For:
		if x.Kind == tir.Parallel {
			return m.within(s, m.m.MapStmt)
		}
	}
	return m.m.MapStmt(s)
}

func isThreadContext(c *tir.Call) bool {
	op, ok := c.Op.(*ir.Op)
	return ok && op.Name == "tir.tvm_thread_context" && len(c.Args) == 1
}

func (m *contextCombiner) expr(e tir.Expr) tir.Expr {
	call, ok := e.(*tir.Call)
	if !ok || !isThreadContext(call) {
		return m.m.MapExpr(e)
	}
	value := call.Args[0]
	inside := false
	ir.Walk(value, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok {
			inside = inside || m.region.defined[v]
		}
		return true
	})
	if inside {
		m.c.Declined("compute a context once", call, "a variable of the code of the thread is in it")
		return e
	}
	for _, l := range m.region.values {
		if ir.StructuralEqual(l.Value, value, ir.EqualOpts{}) {
			m.c.Rewrite("compute a context once", call, l.Var)
			return l.Var
		}
	}
	v := &tir.Var{Name: "ctx_cache_", Type: &ir.PrimType{DType: call.Type}}
	m.region.values = append(m.region.values, &tir.LetStmt{Base: call.Base, Var: v, Value: value})
	m.c.Rewrite("compute a context once", call, v)
	return v
}
