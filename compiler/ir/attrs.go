package ir

import (
	"fmt"
	"slices"
	"sort"

	"github.com/irscope/irscope/runtime/dtype"
)

// Value is the value of an attribute: nil, bool, int64, float64, string, dtype.DType,
// []Value, *Attrs (a dictionary) or a Node. Normalize turns other Go integers, floats and
// slices into these.
type Value = any

// Attrs is an immutable dictionary in order of its keys. A nil *Attrs is empty.
type Attrs struct {
	keys []string
	vals []Value
}

// NewAttrs builds a dictionary from alternating keys and values; it panics on an odd
// number of arguments or a value of another type than Value lists.
func NewAttrs(kv ...any) *Attrs {
	if len(kv)%2 != 0 {
		panic("ir: NewAttrs needs pairs of key and value")
	}
	var a *Attrs
	for i := 0; i < len(kv); i += 2 {
		a = a.With(kv[i].(string), kv[i+1])
	}
	return a
}

// SortedAttrs returns the dictionary of keys, which must ascend, with their values. It keeps
// both slices, and panics where keys do not ascend or differ in number from the values.
func SortedAttrs(keys []string, vals []Value) *Attrs {
	if len(keys) != len(vals) {
		panic("ir: SortedAttrs needs a value for each key")
	}
	for i, k := range keys {
		if i > 0 && keys[i-1] >= k {
			panic(fmt.Sprintf("ir: SortedAttrs got the key %q after %q", k, keys[i-1]))
		}
		vals[i] = Normalize(vals[i])
	}
	if len(keys) == 0 {
		return nil
	}
	return &Attrs{keys, vals}
}

// Normalize returns v as one of the types of Value; it panics where there is none.
func Normalize(v any) Value {
	switch v := v.(type) {
	case nil, bool, int64, float64, string, dtype.DType, []Value, *Attrs, Node:
		return v
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case float32:
		return float64(v)
	case []int64:
		return toValues(v)
	case []int:
		return toValues(v)
	case []string:
		return toValues(v)
	case []float64:
		return toValues(v)
	}
	panic(fmt.Sprintf("ir: an attribute cannot hold a %T", v))
}

func toValues[T any](xs []T) []Value {
	out := make([]Value, len(xs))
	for i, x := range xs {
		out[i] = Normalize(x)
	}
	return out
}

// Len is the number of entries.
func (a *Attrs) Len() int {
	if a == nil {
		return 0
	}
	return len(a.keys)
}

// At returns entry i in key order.
func (a *Attrs) At(i int) (string, Value) { return a.keys[i], a.vals[i] }

// Get returns the value of key.
func (a *Attrs) Get(key string) (Value, bool) {
	if a == nil {
		return nil, false
	}
	i, ok := slices.BinarySearch(a.keys, key)
	if !ok {
		return nil, false
	}
	return a.vals[i], true
}

// Has reports whether key is there.
func (a *Attrs) Has(key string) bool { _, ok := a.Get(key); return ok }

// With returns a dictionary in which key has value v.
func (a *Attrs) With(key string, v any) *Attrs {
	v = Normalize(v)
	if a == nil {
		return &Attrs{[]string{key}, []Value{v}}
	}
	i, ok := slices.BinarySearch(a.keys, key)
	if ok {
		out := &Attrs{a.keys, slices.Clone(a.vals)}
		out.vals[i] = v
		return out
	}
	return &Attrs{slices.Insert(slices.Clone(a.keys), i, key), slices.Insert(slices.Clone(a.vals), i, v)}
}

// Without returns a dictionary that lacks key; a itself if it had none.
func (a *Attrs) Without(key string) *Attrs {
	if !a.Has(key) {
		return a
	}
	i := sort.SearchStrings(a.keys, key)
	return &Attrs{slices.Delete(slices.Clone(a.keys), i, i+1), slices.Delete(slices.Clone(a.vals), i, i+1)}
}

// Int returns the integer (or bool as 0 or 1) at key, def where it is absent.
func (a *Attrs) Int(key string, def int64) int64 {
	switch v, _ := a.Get(key); v := v.(type) {
	case int64:
		return v
	case bool:
		if v {
			return 1
		}
		return 0
	}
	return def
}

// Float returns the number at key, def where it is absent.
func (a *Attrs) Float(key string, def float64) float64 {
	switch v, _ := a.Get(key); v := v.(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	}
	return def
}

// Bool returns the truth of the value at key, def where it is absent.
func (a *Attrs) Bool(key string, def bool) bool {
	switch v, _ := a.Get(key); v := v.(type) {
	case bool:
		return v
	case int64:
		return v != 0
	}
	return def
}

// Str returns the string at key, def where it is absent.
func (a *Attrs) Str(key, def string) string {
	if v, ok := a.Get(key); ok {
		if s, ok := v.(string); ok {
			return s
		}
	}
	return def
}

// DType returns the element type at key, Void where it is absent.
func (a *Attrs) DType(key string) dtype.DType {
	v, _ := a.Get(key)
	d, _ := v.(dtype.DType)
	return d
}

// Ints returns the list of integers at key, nil where it is absent or holds something else.
func (a *Attrs) Ints(key string) []int64 {
	v, _ := a.Get(key)
	list, ok := v.([]Value)
	if !ok {
		return nil
	}
	out := make([]int64, len(list))
	for i, x := range list {
		n, ok := x.(int64)
		if !ok {
			return nil
		}
		out[i] = n
	}
	return out
}

// holdNodes reports whether there is a node among the values.
func (a *Attrs) holdNodes() bool { return a != nil && slices.ContainsFunc(a.vals, holdsNodes) }

func holdsNodes(v Value) bool {
	switch v := v.(type) {
	case []Value:
		return slices.ContainsFunc(v, holdsNodes)
	case *Attrs:
		return v.holdNodes()
	case Node:
		return true
	}
	return false
}
