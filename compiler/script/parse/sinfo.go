package parse

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
)

// sinfo evaluates an annotation to struct info.
func (b *builder) sinfo(n *syntax.Node) relax.StructInfo {
	defer func(d bool) { b.dims = d }(b.dims)
	b.dims = true
	return b.toSInfo(b.eval(n), n)
}

func (b *builder) toSInfo(v any, n *syntax.Node) relax.StructInfo {
	switch x := v.(type) {
	case relax.StructInfo:
		return x
	case nil:
		return &relax.TupleStructInfo{Base: b.span(n)}
	case namespace:
		switch x.path {
		case "R.Tensor":
			return &relax.TensorStructInfo{Base: b.span(n), NDim: -1}
		case "R.Object", "R.Any":
			return &relax.ObjectStructInfo{Base: b.span(n)}
		case "R.Shape":
			return &relax.ShapeStructInfo{Base: b.span(n), NDim: -1}
		case "R.Tuple":
			return &relax.TupleStructInfo{Base: b.span(n)}
		case "R.Callable":
			return &relax.FuncStructInfo{Base: b.span(n), Opaque: true, Ret: &relax.ObjectStructInfo{}}
		}
	}
	help := "struct info is R.Tensor, R.Shape, R.Tuple, R.Prim, R.Callable or R.Object"
	if ns, ok := v.(namespace); ok {
		if best := near(ns.path, []string{"R.Tensor", "R.Shape", "R.Tuple", "R.Prim", "R.Callable", "R.Object"}); best != "" {
			help = "did you mean " + best + "?"
		}
		b.fail(n, help, "%s is no struct info", ns.path)
	}
	b.fail(n, help, "expected struct info, got %s", describe(v))
	return nil
}

// sinfoList evaluates one struct info or a list of them.
func (b *builder) sinfoList(n *syntax.Node) []relax.StructInfo {
	defer func(d bool) { b.dims = d }(b.dims)
	b.dims = true
	v := b.eval(n)
	l, ok := v.(*list)
	if !ok {
		return []relax.StructInfo{b.toSInfo(v, n)}
	}
	out := make([]relax.StructInfo, len(l.items))
	for i, it := range l.items {
		out[i] = b.toSInfo(it, n)
	}
	return out
}

// sinfoCall evaluates R.Tensor(...) and the like; ok is false for other names.
func (b *builder) sinfoCall(name string, n *syntax.Node) (relax.StructInfo, bool) {
	defer func(d bool) { b.dims = d }(b.dims)
	b.dims = true
	base := b.span(n)
	switch name {
	case "Tensor":
		return b.tensorInfo(n), true
	case "Object", "Any":
		return &relax.ObjectStructInfo{Base: base}, true
	case "Shape":
		a := b.bind(n, "values", "ndim")
		s := &relax.ShapeStructInfo{Base: base, NDim: -1}
		if a[0] != nil {
			if v := b.eval(a[0]); v != nil {
				s.Values = b.dimList(v, a[0])
				s.NDim = len(s.Values)
			}
		}
		if a[1] != nil {
			s.NDim = int(b.intOf(a[1], "the number of dimensions"))
		}
		return s, true
	case "Tuple":
		s := &relax.TupleStructInfo{Base: base}
		for _, k := range b.spread(n.Kids[1:]) {
			v := b.eval(k)
			if l, ok := v.(*list); ok && len(n.Kids) == 2 {
				for _, it := range l.items {
					s.Fields = append(s.Fields, b.toSInfo(it, k))
				}
				continue
			}
			s.Fields = append(s.Fields, b.toSInfo(v, k))
		}
		return s, true
	case "Prim":
		a := b.bind(n, "dtype", "value")
		s := &relax.PrimStructInfo{Base: base}
		if a[1] != nil {
			v := b.eval(a[1])
			if name, ok := v.(string); ok {
				s.Value = b.symbolicValue(name, a[1])
			} else {
				s.Value = b.toExpr(v, a[1])
			}
			s.DType = s.Value.DType()
		}
		if a[0] != nil {
			s.DType = b.dtypeOf(a[0])
		}
		return s, true
	case "Callable":
		return b.callableInfo(n), true
	}
	return nil, false
}

func (b *builder) callableInfo(n *syntax.Node) relax.StructInfo {
	a := b.bind(n, "params", "ret", "purity", "derive_func")
	s := &relax.FuncStructInfo{Base: b.span(n), Pure: true}
	if a[2] != nil {
		s.Pure = b.flag(a[2])
	}
	if a[1] != nil {
		s.Ret = b.sinfo(a[1])
	}
	if a[3] != nil {
		s.Derive = b.strOf(a[3], "the name of a function")
	}
	if a[0] == nil || a[0].Kind == syntax.Const {
		s.Opaque = true
		if s.Ret == nil {
			s.Ret = &relax.ObjectStructInfo{}
		}
		if a[2] == nil {
			s.Pure = false
		}
		return s
	}
	s.Params = b.sinfoList(a[0])
	if s.Ret == nil {
		s.Ret = &relax.TupleStructInfo{}
	}
	return s
}

func (b *builder) tensorInfo(n *syntax.Node) relax.StructInfo {
	a := b.bind(n, "shape", "dtype", "vdevice", "ndim")
	s := &relax.TensorStructInfo{Base: b.span(n), NDim: -1}
	if a[0] != nil {
		switch v := b.eval(a[0]).(type) {
		case nil:
		case string:
			if a[1] != nil {
				b.fail(a[0], "", "expected a shape, got %s", describe(v))
			}
			a[1] = a[0]
		case *relax.Var:
			s.Shape = v
			if info, ok := v.SInfo.(*relax.ShapeStructInfo); ok {
				s.NDim = info.NDim
			}
		default:
			dims := b.dimList(v, a[0])
			s.Shape, s.NDim = &relax.ShapeExpr{Base: b.span(a[0]), Values: dims}, len(dims)
		}
	}
	if a[1] != nil {
		if v := b.eval(a[1]); v != nil {
			s.DType = b.dtypeOf(a[1])
		}
	}
	if a[3] != nil {
		nd := int(b.intOf(a[3], "the number of dimensions"))
		if s.Shape != nil && nd != s.NDim && s.NDim >= 0 {
			b.fail(a[3], "", "ndim is %d, but the shape has %d dimensions", nd, s.NDim)
		}
		s.NDim = nd
	}
	if a[2] != nil {
		switch v := b.eval(a[2]).(type) {
		case string:
			s.VDevice = b.vdevice(v, a[2])
		case *relax.VDevice:
			s.VDevice = v
		}
	}
	return s
}
