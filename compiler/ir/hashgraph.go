package ir

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/irscope/irscope/runtime/dtype"
)

// The graph is the first of the two passes of the structural hash (see hash.go): one reflective walk
// that turns nodes into flat arrays, so that the second pass, which knows about scopes, touches no
// interface, no map and no reflection.
//
// Nodes are entered bottom up, each once. What has no children is folded into the hash on the edge that
// leads to it, and so is a node with a handful of such children: most nodes of a program are leaves or
// nearly leaves, and remembering them would cost more than hashing them again. Edges of a node that is
// not complete wait on a stack and are moved to their place when it is.

// graph is what a hash is made of: the distinct nodes below one with the hashes of what they
// hold themselves, and the edges between them in the order in which equality looks at them.
type graph struct {
	nodes []graphNode
	edges []edge
	vars  int32
}

type graphNode struct {
	hash       uint64 // of the type and all fields that are no nodes
	closed     uint64 // of the type and all fields, if nobody defines a variable
	first, end int32  // its edges
	height     int32  // scopes one in another, the node itself included
	num        int32  // among the variables, or among the others
	isVar      bool
	isView     bool
	hasDef     bool
	scope      bool
}

// edge leads to a node, or is the hash of one without nodes below it.
type edge struct {
	hash   uint64
	to     int32 // -1 for a hash
	def    bool
	direct bool
	alone  bool // what is defined below holds for nothing else
	small  bool // the hash is of a node with leaves below it
}

// grapher makes a graph.
type grapher struct {
	graph
	index map[unsafe.Pointer]int32 // of nodes; as keys, pointers take half the time of interfaces
	stack []edge                   // of nodes that are not complete
}

// node enters the node of schema s that v points at, and all below it, and returns an
// edge to it.
func (g *grapher) node(s *Schema, v reflect.Value) edge {
	if s.leaf && !s.isVar {
		return edge{hash: g.fields(s, v.Elem()), to: -1}
	}
	p := v.UnsafePointer()
	if i, ok := g.index[p]; ok {
		return edge{to: i}
	}
	base := len(g.stack)
	x := g.fields(s, v.Elem())
	if !s.isVar && g.small(base) {
		for _, e := range g.stack[base:] {
			x = mix(x, e.hash)
		}
		g.stack = g.stack[:base]
		return edge{hash: x, to: -1, small: true}
	}
	out := graphNode{
		hash: x, closed: x, first: int32(len(g.edges)),
		isVar: s.isVar, isView: s.isView, hasDef: s.hasDef, scope: s.scope,
	}
	for i := range g.stack[base:] {
		e := &g.stack[base+i]
		if e.to < 0 {
			out.closed = mix(out.closed, e.hash)
			continue
		}
		out.closed = mix(out.closed, g.nodes[e.to].closed)
		if to := &g.nodes[e.to]; !to.isVar || e.def && e.direct {
			height := to.height
			if e.alone {
				height++
			}
			out.height = max(out.height, height)
		}
	}
	if s.scope {
		out.height++
	}
	g.edges = append(room(g.edges, len(g.stack)-base), g.stack[base:]...)
	g.stack = g.stack[:base]
	out.end = int32(len(g.edges))
	i := int32(len(g.nodes))
	if out.num = i - g.vars; s.isVar {
		out.num = g.vars
		g.vars++
	}
	g.nodes = append(room(g.nodes, 1), out)
	g.index[p] = i
	return edge{to: i}
}

// room returns xs with room for n more. It doubles: append would copy large slices more often.
func room[T any](xs []T, n int) []T {
	if cap(xs)-len(xs) >= n {
		return xs
	}
	return slices.Grow(xs, max(n, len(xs)))
}

// small reports whether the node with the edges from base on has nothing but a few leaves below
// it, so that it is not worth remembering.
func (g *grapher) small(base int) bool {
	es := g.stack[base:]
	return len(es) <= 8 && !slices.ContainsFunc(es, func(e edge) bool { return e.to >= 0 || e.small })
}

func (g *grapher) fields(s *Schema, v reflect.Value) uint64 {
	x := s.hash
	for i := range s.Fields {
		if f := &s.Fields[i]; !f.Hint {
			x = mix(x, g.field(f, v.Field(f.index)))
		}
	}
	return x
}

// edge notes the node in v, which may be nil, of field f, or of an attribute.
func (g *grapher) edge(v reflect.Value, f *Field) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	e := edge{hash: hashNil, to: -1}
	if v.IsValid() && !v.IsNil() {
		s := schemaOf(v.Type())
		if e = g.node(s, v); f == nil {
			e.alone = s.leaks
		} else {
			e.def, e.direct = f.Def, f.direct()
		}
	}
	g.stack = append(g.stack, e)
}

// field returns the hash of a field, of nodes their number only.
func (g *grapher) field(f *Field, v reflect.Value) uint64 {
	switch f.Kind {
	case FieldNode:
		g.edge(v, f)
		return 1
	case FieldNodes:
		for i := range v.Len() {
			g.edge(v.Index(i), f)
		}
		return uint64(v.Len())
	case FieldAttrs:
		return g.attrs(v.Interface().(*Attrs))
	case FieldBlob:
		return hashBlob(v.Interface().(*Blob))
	case FieldInt:
		return uint64(v.Int())
	case FieldUint:
		return v.Uint()
	case FieldFloat:
		return floatBits(v.Float())
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

func (g *grapher) attrs(a *Attrs) uint64 {
	x := uint64(a.Len())
	for i := range a.Len() {
		k, v := a.At(i)
		x = mix(mix(x, hashString(k)), g.value(v))
	}
	return x
}

func (g *grapher) value(v Value) uint64 {
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
		return mix(hashPrime, floatBits(v))
	case string:
		return hashString(v)
	case dtype.DType:
		return mix(uint64(v.Code)<<8|uint64(v.Bits), uint64(v.Lanes))
	case *Attrs:
		return g.attrs(v)
	case []Value:
		x := uint64(len(v))
		for _, e := range v {
			x = mix(x, g.value(e))
		}
		return x
	case Node:
		g.edge(reflect.ValueOf(v), nil)
		return 1
	}
	panic(fmt.Sprintf("ir: an attribute cannot hold a %T", v))
}
