package op

import "github.com/irscope/irscope/compiler/relax"

// distributed gives the result of an operator that works element by element the sharding that follows
// from its operands. That of other results is known only where the text or a pass says it.
func (c *InferContext) distributed(out relax.StructInfo) relax.StructInfo {
	t, ok := out.(*relax.TensorStructInfo)
	if !ok || t.Sharding != nil || t.NDim < 0 || c.Op.Pattern > Broadcast {
		return out
	}
	var from []*relax.TensorStructInfo
	for i := range c.call.Args {
		if x, ok := c.SInfo(i).(*relax.TensorStructInfo); ok {
			if x.Sharding == nil {
				return out
			}
			from = append(from, x)
		}
	}
	if s := relax.BroadcastSharding(t.NDim, from); s != nil {
		return t.WithSharding(s)
	}
	return out
}

// distributedOps place tensors on a mesh of devices. They are named as in TVM's relax.op.distributed.
func distributedOps() []*Op {
	input := []Arg{{Name: "input", Doc: "The tensor."}}
	attrs := []Attr{
		{Name: "device_mesh", Type: NodeAttr, Required: true, Doc: "The devices, a global info of the module."},
		{Name: "placement", Type: StringAttr, Required: true, Doc: "For each dimension of the mesh R, or S[axis] for the axis that is split over it."},
	}
	return []*Op{
		{
			Name: "relax.dist.annotate_sharding", Args: input, Attrs: attrs, Infer: inferAnnotated, Pattern: Opaque,
			Doc: "Says how a tensor is to be distributed, for the pass that decides it.",
		},
		{
			Name: "relax.dist.redistribute", Args: input, Attrs: attrs, Infer: inferRedistributed, Pattern: Opaque,
			Doc: "Distributes a tensor otherwise.",
		},
	}
}

// inferAnnotated leaves the tensor as it is: the annotation is a wish.
func inferAnnotated(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	_, err = c.sharding(call, t.NDim)
	return t, err
}

func inferRedistributed(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	s, err := c.sharding(call, t.NDim)
	if err != nil {
		return nil, err
	}
	return t.WithSharding(s), nil
}

// sharding reads the attributes of distributedOps.
func (c *InferContext) sharding(call *relax.Call, ndim int) (*relax.Sharding, error) {
	v, _ := call.Attrs.Get("device_mesh")
	mesh, ok := v.(*relax.DeviceMesh)
	if !ok {
		return nil, c.attrErr("device_mesh", formatValue(v), "a device mesh")
	}
	p, _ := call.Attrs.Get("placement")
	text, _ := p.(string)
	placement, err := relax.ParsePlacement(text)
	if err != nil {
		return nil, c.attrErr("placement", formatValue(text), `R or S[axis] for each dimension of the mesh, such as "S[0], R"`)
	}
	s := &relax.Sharding{Mesh: mesh, Placement: placement}
	if err := s.Check(ndim); err != nil {
		return nil, c.attrErr("placement", formatValue(text), "one that fits (%v)", err)
	}
	return s, nil
}
