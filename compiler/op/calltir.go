package op

import (
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// normalizeCallTIR writes the arguments as a tuple in place: one that is held by a variable
// is replaced by its fields.
func normalizeCallTIR(call *relax.Call, c *InferContext) (*relax.Call, error) {
	if _, ok := call.Args[0].(*ir.GlobalVar); !ok {
		return nil, c.argErr(0, "another expression", "a function of the module")
	}
	if _, ok := call.Args[1].(*relax.Tuple); ok {
		return call, nil
	}
	info, ok := c.SInfo(1).(*relax.TupleStructInfo)
	if !ok {
		return nil, c.argErr(1, describe(c.SInfo(1)), "a tuple")
	}
	tuple := c.boundTuple(call.Args[1])
	if tuple == nil {
		fields := make([]relax.Expr, len(info.Fields))
		for i, f := range info.Fields {
			fields[i] = &relax.TupleGetItem{Tuple: call.Args[1], Index: i, SInfo: f}
		}
		tuple = &relax.Tuple{Fields: fields}
	}
	out := *call
	out.Args = append([]relax.Expr{}, call.Args...)
	out.Args[1] = tuple
	return &out, nil
}

// boundTuple returns the tuple that e was bound to, nil if that is not known.
func (c *InferContext) boundTuple(e relax.Expr) *relax.Tuple {
	t, _ := c.bound(e).(*relax.Tuple)
	return t
}

// bound returns what e was bound to, e itself where that is not known.
func (c *InferContext) bound(e relax.Expr) relax.Expr {
	for c.Bound != nil {
		v, ok := e.(*relax.Var)
		if !ok {
			break
		}
		x := c.Bound(v)
		if x == nil {
			break
		}
		e = x
	}
	return e
}

// inferCallTIRInplace checks that each result fits the argument that it takes the place of.
func inferCallTIRInplace(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	out, err := inferOutSInfo(call, c)
	if err != nil {
		return nil, err
	}
	results := []relax.StructInfo{out}
	if t, ok := out.(*relax.TupleStructInfo); ok {
		results = t.Fields
	}
	indices, err := c.fixedInts("inplace_indices", len(results))
	if err != nil {
		return nil, err
	}
	args, ok := c.SInfo(1).(*relax.TupleStructInfo)
	if !ok {
		return nil, c.argErr(1, describe(c.SInfo(1)), "a tuple")
	}
	taken := map[int64]bool{}
	for i, n := range indices {
		switch {
		case n == -1:
			continue
		case n < 0 || n >= int64(len(args.Fields)):
			return nil, c.attrErr("inplace_indices", formatInts(indices), "indices from -1 to %d", len(args.Fields)-1)
		case taken[n]:
			return nil, c.attrErr("inplace_indices", formatInts(indices), "each argument at most once")
		}
		taken[n] = true
		if c.IsBaseOf(results[i], args.Fields[n]) != relax.True {
			return nil, c.argErr(1, describe(args.Fields[n])+" as entry "+strconv.FormatInt(n, 10), "%s, the struct info of result %d", describe(results[i]), i)
		}
	}
	if len(taken) == 0 {
		return nil, c.attrErr("inplace_indices", formatInts(indices), "at least one argument (or use relax.call_tir)")
	}
	return out, nil
}

// otherCalls call what only a host language, a device mesh or training has.
func otherCalls() []*Op {
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

// like returns a rule whose result has the struct info of argument i.
func like(i int) InferFunc {
	return func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) { return c.SInfo(i), nil }
}
