package ir

import (
	"fmt"
	"math"
	"reflect"

	"github.com/irscope/irscope/runtime/dtype"
)

// StructuralHash returns a hash of n that equal nodes share, whether free variables are
// mapped or not. It is the same in every run of the program. Spans, origins and the names
// of variables do not enter; a free variable enters by its type only. The cost is linear in
// the number of distinct nodes; only nodes that define variables cost once for each place
// that they stand in.
func StructuralHash(n Node) uint64 {
	h := newHasher()
	return h.node(n, false, false)
}

// StructuralHashModule returns a hash of m that equal modules share. Each function enters
// with its name; their order does not matter.
func StructuralHashModule(m *Module) uint64 {
	h := newHasher()
	sum := h.attrs(m.attrs)
	for kind, infos := range m.infos {
		for i, n := range infos {
			sum += mix(mix(hashString(kind), uint64(i)), StructuralHash(n))
		}
	}
	for gv, f := range m.Funcs() {
		sum += mix(hashString(gv.Name), StructuralHash(f))
	}
	return mix(sum, uint64(m.Len()))
}

type hasher struct {
	nums map[Node]uint64   // number of each variable that was defined
	free map[Node]struct{} // variables that were used before or without a definition
	next uint64            // definitions so far
	memo map[Node]uint64   // of nodes that define nothing
}

func newHasher() *hasher {
	return &hasher{nums: map[Node]uint64{}, free: map[Node]struct{}{}, memo: map[Node]uint64{}}
}

const (
	hashSeed  = 0x9e3779b97f4a7c15
	hashPrime = 0xd6e8feb86659fd93
	hashNil   = 0x5851f42d4c957f2d
)

// mix folds x into h (the finalizer of splitmix-like generators, once for each word).
func mix(h, x uint64) uint64 {
	h = (h ^ x) * hashPrime
	return h ^ h>>32
}

func hashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

func (h *hasher) node(n Node, def, direct bool) uint64 {
	if isNil(n) {
		return hashNil
	}
	v := reflect.ValueOf(n)
	s := schemaOf(v.Type())
	if s.isVar {
		return h.variable(s, n, v, def, direct)
	}
	if s.leaf {
		return h.fields(s, v.Elem(), def)
	}
	if x, ok := h.memo[n]; ok {
		return x
	}
	before := h.next
	x := h.fields(s, v.Elem(), def && !s.hasDef)
	if h.next == before {
		h.memo[n] = x
	}
	return x
}

func (h *hasher) variable(s *Schema, n Node, v reflect.Value, def, direct bool) uint64 {
	num, known := h.nums[n]
	if known && !direct {
		return mix(hashSeed, num)
	}
	if !def {
		// What a free variable is paired with has the same fields.
		h.free[n] = struct{}{}
		return h.fields(s, v.Elem(), false)
	}
	if _, used := h.free[n]; used || known {
		h.memo = map[Node]uint64{} // what uses the variable has another hash from here on
	}
	num = h.next
	h.next++
	h.nums[n] = num
	return mix(h.fields(s, v.Elem(), true), num)
}

func (h *hasher) fields(s *Schema, v reflect.Value, def bool) uint64 {
	x := s.hash
	for i := range s.Fields {
		if f := &s.Fields[i]; !f.Hint {
			x = mix(x, h.field(f, v.Field(f.index), def || f.Def))
		}
	}
	return x
}

func (h *hasher) field(f *Field, v reflect.Value, def bool) uint64 {
	switch f.Kind {
	case FieldNode:
		if v.IsNil() {
			return hashNil
		}
		return h.node(v.Interface().(Node), def, f.Def)
	case FieldNodes:
		x := uint64(v.Len())
		for i := range v.Len() {
			n, _ := v.Index(i).Interface().(Node)
			x = mix(x, h.node(n, def, f.Def))
		}
		return x
	case FieldAttrs:
		return h.attrs(v.Interface().(*Attrs))
	case FieldBlob:
		return hashBlob(v.Interface().(*Blob))
	case FieldInt:
		return uint64(v.Int())
	case FieldUint:
		return v.Uint()
	case FieldFloat:
		return math.Float64bits(v.Float())
	case FieldBool:
		if v.Bool() {
			return 1
		}
		return 0
	case FieldString:
		return hashString(v.String())
	case FieldInts:
		x := uint64(v.Len())
		for i := range v.Len() {
			x = mix(x, uint64(v.Index(i).Int()))
		}
		return x
	case FieldValue:
		return hashStruct(v)
	}
	panic("ir: unknown field kind")
}

// hashStruct hashes a comparable struct of integers, such as a dtype.DType.
func hashStruct(v reflect.Value) uint64 {
	x := uint64(hashSeed)
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.CanInt():
			x = mix(x, uint64(f.Int()))
		case f.CanUint():
			x = mix(x, f.Uint())
		case f.Kind() == reflect.String:
			x = mix(x, hashString(f.String()))
		}
	}
	return x
}

func (h *hasher) attrs(a *Attrs) uint64 {
	x := uint64(a.Len())
	for i := range a.Len() {
		k, v := a.At(i)
		x = mix(mix(x, hashString(k)), h.value(v))
	}
	return x
}

func (h *hasher) value(v Value) uint64 {
	switch v := v.(type) {
	case nil:
		return hashNil
	case bool:
		if v {
			return 3
		}
		return 2
	case int64:
		return mix(hashSeed, uint64(v))
	case float64:
		return mix(hashPrime, math.Float64bits(v))
	case string:
		return hashString(v)
	case dtype.DType:
		return mix(uint64(v.Code)<<8|uint64(v.Bits), uint64(v.Lanes))
	case *Attrs:
		return h.attrs(v)
	case []Value:
		x := uint64(len(v))
		for _, e := range v {
			x = mix(x, h.value(e))
		}
		return x
	case Node:
		return h.node(v, false, false)
	}
	panic(fmt.Sprintf("ir: an attribute cannot hold a %T", v))
}

// hashSamples bounds the elements of a constant that enter its hash. All would cost a pass
// over the weights, and the digest tells a splat from its spelled-out form.
const hashSamples = 16

func hashBlob(b *Blob) uint64 {
	if b == nil {
		return hashNil
	}
	x := mix(uint64(b.dtype.Code)<<8|uint64(b.dtype.Bits), uint64(len(b.shape)))
	for _, d := range b.shape {
		x = mix(x, uint64(d))
	}
	n := b.NumElements()
	step := max(1, n/hashSamples)
	for i := int64(0); i < n; i += step {
		for _, c := range b.Elem(i) {
			x = (x ^ uint64(c)) * 1099511628211
		}
	}
	return x
}
