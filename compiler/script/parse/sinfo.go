package parse

import (
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// sinfo evaluates an annotation to struct info.
func (b *builder) sinfo(n *node) relax.StructInfo {
	defer func(d bool) { b.dims = d }(b.dims)
	b.dims = true
	return b.toSInfo(b.eval(n), n)
}

func (b *builder) toSInfo(v any, n *node) relax.StructInfo {
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
		if near := nearest(ns.path, []string{"R.Tensor", "R.Shape", "R.Tuple", "R.Prim", "R.Callable", "R.Object"}); near != "" {
			help = "did you mean " + near + "?"
		}
		b.fail(n, help, "%s is no struct info", ns.path)
	}
	b.fail(n, help, "expected struct info, got %s", describe(v))
	return nil
}

// sinfoList evaluates one struct info or a list of them.
func (b *builder) sinfoList(n *node) []relax.StructInfo {
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
func (b *builder) sinfoCall(name string, n *node) (relax.StructInfo, bool) {
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
		for _, k := range b.spread(n.kids[1:]) {
			v := b.eval(k)
			if l, ok := v.(*list); ok && len(n.kids) == 2 {
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
			s.Value = b.expr(a[1])
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

func (b *builder) callableInfo(n *node) relax.StructInfo {
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
	if a[0] == nil || a[0].kind == nConst {
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

func (b *builder) tensorInfo(n *node) relax.StructInfo {
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

// vdevice finds a virtual device of the module by "target:index:scope".
func (b *builder) vdevice(text string, n *node) *relax.VDevice {
	parts := strings.Split(text, ":")
	if k := strings.LastIndexByte(text, '}'); k >= 0 { // the target is a dictionary
		parts = append([]string{text[:k+1]}, strings.Split(text[k+1:], ":")[1:]...)
	}
	want := &relax.VDevice{Base: b.span(n), Target: parts[0], Scope: "global"}
	if len(parts) > 1 {
		id, err := strconv.Atoi(parts[1])
		if err != nil {
			b.fail(n, `devices are written as "llvm:0" or "llvm:0:global"`, "%q names no device", text)
		}
		want.ID = id
	}
	if len(parts) > 2 {
		want.Scope = parts[2]
	}
	k := 0
	var found *relax.VDevice
	for _, x := range b.mod.infos["vdevice"] {
		d, ok := x.(*relax.VDevice)
		if !ok || d.Target != want.Target && !strings.Contains(d.Target, strconv.Quote(want.Target)) {
			continue
		}
		if d.ID == want.ID && (d.Scope == want.Scope || len(parts) < 3) {
			return d
		}
		if k == want.ID && found == nil {
			found = d
		}
		k++
	}
	if found != nil {
		return found
	}
	if b.mod.lone {
		b.mod.infos["vdevice"] = append(b.mod.infos["vdevice"], want)
		b.mod.mod = b.mod.mod.WithGlobalInfos("vdevice", b.mod.infos["vdevice"])
		return want
	}
	b.fail(n, "list it in I.module_global_infos", "the module has no device %q", text)
	return nil
}

// dimList turns the value of a shape into extents of type int64.
func (b *builder) dimList(v any, n *node) []tir.Expr {
	switch x := v.(type) {
	case *relax.ShapeExpr:
		return x.Values
	case *list:
		out := make([]tir.Expr, len(x.items))
		for i, it := range x.items {
			at := n
			if len(n.kids) == len(x.items) {
				at = n.kids[i]
			}
			out[i] = b.dim(it, at)
		}
		return out
	case *relax.ShapeStructInfo:
		return x.Values
	}
	b.fail(n, "shapes are written as (2, 3)", "expected a shape, got %s", describe(v))
	return nil
}

func (b *builder) dim(v any, n *node) tir.Expr {
	switch x := v.(type) {
	case int64:
		return &tir.IntImm{Base: b.span(n), Type: dtype.Int64T, Value: x}
	case string:
		return b.symbolic(x, n)
	}
	e := b.toExpr(v, n)
	if !e.DType().IsInteger() {
		b.fail(n, "", "an extent must be an integer, got %s", describe(e))
	}
	return e
}

// symbolic reads a string as an expression over symbolic variables, and defines those that
// are new.
func (b *builder) symbolic(text string, n *node) tir.Expr {
	if isIdentifier(text) {
		if v, ok := b.env.lookup(text); ok {
			return b.dim(v, n)
		}
		v := &tir.Var{Base: b.span(n), Name: text, Type: &ir.PrimType{DType: dtype.Int64T}}
		b.env.define(text, v)
		return v
	}
	sub := newDiagnostics(b.d.source.Name, text)
	toks, _ := lex(text, sub)
	p := &parser{src: text, toks: toks, diags: sub}
	var tree *node
	func() {
		defer func() { _ = recover() }() // a syntax error is in sub
		tree = p.expr()
	}()
	if sub.failed() || tree == nil {
		msg := "no expression"
		if len(sub.list) > 0 {
			msg = sub.list[0].Message
		}
		b.fail(n, "", "%q is no extent: %s", text, msg)
	}
	b.relocate(tree, n)
	defer func(src string, i dtype.DType) { b.src, b.intType = src, i }(b.src, b.intType)
	b.intType = dtype.Int64T
	return b.dim(b.eval(tree), n)
}

// relocate gives the nodes of an expression in a string the place of the string, and defines
// the variables that are new.
func (b *builder) relocate(tree, n *node) {
	if tree == nil {
		return
	}
	if tree.kind == nName {
		if _, ok := b.env.lookup(tree.s); !ok && tree.s != "T" {
			b.env.define(tree.s, &tir.Var{Base: b.span(n), Name: tree.s, Type: &ir.PrimType{DType: dtype.Int64T}})
		}
	}
	if tree.kind == nAttr && tree.kids[0].kind == nName {
		// The dotted name is cut out of the text, which is another one here.
		path := tree.kids[0].s + "." + tree.s
		if path[:2] == "T." {
			tree.kind, tree.val = nValue, namespace{path}
		}
	}
	tree.at, tree.end = n.at, n.end
	for _, k := range tree.kids {
		b.relocate(k, n)
	}
}

func isIdentifier(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isNameStart(s[i]) && (i == 0 || !isDigit(s[i])) {
			return false
		}
	}
	return s != ""
}
