package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/script/syntax"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// globalVar returns the variable of a function of the module.
func (b *builder) globalVar(name string, n *syntax.Node) any {
	if gv := b.mod.vars[name]; gv != nil {
		return gv
	}
	if b.mod.lone && !b.within() {
		gv := ir.NewGlobalVar(name)
		b.mod.vars[name] = gv
		return gv
	}
	names := make([]string, 0, len(b.mod.vars))
	for k := range b.mod.vars {
		names = append(names, k)
	}
	help := "it has " + strings.Join(sortedCopy(names), ", ")
	if best := near(name, names); best != "" {
		help = "did you mean " + best + "?"
	}
	b.fail(n, help, "the module has no function %q", name)
	return nil
}

// methodCall calls an attribute of a value.
func (b *builder) methodCall(m method, n *syntax.Node) any {
	switch x := m.recv.(type) {
	case *tir.Buffer:
		switch m.name {
		case "vload":
			a := b.bind(n, "begin", "dtype", "predicate")
			b.need(n, a, 1, "begin")
			load := &tir.BufferLoad{Base: b.span(n), Buffer: x, Indices: b.exprs(a[0])}
			b.checkRank(x, len(load.Indices), n)
			if a[2] != nil {
				if v := b.eval(a[2]); v != nil {
					load.Predicate = b.toExpr(v, a[2])
				}
			}
			if a[1] != nil {
				if d := b.dtypeOf(a[1]); d.Lanes > 1 && load.DType().Lanes == 1 && len(load.Indices) > 0 {
					last := len(load.Indices) - 1
					load.Indices[last] = &tir.Ramp{Start: load.Indices[last], Stride: tir.Const(load.Indices[last].DType(), 1), Lanes: int(d.Lanes)}
				}
			}
			return load
		case "vstore":
			a := b.bind(n, "begin", "value", "predicate")
			b.need(n, a, 2, "begin", "value")
			st := &tir.BufferStore{Base: b.span(n), Buffer: x, Indices: b.exprs(a[0]), Value: b.exprOf(b.eval(a[1]), x.DType, a[1])}
			b.checkRank(x, len(st.Indices), n)
			if a[2] != nil {
				if v := b.eval(a[2]); v != nil {
					st.Predicate = b.toExpr(v, a[2])
				}
			}
			return &frame{stmt: st}
		case "scope":
			return x.Scope()
		case "access_ptr":
			return b.accessPtr(x, n)
		}
	case tir.Expr:
		if m.name == "astype" {
			a := b.bind(n, "dtype")
			b.need(n, a, 1, "dtype")
			out := tir.CastTo(b.dtypeOf(a[0]).WithLanes(int(x.DType().Lanes)), x)
			setSpan(out, b.span(n))
			return out
		}
	case relax.Expr:
		if m.name == "astype" {
			a := b.bind(n, "dtype")
			b.need(n, a, 1, "dtype")
			return b.opCall(n, "relax.astype", []any{x, b.dtypeOf(a[0])}, nil)
		}
	}
	b.fail(n, "", "%s has no method %q", describe(m.recv), m.name)
	return nil
}

// accessPtr builds the pointer into a buffer for A.access_ptr(mask).
func (b *builder) accessPtr(x *tir.Buffer, n *syntax.Node) any {
	a := b.bind(n, "access_mask", "ptr_type", "content_lanes", "offset", "extent")
	b.need(n, a, 1, "access_mask")
	mask := int64(0)
	switch v := b.eval(a[0]).(type) {
	case string:
		for _, c := range v {
			switch c {
			case 'r':
				mask |= 1
			case 'w':
				mask |= 2
			default:
				b.fail(a[0], `it is "r", "w" or "rw"`, "unknown access mask %q", v)
			}
		}
	default:
		mask, _ = asInt(v)
	}
	lanes := int64(1)
	if a[2] != nil {
		lanes = b.intOf(a[2], "the number of lanes")
	}
	offset := x.ElemOffset
	if offset == nil {
		offset = &tir.IntImm{Type: b.intType}
	}
	if a[3] != nil {
		offset = tir.Add(offset, b.expr(a[3]))
	}
	var size tir.Expr = tir.Const(offset.DType(), 1)
	if len(x.Strides) > 0 {
		size = tir.Mul(x.Strides[0], x.Shape[0])
	} else {
		for _, d := range x.Shape {
			size = tir.Mul(size, d)
		}
	}
	if a[4] != nil {
		size = b.expr(a[4])
	} else {
		size = tir.Sub(size, offset)
	}
	elem := x.DType
	if lanes > 1 {
		elem = elem.WithLanes(int(lanes))
		size = tir.FloorDiv(size, tir.Const(size.DType(), lanes))
		offset = tir.FloorDiv(offset, tir.Const(offset.DType(), lanes))
	}
	typ := &tir.Call{Base: b.span(n), Type: elem, Op: tir.OpTypeAnnot}
	args := []tir.Expr{typ, x.Data, offset, size, &tir.IntImm{Type: dtype.Int32T, Value: mask}}
	return &tir.Call{Base: b.span(n), Type: dtype.HandleT, Op: tir.OpAccessPtr, Args: args}
}
