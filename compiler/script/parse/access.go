package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// attr evaluates value.name.
func (b *builder) attr(n *node) any {
	if path, ok := b.path(n); ok {
		return namespace{path}
	}
	v := b.eval(n.kids[0])
	switch x := v.(type) {
	case moduleRef:
		return b.globalVar(n.s, n)
	case fresh:
		return b.varAttr(x.v, n)
	case *tir.Buffer:
		return b.bufferAttr(x, n)
	case *tir.IterVar:
		switch n.s {
		case "var":
			return x.Var
		case "dom":
			return x.Dom
		}
		return b.varAttr(x.Var, n)
	case *tir.Range:
		switch n.s {
		case "min":
			return x.Min
		case "extent":
			return x.Extent
		}
	case tir.Expr:
		return b.varAttr(x, n)
	case *relax.Var:
		switch n.s {
		case "shape":
			return b.relaxOp(n, "shape_of", x)
		case "struct_info":
			return x.SInfo
		}
		return method{x, n.s}
	case relax.Expr:
		return method{x, n.s}
	case *relax.TensorStructInfo:
		switch n.s {
		case "shape":
			return x.Shape
		case "dtype":
			return x.DType.String()
		}
	}
	b.fail(n, "", "%s has no attribute %q", describe(v), n.s)
	return nil
}

func (b *builder) varAttr(e tir.Expr, n *node) any {
	switch n.s {
	case "dtype":
		return e.DType().String()
	case "astype", "vload", "equal":
		return method{e, n.s}
	case "value":
		if v, ok := tir.AsInt(e); ok {
			return v
		}
	}
	b.fail(n, "", "an expression has no attribute %q", n.s)
	return nil
}

func (b *builder) bufferAttr(x *tir.Buffer, n *node) any {
	exprs := func(es []tir.Expr) any {
		out := &list{tuple: true}
		for _, e := range es {
			out.items = append(out.items, e)
		}
		return out
	}
	switch n.s {
	case "data":
		return x.Data
	case "shape":
		return exprs(x.Shape)
	case "strides":
		return exprs(x.Strides)
	case "dtype":
		return x.DType.String()
	case "elem_offset":
		if x.ElemOffset == nil {
			return tir.Expr(&tir.IntImm{Type: b.intType})
		}
		return x.ElemOffset
	case "byte_offset":
		if x.ElemOffset == nil {
			return tir.Expr(&tir.IntImm{Type: b.intType})
		}
		return tir.Mul(x.ElemOffset, tir.Const(x.ElemOffset.DType(), int64(x.DType.Bytes())))
	case "vload", "vstore", "access_ptr", "scope", "offset_of":
		return method{x, n.s}
	}
	near := nearest(n.s, []string{"data", "shape", "strides", "dtype", "elem_offset", "vload", "vstore", "access_ptr", "scope"})
	help := ""
	if near != "" {
		help = "did you mean ." + near + "?"
	}
	b.fail(n, help, "a buffer has no attribute %q", n.s)
	return nil
}

// indexParts returns the indices of n; a single tuple stands for its elements.
func indexParts(n *node) []*node {
	parts := n.kids[1:]
	if len(parts) == 1 && parts[0].kind == nTuple {
		return parts[0].kids
	}
	return parts
}

// index evaluates value[indices].
func (b *builder) index(n *node) any {
	if n.kids[0].kind == nIndex {
		if path, ok := b.path(n.kids[0].kids[0]); ok && path == "metadata" {
			return b.constant(n)
		}
	}
	if path, ok := b.path(n.kids[0]); ok {
		return b.subscripted(path, n)
	}
	v := b.eval(n.kids[0])
	switch x := v.(type) {
	case *tir.Buffer:
		return b.access(x, n)
	case *list:
		if i, ok := asInt(b.eval(n.kids[1])); ok {
			if i < 0 {
				i += int64(len(x.items))
			}
			if i >= 0 && i < int64(len(x.items)) {
				return x.items[i]
			}
		}
		b.fail(n, "", "the index is outside of %s", describe(x))
	case moduleRef:
		return b.globalVar(b.strOf(n.kids[1], "the name of a function"), n)
	case relax.Expr:
		return &relax.TupleGetItem{Base: b.span(n), Tuple: x, Index: int(b.intOf(n.kids[1], "the number of a field"))}
	case *dict:
		key := b.eval(n.kids[1])
		for i, k := range x.keys {
			if k == key {
				return x.vals[i]
			}
		}
	case *tir.BufferRegion:
		b.fail(n, "", "a region of a buffer cannot be indexed")
	}
	b.fail(n, "", "%s cannot be indexed", describe(v))
	return nil
}

