package script

import (
	"maps"
	"slices"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// distributedInfo prints R.DTensor: by position as long as nothing is left out, as TVM does.
func (p *printer) distributedInfo(s *relax.TensorStructInfo) {
	p.r("DTensor(")
	sep, named := "", false
	next := func(name string) {
		p.str(sep)
		sep = ", "
		if named {
			p.str(name + "=")
		}
	}
	switch shape := s.Shape.(type) {
	case *relax.ShapeExpr:
		next("shape")
		p.dims(shape.Values, "(", ")")
	case nil:
		named = true
	default:
		next("shape")
		p.rexpr(shape)
	}
	if s.DType.IsVoid() {
		named = true
	} else {
		next("dtype")
		p.quote(s.DType.String())
	}
	if mesh := s.Sharding.Mesh; mesh != nil {
		next("device_mesh")
		p.meshName(mesh)
		next("placement")
		p.quote(relax.PlacementText(s.Sharding.Placement))
	}
	if s.Shape == nil && s.NDim >= 0 {
		p.str(sep + "ndim=")
		p.int(int64(s.NDim))
	}
	p.str(")")
}

// meshName prints the name of a global info of the module, or the whole mesh where it is none of them.
func (p *printer) meshName(m *relax.DeviceMesh) {
	if name, ok := p.meshes[m]; ok {
		p.quote(name)
		return
	}
	name := p.findMesh(func(x *relax.DeviceMesh) bool { return x == m })
	if name == "" {
		name = p.findMesh(func(x *relax.DeviceMesh) bool { return ir.StructuralEqual(x, m, ir.EqualOpts{}) })
	}
	if name == "" {
		p.deviceMesh(m)
		return
	}
	if p.meshes == nil {
		p.meshes = map[*relax.DeviceMesh]string{}
	}
	p.meshes[m] = name
	p.quote(name)
}

// findMesh returns the name of the first device mesh of the module that is meant, "" for none.
func (p *printer) findMesh(meant func(*relax.DeviceMesh) bool) string {
	for _, kind := range slices.Sorted(maps.Keys(p.infos)) {
		for i, n := range p.infos[kind] {
			if x, ok := n.(*relax.DeviceMesh); ok && meant(x) {
				return kind + "[" + strconv.Itoa(i) + "]"
			}
		}
	}
	return ""
}

func (p *printer) deviceMesh(m *relax.DeviceMesh) {
	p.r("device_mesh(")
	p.ints(m.Shape, "(", ")")
	p.str(", ")
	if !m.Ranged {
		p.ints(m.IDs, "[", "]")
		p.str(")")
		return
	}
	first := int64(0)
	if len(m.IDs) > 0 {
		first = m.IDs[0]
	}
	p.i("Range(")
	p.int(first)
	p.str(", ")
	p.int(first + int64(len(m.IDs)))
	p.str("))")
}

func (p *printer) ints(xs []int64, open, closing string) {
	p.str(open)
	list(p, xs, p.int)
	if len(xs) == 1 && open == "(" {
		p.str(",")
	}
	p.str(closing)
}

// isDistributed tells whether a call returns distributed tensors.
func isDistributed(c *relax.Call) bool {
	return slices.ContainsFunc(c.SInfoArgs, func(s relax.StructInfo) bool {
		if t, ok := s.(*relax.TupleStructInfo); ok && len(t.Fields) > 0 {
			s = t.Fields[0]
		}
		t, ok := s.(*relax.TensorStructInfo)
		return ok && t.Sharding != nil
	})
}

// distributedConst prints a constant with the struct info that says how it is distributed.
func (p *printer) distributedConst(c *relax.Constant) {
	p.r("dist.const(")
	text, ok := "", false
	if len(c.Data.Shape()) == 0 {
		text, ok = scalarText(c.Data)
	}
	if p.str(text); !ok {
		p.metaEntry(0, metaConstant, c.Data)
		p.consts = append(p.consts, c)
	}
	p.str(", ")
	p.sinfo(relax.SInfoOf(c))
	p.str(")")
}
