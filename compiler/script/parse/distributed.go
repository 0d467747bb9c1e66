package parse

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

// distributedRows are what describes tensors that are distributed over devices.
var distributedRows = []row{
	{"R.device_mesh|R.dist.device_mesh(shape: value, device_ids: value)", (*call).deviceMesh},
	{"R.dist.const(value: value, dtype: value = None, struct_info|ty: value = None)", (*call).distributedConst},
	{"R.dist.call_tir(gvar|func: callee, args: graph, out_sinfo|out_ty: result, tir_vars: value = None)", (*call).callTIR},
	{"R.dist.annotate_sharding|R.dist.redistribute(value|input: graph, device_mesh: value, placement: value)", func(c *call) any {
		s := c.shardingOf(1, 2)
		if s == nil {
			c.missing(1)
		}
		o := op.Lookup("relax." + c.sig.name[2:])
		return &relax.Call{
			Base: c.base(), Op: o.Ref(), Args: []relax.Expr{c.graphAt(0)},
			Attrs: ir.NewAttrs("device_mesh", s.Mesh, "placement", relax.PlacementText(s.Placement)),
		}
	}},
}

// deviceMesh builds R.device_mesh((2, 2), I.Range(0, 4)), or with a list of devices.
func (c *call) deviceMesh() any {
	m := &relax.DeviceMesh{Base: c.base(), Shape: c.meshInts(c.vals[0], c.at[0])}
	if r, ok := c.vals[1].(*tir.Range); ok {
		first, ok := tir.AsInt(r.Min)
		count, ok2 := tir.AsInt(r.Extent)
		if !ok || !ok2 || count < 0 || count > maxDevices || first > math.MaxInt64-maxDevices {
			c.fail(c.at[1], "", "the devices of a mesh are numbers, at most %d of them", maxDevices)
		}
		m.Ranged, m.IDs = true, make([]int64, count)
		for i := range m.IDs {
			m.IDs[i] = first + int64(i)
		}
	} else {
		m.IDs = c.meshInts(c.vals[1], c.at[1])
	}
	if err := m.Check(); err != nil {
		c.fail(c.n, "", "%v", err)
	}
	return m
}

// maxMissing bounds the meshes that stand in for those of a module which is not given.
const maxMissing = 16

// maxDevices bounds a device mesh that is written as a range.
const maxDevices = 1 << 16

func (c *call) meshInts(v any, at *syntax.Node) []int64 {
	l, ok := v.(*list)
	if !ok {
		c.fail(at, "", "expected a list of integers, got %s", describe(v))
	}
	out := make([]int64, len(l.items))
	for i, it := range l.items {
		switch x := it.(type) {
		case int64:
			out[i] = x
		case *tir.IntImm:
			out[i] = x.Value
		default:
			c.fail(at, "", "expected a list of integers, got one with %s", describe(it))
		}
	}
	return out
}

// distributedInfo builds R.DTensor: a tensor with the devices that hold its parts.
func (c *call) distributedInfo() any {
	s := c.tensorOf(c.at[4])
	if s.Sharding = c.shardingOf(2, 3); s.Sharding == nil { // not placed yet, as in TVM
		s.Sharding = &relax.Sharding{Base: c.base(), Mesh: &relax.DeviceMesh{IDs: []int64{0}, Shape: []int64{}, Ranged: true}, Placement: []int64{}}
	}
	if err := s.Sharding.Check(s.NDim); err != nil {
		c.fail(c.n, "", "%v", err)
	}
	return s
}

// shardingOf reads the arguments of those numbers; nil where no mesh is given.
func (c *call) shardingOf(mesh, placement int) *relax.Sharding {
	s := &relax.Sharding{Base: c.base()}
	if c.vals[mesh] == nil {
		return nil
	}
	text, ok := c.vals[placement].(string)
	if !ok {
		c.fail(c.at[placement], "", "expected a placement such as \"S[0], R\", got %s", describe(c.vals[placement]))
	}
	var err error
	at := c.at[placement]
	if at == nil {
		at = c.n
	}
	if s.Placement, err = relax.ParsePlacement(text); err != nil {
		c.fail(at, "", "%v", err)
	}
	switch m := c.vals[mesh].(type) {
	case *relax.DeviceMesh:
		s.Mesh = m
	case string:
		s.Mesh = c.meshNamed(m, len(s.Placement), c.at[mesh])
	default:
		c.fail(c.at[mesh], `it is a name such as "mesh[0]", or R.device_mesh`, "expected a device mesh, got %s", describe(m))
	}
	return s
}

// meshNamed finds a device mesh of the module by "name[index]". A function without its module gets one
// of ndim dimensions with a single device in its place.
func (b *builder) meshNamed(text string, ndim int, n *syntax.Node) *relax.DeviceMesh {
	name, rest, _ := strings.Cut(text, "[")
	index, closed := strings.CutSuffix(rest, "]")
	i, err := strconv.Atoi(index)
	if !closed || err != nil {
		b.fail(n, `it is written as "mesh[0]"`, "%q does not name a device mesh", text)
	}
	if infos := b.mod.infos[name]; i >= 0 && i < len(infos) {
		if m, ok := infos[i].(*relax.DeviceMesh); ok {
			return m
		}
	}
	if b.mod.lone && !b.within() && err == nil && closed && i >= 0 && i <= len(b.mod.infos[name])+maxMissing {
		for len(b.mod.infos[name]) <= i {
			m := &relax.DeviceMesh{Base: b.span(n), Shape: slices.Repeat([]int64{1}, ndim), IDs: []int64{0}, Ranged: true}
			b.mod.infos[name] = append(b.mod.infos[name], m)
		}
		b.mod.mod = b.mod.mod.WithGlobalInfos(name, b.mod.infos[name])
		return b.mod.infos[name][i].(*relax.DeviceMesh)
	}
	b.fail(n, "list it in I.module_global_infos", "the module has no device mesh %q", text)
	return nil
}

// distributedConst builds R.dist.const, whose struct info says how the constant is distributed.
func (c *call) distributedConst() any {
	info := c.vals[2]
	if info == nil {
		info = c.vals[1]
	}
	t, ok := info.(*relax.TensorStructInfo)
	if !ok || t.Sharding == nil {
		c.fail(c.n, "give it struct_info=R.DTensor(...)", "a distributed constant needs the struct info of a distributed tensor")
	}
	if data, ok := c.vals[0].(*relax.Constant); ok { // of the metadata
		return data.WithSharding(t.Sharding)
	}
	d := t.DType
	if d.IsVoid() {
		d = usualType(c.vals[0])
	}
	out := c.denseConstant(c.vals[0], d, c.n, c.at[0]).(*relax.Constant)
	return out.WithSharding(t.Sharding)
}
