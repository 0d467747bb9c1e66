package op

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// collectiveOps are what workers do together. They are named as in TVM's relax.op.ccl.
func collectiveOps() []*Op {
	x := Arg{Name: "x", Doc: "The tensor."}
	workers := Attr{Name: "num_workers", Type: IntAttr, Required: true, Doc: "The number of workers."}
	group := Attr{Name: "in_group", Type: BoolAttr, Default: true, Doc: "Whether only the workers of the group take part."}
	axis := Attr{Name: "axis", Type: IntAttr, Default: int64(0), Doc: "The axis that is split."}
	return []*Op{
		{
			Name: "relax.ccl.allreduce", Args: []Arg{x}, Infer: like(0), Pattern: Opaque, Doc: "Reduces over all workers.",
			Attrs: []Attr{{Name: "op_type", Type: StringAttr, Default: "sum", Enum: []string{"sum", "prod", "min", "max", "avg"}, Doc: "How values are combined."}, group},
		},
		{Name: "relax.ccl.allgather", Args: []Arg{x}, Attrs: []Attr{workers, group}, Infer: inferGathered, Pattern: Opaque, Doc: "Puts the parts of all workers together."},
		{Name: "relax.ccl.broadcast_from_worker0", Args: []Arg{x}, Infer: like(0), Pattern: Opaque, Doc: "Sends a tensor from the first worker to all."},
		{
			Name: "relax.ccl.scatter_from_worker0", Args: []Arg{x}, Attrs: []Attr{workers, axis}, Infer: inferScattered, Pattern: Opaque,
			Doc: "Sends each worker its part of a tensor of the first.",
		},
		{
			Name: "relax.dist.redistribute_replica_to_shard", Args: []Arg{x}, Attrs: []Attr{workers, axis}, Infer: inferScattered, Pattern: Opaque,
			Doc: "Takes this worker's part of a tensor that all have.",
		},
	}
}

func inferGathered(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	return c.rescaled(func(d tir.Expr, n int64) (tir.Expr, error) { return c.times("num_workers", d, n) })
}

func inferScattered(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	return c.rescaled(func(d tir.Expr, n int64) (tir.Expr, error) {
		if v, ok := tir.AsInt(d); ok && v%n != 0 {
			return nil, c.attrErr("num_workers", formatValue(n), "a divisor of the extent %d", v)
		}
		return c.Simplify(tir.FloorDiv(d, tir.Int(n))), nil
	})
}

// rescaled changes the extent of the axis that workers share.
func (c *InferContext) rescaled(f func(d tir.Expr, workers int64) (tir.Expr, error)) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	n, _ := c.Int("num_workers")
	if n < 1 {
		return nil, c.attrErr("num_workers", formatValue(n), "a number above zero")
	}
	d, ok := c.dimsOf(t)
	if !ok {
		return rankOf(t.DType, t.NDim, t), nil
	}
	axis, _ := c.Int("axis")
	a, err := c.axis("axis", axis, len(d))
	if err != nil {
		return nil, err
	}
	out := append([]tir.Expr{}, d...)
	if out[a], err = f(d[a], n); err != nil {
		return nil, err
	}
	return tensorOf(t.DType, out, t), nil
}
