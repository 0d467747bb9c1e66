package ir

import (
	"reflect"
)

// The structural hash must give equal nodes equal hashes, so it may not depend on names or on how
// often a node is shared, and it should cost one visit per distinct node, not one per path.
//
// A bound variable is hashed as a pair of numbers: which scope defines it, and the how-many-th
// definition in that scope it is. A scope is named by its height, the number of scopes nested below it,
// rather than by its depth: the depth of a shared node changes with the place that it is reached from,
// the height of the scope around it does not. For fun(x) { fun(y) { x + y } }, x hashes as (2, 1) and y
// as (1, 1), wherever the function stands.
//
// Two passes: the grapher (hashgraph.go) flattens the nodes to arrays and computes heights bottom up;
// the hasher then walks the arrays top down and keeps a hash for as long as the variables that it read
// stand for the same definitions (see scopes).

// StructuralHash returns a hash of n that equal nodes share, whether free variables are
// mapped or not. It is the same in every run of the program. Spans, origins and the names
// of variables do not enter; a free variable enters by its type only. The cost is linear in
// the number of distinct nodes, those that define variables included; only a shared node that
// uses a variable which several nodes around it define costs once for each.
func StructuralHash(n Node) uint64 {
	if isNil(n) {
		return hashNil
	}
	s := takeHashing()
	defer s.done()
	v := reflect.ValueOf(n)
	root := s.grapher.node(schemaOf(v.Type()), v)
	s.hasher.init(&s.grapher.graph)
	return s.hasher.node(root)
}

// StructuralHashModule returns a hash of m that equal modules share. Each function enters
// with its name; their order does not matter.
func StructuralHashModule(m *Module) uint64 {
	sum := hashAttrs(m.attrs)
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

// hasher hashes the nodes of a graph, each once for all places where its variables stand for the
// same. A variable stands for the definition with its number in its scope. Of the scopes around
// a node no two have the same height, the number of scopes one in another below, so the height
// tells which of them is meant, and does not depend on the place.
type hasher struct {
	scopes
	graph    *graph
	vars     []binding // with the number 0 where there was none
	done     []hashed  // nodes that are no variables
	shadowed []shadowedVar
}

// hashed is the hash of a node and where it holds. A hash of 0 is none.
type hashed struct {
	finding
	hash uint64
}

type shadowedVar struct {
	old   binding
	n     int32
	depth int32
}

func (h *hasher) init(g *graph) {
	h.scopes = scopes{}
	h.scopes.init()
	h.graph = g
	h.shadowed = h.shadowed[:0]
	h.vars = zeros(h.vars, int(g.vars))
	h.done = zeros(h.done, len(g.nodes)-int(g.vars))
}

// zeros returns n zero values, in the memory of xs where that is enough.
func zeros[T any](xs []T, n int) []T {
	if n > cap(xs) {
		return make([]T, n)
	}
	xs = xs[:n]
	clear(xs)
	return xs
}

func (h *hasher) node(e edge) uint64 {
	if e.to < 0 {
		return e.hash
	}
	n := &h.graph.nodes[e.to]
	if n.isVar {
		return h.variable(n, e)
	}
	done, bare := &h.done[n.num], e.direct && !e.def
	if done.hash != 0 && !bare && h.holds(done.finding, e.def) {
		h.again(done.finding)
		return done.hash
	}
	reach, marks := h.begin()
	count := h.top().count
	scope := n.scope && !bare
	if scope {
		h.open(n.height)
	}
	x := h.edges(n, e.def && !n.hasDef)
	if scope {
		h.close()
	}
	f := h.end(reach, marks)
	if !bare && h.top().count == count {
		*done = hashed{f, x}
	}
	return x
}

func (h *hasher) edges(n *graphNode, def bool) uint64 {
	x := n.hash
	for i := n.first; i < n.end; i++ {
		e := h.graph.edges[i]
		if e.alone {
			x = mix(x, h.alone(e))
			continue
		}
		e.def = e.def || def
		x = mix(x, h.node(e))
	}
	return x
}

// alone hashes a node whose definitions hold for nothing else.
func (h *hasher) alone(e edge) uint64 {
	reach, marks := h.begin()
	h.open(h.graph.nodes[e.to].height + 1)
	x := h.node(e)
	h.close()
	h.end(reach, marks)
	return x
}

func (h *hasher) variable(n *graphNode, e edge) uint64 {
	v := &h.vars[n.num]
	old := *v
	known := old.num > 0 && h.live(old)
	if known && !e.direct {
		h.use(old.depth)
		return mix(mix(hashSeed, uint64(h.frames[old.depth].height)), uint64(old.num))
	}
	if !e.def {
		h.useFree()
		v.free = true
		if n.isView {
			return h.edges(n, false)
		}
		return n.closed
	}
	if known {
		h.shadowed = append(h.shadowed, shadowedVar{old, n.num, int32(len(h.frames) - 1)})
		h.renew(old.depth)
	}
	if old.free {
		h.renew(0)
	}
	if !e.direct { // elsewhere it may be known
		h.use(0)
	}
	*v = h.define()
	v.free = old.free || !e.direct
	return mix(h.edges(n, true), uint64(v.num))
}

func (h *hasher) close() {
	h.scopes.close()
	for n := len(h.shadowed); n > 0 && int(h.shadowed[n-1].depth) >= len(h.frames); n-- {
		s := &h.shadowed[n-1]
		h.vars[s.n] = s.old
		h.shadowed = h.shadowed[:n-1]
	}
}

func hashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// hashAttrs hashes attributes that are in no node.
func hashAttrs(a *Attrs) uint64 {
	s := takeHashing()
	defer s.done()
	g := &s.grapher
	root := graphNode{hash: g.attrs(a), end: int32(len(g.stack))}
	g.edges, g.stack = g.stack, g.edges
	s.hasher.init(&g.graph)
	return s.hasher.edges(&root, false)
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
