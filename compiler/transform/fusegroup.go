package transform

import (
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// fusedGroup builds the function of a group and the call of it, for one group after the other.
type fusedGroup struct {
	members []*fuseNode
	inside  map[*relax.Var]bool
	inner   map[relax.Expr]*relax.Var // what the group's function calls a value
	args    []relax.Expr
	params  []*relax.Var
	used    map[string]bool
	mapper  relax.Mapper
	// ext, if not nil, gives extents of arguments that are expressions names of their own.
	ext *extents
	// defined says that the parameters define all symbolic variables of the group.
	defined bool
}

func newFusedGroup() *fusedGroup {
	g := &fusedGroup{inside: map[*relax.Var]bool{}, inner: map[relax.Expr]*relax.Var{}, used: map[string]bool{}}
	g.mapper.Expr = g.expr
	return g
}

// begin starts with another group.
func (g *fusedGroup) begin(members []*fuseNode, ext *extents, defined bool) {
	clear(g.inside)
	clear(g.inner)
	clear(g.used)
	g.members, g.ext, g.defined, g.args, g.params = members, ext, defined, nil, nil
	for _, n := range members {
		g.inside[n.binding.Var] = true
	}
}

// fusedCall makes the function of a group and returns the binding of its call. The result of
// the group's last node keeps its variable, and so its name. It is false if the kernels
// depend on symbolic extents that the arguments of the function would not tell.
func fusedCall(m *ir.Module, d *distinct, members []*fuseNode) (relax.Binding, bool) {
	// All members lead to the last one, and only its result is seen outside.
	last := members[len(members)-1].binding
	d.ids = d.ids[:0]
	for _, n := range members {
		d.ids = append(d.ids, n.binding.Origin)
	}
	base := ir.Base{Span: members[0].binding.Span, Origin: m.Origins().Merge("FuseOps", d.ids...)}
	gv, args := d.known(base.Origin, members)
	if gv == nil {
		if gv, args = d.newGroup(m, base, members); gv == nil {
			return nil, false
		}
	}
	call := &relax.Call{Base: base, Op: gv, Args: args, SInfo: last.Var.SInfo}
	return &relax.VarBinding{Base: base, Var: last.Var, Value: call}, true
}

// known returns the function that was made of a group like this one, and the arguments of the call of it; nil if there is none. The function
// comes from the members of this group too.
func (d *distinct) known(origin ir.OriginID, members []*fuseNode) (*ir.GlobalVar, []relax.Expr) {
	if !d.key.spell(d.symbols, members) {
		return nil, nil
	}
	gv := d.byKey[string(d.key.text)]
	if gv == nil {
		return nil, nil
	}
	args := slices.Clone(d.key.args)
	// What the function of this group would come from, in the order of originsOf: nodes of it have the origins of those that they stand for.
	ids := append(d.ids[:0], origin)
	for _, a := range args {
		ids = append(ids, a.Meta().Origin)
	}
	ids = append(ids, 0, 0) // the body and its block
	for _, n := range members {
		ids = appendOrigins(ids, n.binding)
	}
	d.ids = append(ids, members[len(members)-1].binding.Var.Origin)
	d.shared.addFrom(gv.Name, d.e.Lookup(gv.Name), d.ids)
	return gv, args
}

// newGroup makes the function of a group, whose key d.known has spelled, and returns it with the arguments of the call of it; nil if the arguments
// would not tell symbolic extents that it needs.
func (d *distinct) newGroup(m *ir.Module, base ir.Base, members []*fuseNode) (*ir.GlobalVar, []relax.Expr) {
	key := string(d.key.text)
	static := d.key.static
	g := d.group
	g.begin(members, nil, static)
	bindings, ok := g.bindings(m)
	if !ok {
		g.begin(members, &extents{}, false)
		if bindings, ok = g.bindings(m); !ok {
			return nil, nil
		}
	}
	result := g.inner[members[len(members)-1].binding.Var]
	fn := &relax.Function{
		Base: base, Params: g.params, Ret: result.SInfo, Pure: true, Attrs: primitive,
		Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{{Bindings: bindings, Dataflow: true}}, Body: result},
	}
	if !static { // the symbolic variables of the caller must not be defined a second time here
		fn = relax.CopyFunction(fn)
	}
	var gv *ir.GlobalVar
	if static && len(d.byHash) == 0 { // one that is equal has the same key
		gv = d.e.Add(fusedName(members), fn)
		d.unhashed = append(d.unhashed, gv)
	} else {
		gv = d.add(fusedName(members), fn)
	}
	if key != "" {
		d.byKey[key] = gv
	}
	return gv, g.args
}

