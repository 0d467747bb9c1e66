package transform

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// inline appends the body of callee with its parameters replaced by args, and loads of the
// buffers in scalars by their values. What callee defines is copied, so that two calls of
// one kernel do not share variables.
func (u *tirFuser) inline(name string, callee *tir.PrimFunc, args []*tir.Buffer, vars []tir.Expr, scalars map[*tir.Buffer]tir.Expr, base ir.Base) error {
	if len(args)+len(vars) != len(callee.Params) {
		return fmt.Errorf("kernel %s takes %d parameters, but it is called with %d tensors and %d scalars", name, len(callee.Params), len(args), len(vars))
	}
	cp := tir.NewCopier()
	for i, e := range vars {
		p := callee.Params[len(args)+i]
		cp.Vars[p] = tir.CastTo(p.DType(), e)
	}
	for i, p := range callee.Buffers[:min(len(args), len(callee.Buffers))] {
		if p == nil {
			return fmt.Errorf("parameter %d of kernel %s is not a buffer", i, name)
		}
		if len(p.Shape) != len(args[i].Shape) {
			return fmt.Errorf("parameter %s of kernel %s has %d dimensions, the argument has %d", p.Name, name, len(p.Shape), len(args[i].Shape))
		}
		cp.Replace(p, args[i])
		for k, d := range p.Shape {
			if v, ok := d.(*tir.Var); ok && cp.Vars[v] == nil {
				cp.Vars[v] = tir.CastTo(v.DType(), args[i].Shape[k])
			}
		}
	}
	body := tirOrigins(u.originsOf(callee, base.Origin), args...).Stmt(cp.Stmt(callee.Body))
	if r, ok := body.(*tir.BlockRealize); ok && len(r.Block.IterVars) == 0 {
		u.allocs = append(u.allocs, r.Block.AllocBuffers...)
		body = r.Block.Body
	}
	if len(scalars) > 0 {
		body = foldScalars(body, scalars)
	}
	u.body = append(u.body, u.uniqueBlocks(body))
	return nil
}

// originsOf says where the copy of a kernel comes from: from the call alone, whoever else shares
// a kernel that was made of calls; from what it came from, too, where the kernel stood in the source.
func (u *tirFuser) originsOf(callee *tir.PrimFunc, call ir.OriginID) func(ir.OriginID) ir.OriginID {
	t := u.m.Origins()
	made := t.Roots(callee.Origin)
	if !slices.ContainsFunc(t.Roots(call), func(r ir.OriginID) bool { return !slices.Contains(made, r) }) {
		return func(ir.OriginID) ir.OriginID { return call }
	}
	u.origin = t.Merge("FuseTIR", u.origin, callee.Origin)
	return func(id ir.OriginID) ir.OriginID { return t.Merge("FuseTIR", call, id) }
}

// foldScalars replaces loads of scalar buffers by their values.
func foldScalars(s tir.Stmt, scalars map[*tir.Buffer]tir.Expr) tir.Stmt {
	return tir.RewriteStmt(s, func(s tir.Stmt) tir.Stmt {
		b, ok := s.(*tir.Block)
		if !ok {
			return s
		}
		out := *b
		out.Reads = nil
		for _, r := range b.Reads {
			if scalars[r.Buffer] == nil {
				out.Reads = append(out.Reads, r)
			}
		}
		return &out
	}, func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.BufferLoad); ok {
			if v := scalars[l.Buffer]; v != nil {
				return v
			}
		}
		return e
	})
}

// scalarConst returns the value of a 0-dimensional constant, which a kernel holds itself.
func scalarConst(c *relax.Constant) (tir.Expr, bool) {
	v := immediate(c.Data)
	return v, v != nil
}

// uniqueBlocks gives the blocks of s names that the kernel does not have yet.
func (u *tirFuser) uniqueBlocks(s tir.Stmt) tir.Stmt {
	return tir.RewriteStmt(s, func(s tir.Stmt) tir.Stmt {
		b, ok := s.(*tir.Block)
		if !ok {
			return s
		}
		name := u.blocks.Fresh(b.Name, "_")
		if name == b.Name {
			return s
		}
		return b.WithName(name)
	}, nil)
}
