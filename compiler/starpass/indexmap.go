package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// indexMapType is tir.IndexMap: from_func makes one of a function, and AXIS_SEPARATOR stands in what the function of transform_layout returns.
func indexMapType() starlark.Value {
	t := typeOfNodes[*tir.IndexMap]("IndexMap")
	t.members = starlark.StringDict{"AXIS_SEPARATOR": axisSeparator{}, "from_func": builtin("from_func", indexMapBuiltin)}
	return t
}

// indexMapBuiltin is IndexMap.from_func(mapping_function, ndim, inverse_index_map, index_dtype).
func indexMapBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var fn, ndim, inverse starlark.Value
	name := "int64"
	err := starlark.UnpackArgs(b.Name(), args, kwargs, "mapping_function", &fn, "ndim?", &ndim, "inverse_index_map?", &inverse, "index_dtype?", &name)
	if err != nil {
		return nil, err
	}
	d, err := dtype.Parse(name)
	if err != nil {
		return nil, fmt.Errorf("from_func: %w", err)
	}
	if !d.IsInteger() || d.Lanes != 1 {
		return nil, fmt.Errorf("from_func: index_dtype is %s, expected an integer", d)
	}
	m, err := indexMapOf(t, fn, ndim, d)
	if err != nil {
		return nil, fmt.Errorf("from_func: %w", err)
	}
	if inverse != nil && inverse != starlark.None {
		if m.Inverse, err = indexMapOf(t, inverse, starlark.MakeInt(len(m.Final)), d); err != nil {
			return nil, fmt.Errorf("from_func: inverse_index_map: %w", err)
		}
		if len(m.Inverse.Final) != len(m.Initial) {
			return nil, fmt.Errorf("from_func: inverse_index_map leads to %d indices, expected %d", len(m.Inverse.Final), len(m.Initial))
		}
	}
	return &Node{m}, runOf(t).alloc(int64(128 * (1 + len(m.Initial) + len(m.Final))))
}

func indexMapOf(t *starlark.Thread, fn, ndim starlark.Value, d dtype.DType) (*tir.IndexMap, error) {
	if n, ok := fn.(*Node); ok {
		if m, ok := n.n.(*tir.IndexMap); ok {
			return m, nil
		}
	}
	x, err := functionArg(t, fn)
	if err != nil {
		return nil, err
	}
	f, ok := x.(*sch.Lambda)
	if !ok {
		return nil, fmt.Errorf("expected a function from indices to indices, got %s", describe(fn))
	}
	n := len(f.Params)
	if ndim != nil && ndim != starlark.None {
		k, err := intArg(ndim)
		if err != nil || k < 0 || k > 1<<10 {
			return nil, fmt.Errorf("ndim is %s, expected a number of indices", describe(ndim))
		}
		n = int(k)
	} else if f.Params == nil {
		return nil, errors.New("the function takes any number of indices: give ndim")
	}
	m, separators, err := f.IndexMap(n, d)
	if err == nil && len(separators) > 0 {
		err = errors.New("axis separators mean nothing here")
	}
	return m, err
}