// subscripted evaluates T.Buffer[...], T.let[...] and the like, as older and newer dialects
// write annotations.
func (b *builder) subscripted(path string, n *node) any {
	switch path {
	case "T.let", "T.Tuple":
		return b.eval(n.kids[1])
	case "T.Buffer":
		call := &node{kind: nCall, at: n.at, end: n.end, kids: append([]*node{n.kids[0]}, indexParts(n)...)}
		return b.eval(call)
	case "T.Ptr", "T.ptr":
		d := b.dtypeOf(n.kids[1])
		return fresh{&tir.Var{Base: b.span(n), Type: &ir.PointerType{Elem: &ir.PrimType{DType: d}}}}
	}
	b.fail(n, "", "%s cannot be indexed", path)
	return nil
}

// access evaluates the indices of a buffer: a region where one is a slice without a step, a
// load otherwise.
func (b *builder) access(buf *tir.Buffer, n *node) any {
	parts := indexParts(n)
	region, step := false, false
	for _, p := range parts {
		if p.kind == nSlice {
			region = true
			step = step || p.kids[2] != nil
		}
	}
	if !region || step {
		return &tir.BufferLoad{Base: b.span(n), Buffer: buf, Indices: b.indices(buf, parts, n)}
	}
	return b.region(buf, parts, n)
}

func (b *builder) checkRank(buf *tir.Buffer, got int, n *node) {
	if got != len(buf.Shape) {
		b.fail(n, "", "buffer %s has %d dimensions, but is given %d indices", buf.Name, len(buf.Shape), got)
	}
}

// indices evaluates indices for a load or store; slices become ramps.
func (b *builder) indices(buf *tir.Buffer, parts []*node, n *node) []tir.Expr {
	out := make([]tir.Expr, 0, len(parts))
	for i, p := range parts {
		switch {
		case p.kind == nSlice:
			out = append(out, b.ramp(buf, i, p))
		case p.kind == nStar:
			for _, v := range b.values([]*node{p}) {
				out = append(out, b.toExpr(v, p))
			}
		default:
			e := b.expr(p)
			if d := e.DType(); !d.IsInteger() && !d.IsBool() {
				b.fail(p, "", "an index must be an integer, got %s", describe(e))
			}
			out = append(out, e)
		}
	}
	b.checkRank(buf, len(out), n)
	return out
}

// bounds evaluates start and stop of a slice in dimension i of buf.
func (b *builder) bounds(buf *tir.Buffer, i int, p *node) (start, stop tir.Expr) {
	if p.kids[1] == nil {
		if i >= len(buf.Shape) {
			b.checkRank(buf, i+1, p)
		}
		stop = buf.Shape[i]
	} else {
		stop = b.expr(p.kids[1])
	}
	if p.kids[0] == nil {
		start = tir.Const(stop.DType(), 0)
	} else {
		start = b.expr(p.kids[0])
	}
	if start.DType() != stop.DType() {
		start, stop = tir.MatchTypes(start, stop)
	}
	return start, stop
}

// extent returns stop - start. The printer writes stop as start + extent, from which the
// extent is taken as it was.
func extent(start, stop tir.Expr) tir.Expr {
	if s, ok := stop.(*tir.Binary); ok && s.Op == tir.OpAdd {
		if ir.StructuralEqual(s.A, start, ir.EqualOpts{}) {
			return s.B
		}
		if ir.StructuralEqual(s.B, start, ir.EqualOpts{}) {
			return s.A
		}
	}
	d := tir.Sub(stop, start)
	if _, ok := d.(*tir.Binary); ok {
		return arith.NewAnalyzer().Simplify(d)
	}
	return d
}

func (b *builder) ramp(buf *tir.Buffer, i int, p *node) tir.Expr {
	start, stop := b.bounds(buf, i, p)
	stride := tir.Expr(tir.Const(start.DType(), 1))
	if p.kids[2] != nil {
		stride = b.expr(p.kids[2])
	}
	n := extent(start, stop)
	lanes, ok := tir.AsInt(n)
	step, ok2 := tir.AsInt(stride)
	switch {
	case !ok2:
		// The printer writes stop as start + stride * lanes.
		lanes, ok = 0, false
		if m, isMul := n.(*tir.Binary); isMul && m.Op == tir.OpMul {
			lanes, ok = tir.AsInt(m.B)
		}
	case step > 0:
		lanes = (lanes + step - 1) / step
	case step < 0:
		lanes = (-lanes - step - 1) / -step
	default:
		ok = false
	}
	if !ok || lanes < 1 || lanes > 1<<15 {
		b.fail(p, "", "the number of elements of this slice is not a constant")
	}
	if lanes == 1 {
		return start
	}
	return &tir.Ramp{Base: b.span(p), Start: start, Stride: stride, Lanes: int(lanes)}
}

