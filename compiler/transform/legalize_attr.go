package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// attr returns an attribute, its default where the call leaves it out.
func (k *kernel) attr(name string) ir.Value {
	if v, ok := k.call.Attrs.Get(name); ok {
		return v
	}
	if k.op != nil {
		if a := k.op.Attr(name); a != nil {
			return a.Default
		}
	}
	return nil
}

func (k *kernel) attrs(name string) *ir.Attrs { return ir.NewAttrs(name, k.attr(name)) }

func (k *kernel) float(name string) float64 { return k.attrs(name).Float(name, 0) }

func (k *kernel) int(name string) int64 { return k.attrs(name).Int(name, 0) }

func (k *kernel) bool(name string) bool { return k.attrs(name).Bool(name, false) }

func (k *kernel) str(name string) string { return k.attrs(name).Str(name, "") }

func (k *kernel) dtype(name string) dtype.DType { return k.attrs(name).DType(name) }

// ints returns a list; nil is None.
func (k *kernel) ints(name string) []int64 {
	if n, ok := k.attr(name).(int64); ok {
		return []int64{n}
	}
	return k.attrs(name).Ints(name)
}

// axis returns an axis of a tensor of ndim dimensions, and whether it is given.
func (k *kernel) axis(name string, ndim int) (int, bool) {
	n, ok := k.attr(name).(int64)
	if ok && n < 0 {
		n += int64(ndim)
	}
	return int(n), ok
}

// axes returns a list of axes of a tensor of ndim dimensions; nil is None.
func (k *kernel) axes(name string, ndim int) []int {
	list := k.ints(name)
	if list == nil {
		if v, ok := k.attr(name).([]ir.Value); ok && len(v) == 0 {
			return []int{}
		}
		return nil
	}
	out := make([]int, len(list))
	for i, a := range list {
		if a < 0 {
			a += int64(ndim)
		}
		out[i] = int(a)
	}
	return out
}

// floats returns a list of numbers; nil if it holds something else.
func (k *kernel) floats(name string) []float64 {
	list, _ := k.attr(name).([]any)
	var out []float64
	for _, v := range list {
		switch v := v.(type) {
		case float64:
			out = append(out, v)
		case int64:
			out = append(out, float64(v))
		default:
			return nil
		}
	}
	return out
}
