package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// maxNested bounds the nesting of the lists and dictionaries in attributes.
const maxNested = 32

// attrValue returns v as the value of an attribute.
func attrValue(v starlark.Value, depth int) (ir.Value, error) {
	if depth > maxNested {
		return nil, fmt.Errorf("an attribute is nested more than %d deep", maxNested)
	}
	v, err := plain(v)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		return bool(v), nil
	case starlark.Int:
		n, ok := v.Int64()
		if !ok {
			return nil, errors.New("the integer needs more than 64 bits")
		}
		return n, nil
	case starlark.Float:
		return float64(v), nil
	case starlark.String:
		return string(v), nil
	case *Node:
		return v.n, nil
	case *starlark.Dict:
		var out *ir.Attrs
		for k, x := range v.Entries() {
			key, ok := starlark.AsString(k)
			if !ok {
				return nil, fmt.Errorf("keys of attributes are strings, got %s", describe(k))
			}
			y, err := attrValue(x, depth+1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			out = out.With(key, y)
		}
		if out == nil {
			return ir.NewAttrs(), nil
		}
		return out, nil
	case starlark.Iterable:
		out := []ir.Value{}
		for x := range starlark.Elements(v) {
			y, err := attrValue(x, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, y)
			if len(out) > maxSpread {
				return nil, fmt.Errorf("an attribute has more than %d entries", maxSpread)
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("an attribute cannot hold %s", describe(v))
}

func attrsOf(v starlark.Value) (*ir.Attrs, error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	d, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("expected a dict, got %s", describe(v))
	}
	x, err := attrValue(d, 0)
	if err != nil {
		return nil, err
	}
	a := x.(*ir.Attrs)
	if a.Len() == 0 {
		return nil, nil
	}
	return a, nil
}

func dtypeOf(v starlark.Value) (dtype.DType, error) {
	s, ok := starlark.AsString(v)
	if !ok {
		return dtype.Void, fmt.Errorf("expected an element type such as \"float32\", got %s", describe(v))
	}
	return dtype.Parse(s)
}

// eachOf calls f for the entries of a list or tuple.
func eachOf(v starlark.Value, f func(starlark.Value) error) error {
	it, ok := v.(starlark.Iterable)
	if _, dict := v.(*starlark.Dict); !ok || dict {
		return fmt.Errorf("expected a list, got %s", describe(v))
	}
	if n := shallow(v); n > maxNodes {
		return fmt.Errorf("a list of %d entries, more than the limit of %d", n, maxNodes)
	}
	for x := range starlark.Elements(it) {
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

// maxNodes bounds the lists that fields of nodes are set to.
const maxNodes = 1 << 20
