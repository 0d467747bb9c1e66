package op

import (
	"slices"
	"sync"

	"github.com/irscope/irscope/compiler/relax"
)

// foreign returns operators of TVM that are read, verified and printed, but for which there is no
// kernel: training, collectives, sampling and the like. A module that still holds one when
// code is made is refused there.
var foreign = sync.OnceValue(func() []*Op {
	return number(slices.Concat(foreignCalls(), gradOps(), collectiveOps(), distributedOps(), foreignTensorOps(), inspectOps(), relayOps()))
})

// Foreign returns the operators that are known but cannot be compiled. The caller must not
// change them.
func Foreign() []*Op { return slices.Clone(foreign()) }

// like returns a rule whose result has the struct info of argument i.
func like(i int) InferFunc {
	return func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) { return c.SInfo(i), nil }
}

func foreignCalls() []*Op {
	fn := Arg{Name: "func", Kind: Callee, Doc: "The function."}
	args := Arg{Name: "args", Kind: Tuple, Doc: "The input arguments."}
	return []*Op{
		{
			Name: "relax.call_tir_with_grad", Infer: inferOutSInfo, Pattern: Opaque,
			Args: []Arg{fn, args, {Name: "packed_ints", Kind: Shape, Doc: "Scalars that are passed after the tensors.", Optional: true}},
			Attrs: []Attr{
				{Name: "te_grad_name", Type: StringAttr, Required: true, Doc: "The function that computes the gradient."},
				{Name: "te_grad_kwargs", Type: DictAttr, Doc: "Arguments of that function by name."},
			},
			Doc: "Calls a PrimFunc of the module whose gradient a registered function computes.",
		},
		{
			Name: "relax.call_inplace_packed", Infer: inferSInfoArgsOrVoid, Pattern: Opaque,
			Args:  []Arg{{Name: "args", Kind: AnyValue, Doc: "The function, then its arguments.", Variadic: true}},
			Attrs: []Attr{{Name: "inplace_indices", Type: IntsAttr, Required: true, Doc: "For each result the argument whose memory it takes, or -1."}},
			Doc:   "Calls a packed function that writes its results over its arguments.",
		},
		{
			Name: "relax.call_py_func", Infer: inferOutSInfo, Pattern: Opaque,
			Args: []Arg{{Name: "func_name", Kind: String, Doc: "The name of the function."}, args},
			Doc:  "Calls a function of the host language.",
		},
		{
			Name: "relax.dist.call_tir_local_view", Infer: inferOutSInfo, Pattern: Opaque,
			Args: []Arg{fn, args, {Name: "packed_ints", Kind: Shape, Doc: "Scalars that are passed after the tensors.", Optional: true}},
			Doc:  "Calls a PrimFunc on the part of distributed tensors that a device holds.",
		},
	}
}

func gradOps() []*Op {
	x := Arg{Name: "input", Kind: AnyValue, Doc: "The value."}
	grad := Arg{Name: "output_grad", Doc: "The gradient of the result."}
	var out []*Op
	for _, n := range []string{"no_grad", "start_checkpoint", "end_checkpoint"} {
		out = append(out, &Op{Name: "relax.grad." + n, Args: []Arg{x}, Infer: like(0), Pattern: Opaque, Doc: "Marks a value for the computation of gradients."})
	}
	for _, n := range []string{"max_pool2d_backward", "avg_pool2d_backward"} {
		o := &Op{
			Name: "relax.grad." + n, Args: []Arg{grad, {Name: "data", Doc: "The input of the pooling."}}, Attrs: poolAttrs(2),
			Infer: like(1), Pattern: Opaque, Doc: "The gradient of a pooling.", complete: completeWindow(2, "layout"),
		}
		out = append(out, o)
	}
	nll := []Arg{{Name: "predictions", Doc: "The predictions."}, {Name: "targets", Doc: "The classes."}, {Name: "weights", Doc: "The weight of each class.", Optional: true}}
	return append(out,
		&Op{
			Name: "relax.grad.nll_loss_backward", Args: append([]Arg{grad}, nll...), Attrs: lossAttrs(), Infer: like(1), Pattern: Opaque,
			Doc: "The gradient of the negative log likelihood.",
		},
		&Op{
			Name: "relax.grad.take_backward", Infer: like(1), Pattern: Opaque,
			Args:  []Arg{grad, {Name: "x", Doc: "The input."}, {Name: "indices", Doc: "The indices."}},
			Attrs: []Attr{{Name: "axis", Type: OptIntAttr, Doc: "The axis that is indexed."}},
			Doc:   "The gradient of taking elements.",
		},
		&Op{Name: "relax.nn.nll_loss", Args: nll, Attrs: lossAttrs(), Infer: inferLoss, Pattern: Opaque, Doc: "The negative log likelihood."},
		&Op{
			Name: "relax.nn.cross_entropy_with_logits", Args: []Arg{{Name: "predictions", Doc: "The predictions."}, {Name: "labels", Doc: "The labels."}},
			Infer: inferLoss, Pattern: Opaque, Doc: "The cross entropy of predictions and labels.",
		},
	)
}

func lossAttrs() []Attr {
	return []Attr{
		{Name: "reduction", Type: StringAttr, Default: "mean", Enum: []string{"none", "mean", "sum"}, Doc: "How the losses are put together."},
		{Name: "ignore_index", Type: IntAttr, Default: int64(-100), Doc: "The class that does not count."},
	}
}

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