// primitive are the attributes of the functions of groups.
var primitive = ir.NewAttrs(attrPrimitive, true)

// bindings makes the bindings of the function. It is false if its parameters do not define all
// symbolic variables that it uses.
func (g *fusedGroup) bindings(m *ir.Module) ([]relax.Binding, bool) {
	out := make([]relax.Binding, 0, len(g.members))
	for i, n := range g.members {
		vb := *n.binding
		vb.Value = g.mapper.Expr(vb.Value)
		v := *vb.Var
		v.Dataflow = i < len(g.members)-1
		if g.ext != nil {
			call := *vb.Value.(*relax.Call)
			info, ok := resultOf(m, &call, v.SInfo)
			if !ok {
				return nil, false
			}
			call.SInfo, call.SInfoArgs, v.SInfo = info, []relax.StructInfo{info}, info
			vb.Value = &call
		}
		vb.Var = &v
		g.inner[n.binding.Var] = &v
		out = append(out, &vb)
	}
	return out, g.defined || g.closed()
}

// resultOf returns the struct info of a call_tir that follows from those of its arguments by
// the kernel's signature, given that it is old but for the names of extents. It is false where
// the kernel's result has extents that its arguments do not tell.
func resultOf(m *ir.Module, call *relax.Call, old relax.StructInfo) (relax.StructInfo, bool) {
	t, isTensor := old.(*relax.TensorStructInfo)
	f, isKernel := m.Lookup(call.Args[0].(*ir.GlobalVar).Name).(*tir.PrimFunc)
	args := fieldsOf(call.Args[1])
	if !isTensor || !isKernel || len(f.Buffers) != len(args)+1 {
		return nil, false
	}
	sub := map[*tir.Var]tir.Expr{}
	for i, a := range args {
		info, ok := relax.SInfoOf(a).(*relax.TensorStructInfo)
		if !ok {
			return nil, false
		}
		dims, _ := info.Dims()
		if f.Buffers[i] == nil || len(dims) != len(f.Buffers[i].Shape) {
			return nil, false
		}
		for k, d := range f.Buffers[i].Shape {
			if v, ok := d.(*tir.Var); ok && sub[v] == nil {
				sub[v] = dims[k]
			}
		}
	}
	b := f.Buffers[len(args)]
	if b == nil {
		return nil, false
	}
	info := *t
	dims := make([]tir.Expr, len(b.Shape))
	for k, d := range b.Shape {
		for _, v := range relax.VarsOf(d) {
			if sub[v] == nil {
				return nil, false
			}
		}
		dims[k] = relax.Subst{Prims: sub}.Prim(d)
	}
	info.Shape = &relax.ShapeExpr{Values: dims}
	return &info, true
}

// expr maps what a member's call refers to: results of other members, and parameters.
func (g *fusedGroup) expr(x relax.Expr) relax.Expr {
	switch x := x.(type) {
	case *relax.Var:
		if !g.inside[x] {
			return g.param(x)
		}
		if c := g.inner[x]; c != nil {
			return c
		}
	case *relax.Constant:
		if _, scalar := scalarConst(x); scalar {
			return x // it becomes part of the kernel
		}
		return g.param(x)
	case *relax.Call, *relax.Tuple:
		return g.mapper.MapExpr(x)
	}
	return x
}

func (g *fusedGroup) param(x relax.Expr) relax.Expr {
	if p := g.inner[x]; p != nil {
		return p
	}
	p := &relax.Var{Base: x.Meta(), Name: "param_" + strconv.Itoa(len(g.params)), SInfo: relax.SInfoOf(x)}
	if g.ext != nil {
		p.SInfo = g.ext.info(p.SInfo)
	}
	if v, ok := x.(*relax.Var); ok && !g.used[v.Name] {
		p.Name = v.Name
	}
	g.used[p.Name] = true
	g.inner[x] = p
	g.args, g.params = append(g.args, x), append(g.params, p)
	return p
}

