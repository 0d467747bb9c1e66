package parse

import (
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

// infoRows are struct info. Strings in their arguments are expressions over symbolic variables.
var infoRows = []row{
	{"R.Tensor(shape: value = None, dtype: value = None, vdevice: value = None, ndim: int = None)", (*call).tensorInfo},
	{"R.DTensor|R.dist.DTensor(shape: value = None, dtype: value = None, device_mesh: value = None, placement: value = '', ndim: int = None)", (*call).distributedInfo},
	{"R.Object|R.Any()", func(c *call) any { return &relax.ObjectStructInfo{Base: c.base()} }},
	{"R.Shape(values: dims = None, ndim: int = -1)", func(c *call) any {
		s := &relax.ShapeStructInfo{Base: c.base(), NDim: c.intAt(1)}
		if c.has(0) {
			s.Values = argument[[]tir.Expr](c, 0)
			if c.at[1] == nil {
				s.NDim = len(s.Values)
			}
		}
		return s
	}},
	{"R.Tuple(*fields: value)", func(c *call) any {
		s := &relax.TupleStructInfo{Base: c.base()}
		if len(c.rest) == 1 {
			if l, ok := c.rest[0].(*list); ok {
				s.Fields = c.toInfos(l, c.restAt[0])
				return s
			}
		}
		for i, v := range c.rest {
			s.Fields = append(s.Fields, c.toInfo(v, c.restAt[i]))
		}
		return s
	}},
	{"R.Prim(dtype: dtype = None, value: value = None)", func(c *call) any {
		s := &relax.PrimStructInfo{Base: c.base()}
		if name, ok := c.vals[1].(string); ok {
			s.Value = c.symbolicValue(name, c.at[1])
		} else if c.at[1] != nil {
			s.Value = c.toExpr(c.vals[1], c.at[1])
		}
		if s.Value != nil {
			s.DType = s.Value.DType()
		}
		s.DType = c.typeOr(0, s.DType)
		return s
	}},
	{"R.Callable(params: node = None, ret: info = None, purity: bool = None, derive_func: str = '')", func(c *call) any {
		s := &relax.FuncStructInfo{Base: c.base(), Ret: c.infoAt(1), Pure: c.at[2] == nil || c.flagAt(2), Derive: derives(c.strAt(3))}
		if params := c.nodeAt(0); params != nil && params.Kind != syntax.Const {
			s.Params = c.sinfoList(params)
			if s.Ret == nil {
				s.Ret = &relax.TupleStructInfo{}
			}
			return s
		}
		s.Opaque, s.Pure = true, c.flagAt(2)
		if s.Ret == nil {
			s.Ret = &relax.ObjectStructInfo{}
		}
		return s
	}},
}

const infoHelp = "struct info is R.Tensor, R.DTensor, R.Shape, R.Tuple, R.Prim, R.Callable or R.Object"

// infoNames are struct info for hints.
var infoNames = strings.Fields("R.Tensor R.DTensor R.Shape R.Tuple R.Prim R.Callable R.Object")

// sinfo evaluates an annotation to struct info.
func (b *builder) sinfo(n *syntax.Node) relax.StructInfo {
	defer func(d bool) { b.dims = d }(b.dims)
	b.dims = true
	return b.toInfo(b.eval(n), n)
}

// sinfoList evaluates one struct info or a list of them.
func (b *builder) sinfoList(n *syntax.Node) []relax.StructInfo {
	defer func(d bool) { b.dims = d }(b.dims)
	b.dims = true
	v := b.eval(n)
	if l, ok := v.(*list); ok {
		return b.toInfos(l, n)
	}
	return []relax.StructInfo{b.toInfo(v, n)}
}

func (b *builder) toInfos(l *list, n *syntax.Node) []relax.StructInfo {
	out := make([]relax.StructInfo, len(l.items))
	for i, it := range l.items {
		out[i] = b.toInfo(it, n)
	}
	return out
}

// toInfo turns a value into struct info; a name without a call is that of which nothing is known.
func (b *builder) toInfo(v any, n *syntax.Node) relax.StructInfo {
	switch x := v.(type) {
	case relax.StructInfo:
		return x
	case nil:
		return &relax.TupleStructInfo{Base: b.span(n)}
	case namespace:
		if sig := b.table[x.path]; sig != nil && sig.info && x.path != "R.Prim" { // as if it were called with ()
			call := &syntax.Node{Kind: syntax.Call, At: n.At, End: n.End, Kids: []*syntax.Node{n}}
			return b.apply(sig, call, nil).(relax.StructInfo)
		}
		b.fail(n, did(x.path, infoNames, "", infoHelp), "%s is not struct info", x.path)
	}
	b.fail(n, infoHelp, "expected struct info, got %s", describe(v))
	return nil
}

// tensorInfo builds R.Tensor, which may be given a type alone.
func (c *call) tensorInfo() any {
	s := c.tensorOf(c.at[3])
	switch v := c.vals[2].(type) {
	case string:
		s.VDevice = c.vdevice(v, c.at[2])
	case *relax.VDevice:
		s.VDevice = v
	}
	return s
}

// tensorOf builds what R.Tensor and R.DTensor have in common, from a shape, an element type and, where at
// stands, a number of dimensions.
func (c *call) tensorOf(at *syntax.Node) *relax.TensorStructInfo {
	s := &relax.TensorStructInfo{Base: c.base(), NDim: -1}
	typ := 1
	switch v := c.vals[0].(type) {
	case nil:
	case string:
		if c.at[1] != nil {
			c.fail(c.at[0], "", "expected a shape, got %s", describe(v))
		}
		typ = 0
	case *relax.Var:
		s.Shape = v
		if info, ok := v.SInfo.(*relax.ShapeStructInfo); ok {
			s.NDim = info.NDim
		}
	default:
		dims := c.dimList(v, c.at[0])
		s.Shape, s.NDim = &relax.ShapeExpr{Base: c.span(c.at[0]), Values: dims}, len(dims)
	}
	if c.has(typ) {
		s.DType = c.toType(c.vals[typ], c.at[typ])
	}
	if k := slices.Index(c.at, at); at != nil && c.has(k) {
		if s.Shape != nil && c.intAt(k) != s.NDim && s.NDim >= 0 {
			c.fail(at, "", "ndim is %d, but the shape has %d dimensions", c.intAt(k), s.NDim)
		}
		if s.NDim = c.intAt(k); s.NDim < -1 {
			c.fail(at, "-1 says that it is not known", "the number of dimensions cannot be %d", s.NDim)
		}
	}
	return s
}

// vdevice finds a virtual device of the module by "target:index:scope".
func (b *builder) vdevice(text string, n *syntax.Node) *relax.VDevice {
	parts := strings.Split(text, ":")
	if k := strings.LastIndexByte(text, '}'); k >= 0 { // the target is a dictionary
		parts = append([]string{text[:k+1]}, strings.Split(text[k+1:], ":")[1:]...)
	}
	want := &relax.VDevice{Base: b.span(n), Target: parts[0], Scope: "global"}
	if len(parts) > 1 {
		id, err := strconv.Atoi(parts[1])
		if err != nil {
			b.fail(n, `devices are written as "llvm:0" or "llvm:0:global"`, "%q does not name a device", text)
		}
		want.ID = id
	}
	if len(parts) > 2 {
		want.Scope = parts[2]
	}
	k := 0
	var found *relax.VDevice
	for i, x := range b.mod.infos["vdevice"] {
		d, ok := x.(*relax.VDevice)
		if ok && want.Target == "vdevice" && i == want.ID { // by number
			return d
		}
		kind, _, _ := strings.Cut(d.Target, " ")
		if !ok || d.Target != want.Target && kind != want.Target && !strings.Contains(d.Target, strconv.Quote(want.Target)) {
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
