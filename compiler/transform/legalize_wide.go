package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/abi"
)

// maxParts is how many tensors one kernel joins, or cuts another one into. A kernel has abi.MaxArgs arguments at the
// most; the other half is for those of what is fused with it.
const maxParts = abi.MaxArgs / 2

// wideForm returns what a call becomes that joins or cuts more tensors than a kernel takes, nil for others: it does so
// in two steps, over groups of them.
func wideForm(e relax.Expr) op.LegalizeFunc {
	call, ok := e.(*relax.Call)
	if !ok || len(call.Args) != 1 {
		return nil
	}
	switch opName(call) {
	case "relax.concat", "relax.stack":
		if n, _ := fieldCount(relax.SInfoOf(call.Args[0])); n > maxParts {
			return joinGroups
		}
	case "relax.split":
		if n, _ := fieldCount(call.SInfo); n > maxParts && partEnds(call) != nil {
			return splitGroups
		}
	}
	return nil
}

// joinGroups joins groups of tensors, and what comes of them.
func joinGroups(bb *relax.BlockBuilder, call *relax.Call) (relax.Expr, error) {
	all := call.Args[0]
	var fields []relax.Expr
	if t, ok := all.(*relax.Tuple); ok {
		fields = t.Fields
	} else {
		n, _ := fieldCount(relax.SInfoOf(all))
		for i := range n {
			v, err := bb.Emit(&relax.TupleGetItem{Tuple: all, Index: i}, "")
			if err != nil {
				return nil, err
			}
			fields = append(fields, v)
		}
	}
	var joined []relax.Expr
	for group := range slices.Chunk(fields, maxParts) {
		v, err := bb.Emit(&relax.Call{Op: call.Op, Args: []relax.Expr{&relax.Tuple{Fields: group}}, Attrs: call.Attrs}, "")
		if err != nil {
			return nil, err
		}
		joined = append(joined, v)
	}
	return op.Concat(call.Attrs.Int("axis", 0), joined...), nil
}

// partEnds returns where the parts end that a call of split cuts a tensor into, nil where that is symbolic: an operator
// cuts at constants.
func partEnds(call *relax.Call) []int64 {
	axis, at := call.Attrs.Int("axis", 0), int64(0)
	var ends []int64
	for _, f := range call.SInfo.(*relax.TupleStructInfo).Fields {
		part, ok := f.(*relax.TensorStructInfo)
		if !ok {
			return nil
		}
		dims, ok := part.StaticDims()
		if !ok || len(dims) == 0 {
			return nil
		}
		at += dims[(axis+int64(len(dims)))%int64(len(dims))]
		ends = append(ends, at)
	}
	return ends
}

// splitGroups cuts a tensor into what groups of the parts take of it, and these into the parts.
func splitGroups(bb *relax.BlockBuilder, call *relax.Call) (relax.Expr, error) {
	axis := call.Attrs.Int("axis", 0)
	groups := slices.Collect(slices.Chunk(partEnds(call), maxParts))
	cuts := []int64{0}
	for _, g := range groups[:len(groups)-1] {
		cuts = append(cuts, g[len(g)-1])
	}
	whole, err := bb.Emit(op.SplitAt(call.Args[0], axis, cuts[1:]...), "")
	if err != nil {
		return nil, err
	}
	var parts []relax.Expr
	for i, g := range groups {
		part, err := bb.Emit(&relax.TupleGetItem{Tuple: whole, Index: i}, "")
		if err != nil {
			return nil, err
		}
		inner := g[:len(g)-1]
		for j := range inner {
			inner[j] -= cuts[i]
		}
		of, err := bb.Emit(op.SplitAt(part, axis, inner...), "")
		if err != nil {
			return nil, err
		}
		for j := range g {
			v, err := bb.Emit(&relax.TupleGetItem{Tuple: of, Index: j}, "")
			if err != nil {
				return nil, err
			}
			parts = append(parts, v)
		}
	}
	return &relax.Tuple{Fields: parts}, nil
}
