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