// region evaluates indices with slices to a region.
func (b *builder) region(buf *tir.Buffer, parts []*node, n *node) *tir.BufferRegion {
	out := &tir.BufferRegion{Base: b.span(n), Buffer: buf}
	for i, p := range parts {
		var r *tir.Range
		if p.kind == nSlice {
			start, stop := b.bounds(buf, i, p)
			r = &tir.Range{Base: b.span(p), Min: start, Extent: extent(start, stop)}
		} else {
			r = pointRange(b.expr(p))
			r.Base = b.span(p)
		}
		out.Region = append(out.Region, r)
	}
	b.checkRank(buf, len(parts), n)
	return out
}

// pointRange returns the range that an index covers; a ramp covers all its lanes.
func pointRange(e tir.Expr) *tir.Range {
	if r, ok := e.(*tir.Ramp); ok && tir.IsConst(r.Stride, 1) {
		return &tir.Range{Min: r.Start, Extent: tir.Const(r.Start.DType(), int64(r.Lanes))}
	}
	return &tir.Range{Min: e, Extent: tir.Const(e.DType().Elem(), 1)}
}

// regionLoad reads a region as a vector, as T does where a slice stands for a value.
func (b *builder) regionLoad(r *tir.BufferRegion, n *node) tir.Expr {
	out := &tir.BufferLoad{Base: r.Base, Buffer: r.Buffer}
	for _, x := range r.Region {
		lanes, ok := tir.AsInt(x.Extent)
		if !ok || lanes < 1 || lanes > 1<<15 {
			b.fail(n, "", "the number of elements of this slice of %s is not a constant", r.Buffer.Name)
		}
		if lanes == 1 {
			out.Indices = append(out.Indices, x.Min)
			continue
		}
		out.Indices = append(out.Indices, &tir.Ramp{Base: x.Base, Start: x.Min, Stride: tir.Const(x.Min.DType(), 1), Lanes: int(lanes)})
	}
	return out
}

// toRegion turns a value into a region: a buffer is all of it, a load the element.
func (b *builder) toRegion(v any, n *node) *tir.BufferRegion {
	switch x := v.(type) {
	case *tir.BufferRegion:
		return x
	case *tir.Buffer:
		r := tir.FullRegion(x)
		r.Base = b.span(n)
		return r
	case *tir.BufferLoad:
		out := &tir.BufferRegion{Base: x.Base, Buffer: x.Buffer}
		for _, i := range x.Indices {
			out.Region = append(out.Region, pointRange(i))
		}
		return out
	}
	b.fail(n, "", "expected a region of a buffer such as A[i, 0:4], got %s", describe(v))
	return nil
}

// globalVar returns the variable of a function of the module.
func (b *builder) globalVar(name string, n *node) any {
	if gv := b.mod.vars[name]; gv != nil {
		return gv
	}
	if b.mod.lone {
		gv := ir.NewGlobalVar(name)
		b.mod.vars[name] = gv
		return gv
	}
	names := make([]string, 0, len(b.mod.vars))
	for k := range b.mod.vars {
		names = append(names, k)
	}
	help := "it has " + strings.Join(sortedCopy(names), ", ")
	if near := nearest(name, names); near != "" {
		help = "did you mean " + near + "?"
	}
	b.fail(n, help, "the module has no function %q", name)
	return nil
}

// methodCall calls an attribute of a value.
func (b *builder) methodCall(m method, n *node) any {
	switch x := m.recv.(type) {
	case *tir.Buffer:
		switch m.name {
		case "vload":
			a := b.bind(n, "begin", "dtype", "predicate")
			load := &tir.BufferLoad{Base: b.span(n), Buffer: x, Indices: b.exprs(a[0])}
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
			out := tir.CastTo(b.dtypeOf(a[0]).WithLanes(int(x.DType().Lanes)), x)
			setSpan(out, b.span(n))
			return out
		}
	case relax.Expr:
		if m.name == "astype" {
			a := b.bind(n, "dtype")
			return b.opCall(n, "relax.astype", []any{x, b.dtypeOf(a[0])}, nil)
		}
	}
	b.fail(n, "", "%s has no method %q", describe(m.recv), m.name)
	return nil
}

// accessPtr builds the pointer into a buffer for A.access_ptr(mask).
func (b *builder) accessPtr(x *tir.Buffer, n *node) any {
	a := b.bind(n, "access_mask", "ptr_type", "content_lanes", "offset", "extent")
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
