package tirpass

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// InjectPTXLDG32 makes loads under a condition instructions of the GPU with a predicate.
var InjectPTXLDG32 = &pass.Pass{
	Name: "tir.InjectPTXLDG32", Kind: pass.PrimFunc, Lowering: true,
	Without: "programs compile, and loads under conditions are branches",
	Doc:     "Replaces stores to local memory of if_then_else between an element of 32 bits of global memory and another value by ptx_ldg32, a load with a predicate: the other value is stored first, and the load replaces it where the condition holds.",
	Options: []pass.Option{{Name: "enable_inject_ptx_intrin", Default: true, Doc: "false leaves everything as it is"}},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if !c.Arg("enable_inject_ptx_intrin").(bool) {
			return f, nil
		}
		p := &ldg32{c: c, loads: map[*tir.BufferStore]*ldgLoad{}}
		p.addr = tir.NewBuffer("addr", dtype.Int32T, []tir.Expr{tir.Int32(2)}, "local")
		p.cond = tir.NewBuffer("predicate", dtype.BoolT, []tir.Expr{tir.Int32(1)}, "local")
		p.find(f.Body, nil)
		if len(p.loads) == 0 {
			return f, nil
		}
		if len(p.around) == 0 {
			c.Declined("load under a predicate", f, "no allocation is around all of these loads, to which the registers of the addresses could be added")
			return f, nil
		}
		p.m.Stmt = p.stmt
		return f.WithBody(p.stmt(f.Body)), nil
	}),
}

var opLDG32 = tir.LookupBuiltin("tir.ptx_ldg32").Op

// ldgLoad is a load under a condition.
type ldgLoad struct {
	cond, other tir.Expr
	load        *tir.BufferLoad
}

type ldg32 struct {
	c          *pass.Context
	m          tir.Mapper
	loads      map[*tir.BufferStore]*ldgLoad
	around     []*tir.Allocate // the allocations around all loads, outermost first
	addr, cond *tir.Buffer
}

// find collects the loads in n, which is in the bodies of the allocations of stack.
func (p *ldg32) find(n ir.Node, stack []*tir.Allocate) {
	switch n := n.(type) {
	case *tir.Allocate:
		stack = append(stack[:len(stack):len(stack)], n)
	case *tir.BufferStore:
		l, why := loadUnder(n)
		if why != "" {
			p.c.Declined("load under a predicate", n, why)
		}
		if l == nil {
			return
		}
		if len(p.loads) == 0 {
			p.around = stack
		}
		k := 0
		for k < len(stack) && k < len(p.around) && stack[k] == p.around[k] {
			k++
		}
		p.around = p.around[:k]
		p.loads[n] = l
		return
	}
	n.EachChild(func(x ir.Node) { p.find(x, stack) })
}

// loadUnder returns the load under a condition that s stores, or why it is none.
func loadUnder(s *tir.BufferStore) (l *ldgLoad, why string) {
	call, ok := tir.IsCallTo(s.Value, tir.OpIfThenElse)
	if !ok || len(call.Args) != 3 || s.Predicate != nil {
		return nil, ""
	}
	l = &ldgLoad{cond: call.Args[0], other: call.Args[2]}
	if l.load, ok = call.Args[1].(*tir.BufferLoad); !ok {
		if l.load, ok = call.Args[2].(*tir.BufferLoad); !ok {
			return nil, ""
		}
		l.cond, l.other = tir.LogicalNot(l.cond), call.Args[1]
	}
	switch {
	case len(l.load.Indices) != 1 || len(s.Indices) != 1:
		return nil, "it has more than one index: run tir.FlattenBuffer first"
	case l.load.DType().Lanes != 1 || bytesOf(l.load.DType()) != 4:
		return nil, "it loads " + l.load.DType().String() + ": the instruction loads 32 bits"
	case l.load.Buffer.Scope() != "global":
		return nil, "it loads from " + l.load.Buffer.Scope() + " memory: the instruction loads from global memory"
	case s.Buffer.Scope() != "local":
		return nil, "it stores to " + s.Buffer.Scope() + " memory: the instruction loads to registers"
	case bytesOf(l.load.Indices[0].DType()) != 4 || bytesOf(s.Indices[0].DType()) != 4:
		return nil, "its indices have 64 bits: the registers of addresses have 32"
	case slices.ContainsFunc([]tir.Expr{l.other, l.cond, l.load.Indices[0]}, func(e tir.Expr) bool { return loadsFrom(e, s.Buffer.Data) }):
		return nil, "what it computes depends on what it overwrites"
	}
	return l, ""
}

func (p *ldg32) stmt(s tir.Stmt) tir.Stmt {
	switch n := s.(type) {
	case *tir.BufferStore:
		if l := p.loads[n]; l != nil {
			out := p.instructions(n, l)
			p.c.Rewrite("load under a predicate", n, out)
			return out
		}
		return s
	case *tir.Allocate:
		out := p.m.MapStmt(s)
		if n != p.around[len(p.around)-1] {
			return out
		}
		for _, b := range []*tir.Buffer{p.addr, p.cond} {
			out = &tir.Allocate{Base: n.Base, Var: b.Data, Type: b.DType, Extents: b.Shape, Condition: tir.Bool(true), Body: out}
		}
		return out
	}
	return p.m.MapStmt(s)
}

// instructions stores the addresses and the condition in registers, then the other value, and loads over it.
func (p *ldg32) instructions(s *tir.BufferStore, l *ldgLoad) tir.Stmt {
	zero, one := tir.Int32(0), tir.Int32(1)
	at := tir.Load(p.addr, one)
	load := l.load.WithIndices([]tir.Expr{tir.Load(p.addr, zero)})
	list := []tir.Stmt{
		tir.Store(p.addr, tir.CastTo(dtype.Int32T, l.load.Indices[0]), zero),
		tir.Store(p.addr, tir.CastTo(dtype.Int32T, s.Indices[0]), one),
		tir.Store(p.cond, l.cond, zero),
		s.WithValue(l.other).WithIndices([]tir.Expr{at}),
		&tir.Evaluate{Base: s.Base, Value: &tir.Call{Base: s.Base, Type: s.Buffer.DType, Op: opLDG32, Args: []tir.Expr{s.Buffer.Data, tir.Load(p.cond, zero), load, at}}},
	}
	return tir.Seq(list...)
}