// closed reports whether the parameters define all symbolic variables of the group.
func (g *fusedGroup) closed() bool {
	defined := map[*tir.Var]bool{}
	var infos []relax.StructInfo
	for _, p := range g.params {
		infos = append(infos, p.SInfo)
	}
	for _, v := range relax.DefinableVars(infos...) {
		defined[v] = true
	}
	for _, n := range g.members {
		infos = append(infos, g.inner[n.binding.Var].SInfo)
	}
	for _, v := range relax.FreeSymbolicVars(infos...) {
		if !defined[v] {
			return false
		}
	}
	return true
}

// maxFusedName bounds the names of fused kernels, of which maxLayerName may be the layer's.
const (
	maxFusedName = 96
	maxLayerName = 48
)

// fusedName joins the names of the kernels and that of the layer, the result of the group's
// reduction or else of its last kernel: fused_conv2d_add_relu_fire2_squeeze1x1. Names that
// only number values are no layer names; the names of the kernels then keep their numbers, as in TVM: fused_conv2d_add2.
func fusedName(members []*fuseNode) string {
	parts := []string{"fused"}
	layer := members[len(members)-1].binding.Var.Name
	for i := len(members) - 1; i >= 0; i-- {
		if members[i].pattern == patOutEWiseFusable || members[i].pattern == patCommReduce {
			layer = members[i].binding.Var.Name
		}
	}
	layer = strings.Trim(relax.Identifier(layer), "_")
	if len(layer) > maxLayerName {
		layer = layer[:maxLayerName]
	}
	if base := strings.TrimRight(layer, "_0123456789"); len(base) < 2 || base == "lv" || base == "gv" {
		layer = ""
	}
	for _, n := range members {
		name := n.call.Args[0].(*ir.GlobalVar).Name
		if layer != "" && !strings.HasPrefix(name, "fused_") {
			name = strings.TrimRight(name, "0123456789")
		}
		parts = append(parts, strings.Trim(name, "_"))
	}
	name := strings.Join(parts, "_")
	if room := maxFusedName - len(layer) - 1; len(name) > room {
		name = name[:room]
	}
	if name = strings.TrimRight(name, "_"); layer != "" {
		name += "_" + layer
	}
	return strings.TrimRight(name, "_")
}

// distinct adds functions to a module, each once: an equal one that it added before is used
// again, and gets the origins of both at the end.
type distinct struct {
	e        *ir.Editor
	shared   *sharedOrigins
	byHash   map[uint64][]*ir.GlobalVar
	unhashed []*ir.GlobalVar          // of which byHash knows nothing yet
	byKey    map[string]*ir.GlobalVar // the functions of groups
	group    *fusedGroup              // room
	key      groupKey                 // of the group at work
	symbols  *symbols                 // in keys
	ids      []ir.OriginID            // room
}

func newDistinct(pass string, m *ir.Module, e *ir.Editor) *distinct {
	return &distinct{e: e, shared: newSharedOrigins(pass, m), byHash: map[uint64][]*ir.GlobalVar{}, byKey: map[string]*ir.GlobalVar{}, symbols: newSymbols(), group: newFusedGroup()}
}

func (d *distinct) add(name string, fn ir.Function) *ir.GlobalVar {
	for _, gv := range d.unhashed {
		h := ir.StructuralHash(d.e.Lookup(gv.Name))
		d.byHash[h] = append(d.byHash[h], gv)
	}
	d.unhashed = nil
	h := ir.StructuralHash(fn)
	for _, gv := range d.byHash[h] {
		if old := d.e.Lookup(gv.Name); ir.StructuralEqual(old, fn, ir.EqualOpts{}) {
			d.shared.add(gv.Name, old, fn)
			return gv
		}
	}
	gv := d.e.Add(name, fn)
	d.byHash[h] = append(d.byHash[h], gv)
	return gv
}

// done ends the edit.
func (d *distinct) done() *ir.Module {
	d.shared.apply(d.e)
	return d.e.Done()
}
