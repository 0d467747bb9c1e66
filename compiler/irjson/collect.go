package irjson

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"unsafe"

	"github.com/irscope/irscope/compiler/ir"
)

// tables are the numbered things of a file, in the order in which they were met. What is met
// in which order depends on the graph only.
type tables struct {
	nodes   []ir.Node
	index   map[ir.Node]int
	sources []*ir.Source
	source  map[*ir.Source]int
	blobs   []*ir.Blob
	blob    map[*ir.Blob]int
	data    [][]byte // what blobs store; several may be views of one
	datum   map[dataKey]int
	origins []ir.Origin // of a module; a node alone has none
}

type dataKey struct {
	start *byte
	size  int
}

func keyOf(b []byte) dataKey {
	if len(b) == 0 {
		return dataKey{}
	}
	return dataKey{unsafe.SliceData(b), len(b)}
}

func isNil(n ir.Node) bool {
	if n == nil {
		return true
	}
	v := reflect.ValueOf(n)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// collect numbers everything below root: a node after all that it refers to. It keeps its own
// stack, since trees may be deeper than the one of a goroutine.
func collect(root any) (*tables, error) {
	t := &tables{
		index: map[ir.Node]int{}, source: map[*ir.Source]int{}, blob: map[*ir.Blob]int{}, datum: map[dataKey]int{},
	}
	switch r := root.(type) {
	case *ir.Module:
		for _, n := range moduleNodes(r) {
			if err := t.node(root, n); err != nil {
				return nil, err
			}
		}
		for i := range r.Origins().Len() {
			o := r.Origins().Get(ir.OriginID(i + 1))
			t.origins = append(t.origins, o)
			t.span(o.Span)
		}
	case ir.Node:
		if isNil(r) {
			return nil, errors.New("irjson: there is no node to save")
		}
		return t, t.node(root, r)
	default:
		return nil, fmt.Errorf("irjson: cannot save a %T, expected a module or a node", root)
	}
	return t, nil
}

// moduleNodes lists the nodes that a module holds itself, in a fixed order.
func moduleNodes(m *ir.Module) []ir.Node {
	var out []ir.Node
	for gv, f := range m.Funcs() {
		out = append(out, gv, f)
	}
	out = attrNodes(out, m.Attrs())
	for _, kind := range slices.Sorted(maps.Keys(m.GlobalInfos())) {
		out = append(out, m.GlobalInfos()[kind]...)
	}
	return out
}

// pending is a node whose children are being numbered.
type pending struct {
	node     ir.Node
	children []ir.Node
}

// onStack marks nodes in tables.index that are pending.
const onStack = -1

func (t *tables) node(root any, n ir.Node) error {
	var stack []pending
	push := func(n ir.Node) error {
		if i, ok := t.index[n]; ok {
			if i == onStack {
				return fmt.Errorf("irjson: a %s refers to itself", ir.TypeName(n))
			}
			return nil
		}
		children, err := t.open(n)
		if err != nil {
			p, _ := ir.PathOf(root, n)
			return fmt.Errorf("irjson: cannot save %s: %w", p, err)
		}
		t.index[n] = onStack
		stack = append(stack, pending{n, children})
		return nil
	}
	if err := push(n); err != nil {
		return err
	}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.children) == 0 {
			t.index[top.node] = len(t.nodes)
			t.nodes = append(t.nodes, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		c := top.children[0]
		top.children = top.children[1:]
		if err := push(c); err != nil {
			return err
		}
	}
	return nil
}

// open numbers the source and the constants of n and returns the nodes that it refers to.
func (t *tables) open(n ir.Node) ([]ir.Node, error) {
	v := reflect.ValueOf(n)
	if v.Kind() != reflect.Pointer || types().typeOf(v.Elem()) == nil {
		return nil, fmt.Errorf("a %s has no type key", ir.TypeName(n))
	}
	v = v.Elem()
	nt := types().typeOf(v)
	t.span(n.Meta().Span)
	var out []ir.Node
	for i := range nt.fields {
		f := &nt.fields[i]
		switch x := v.Field(f.StructIndex()); f.Kind {
		case ir.FieldNode:
			if c, _ := x.Interface().(ir.Node); !isNil(c) {
				out = append(out, c)
			}
		case ir.FieldNodes:
			for j := range x.Len() {
				if c, _ := x.Index(j).Interface().(ir.Node); !isNil(c) {
					out = append(out, c)
				}
			}
		case ir.FieldAttrs:
			out = attrNodes(out, x.Interface().(*ir.Attrs))
		case ir.FieldBlob:
			t.constant(x.Interface().(*ir.Blob))
		}
	}
	return out, nil
}

func attrNodes(out []ir.Node, v ir.Value) []ir.Node {
	switch v := v.(type) {
	case *ir.Attrs:
		for i := range v.Len() {
			_, e := v.At(i)
			out = attrNodes(out, e)
		}
	case []ir.Value:
		for _, e := range v {
			out = attrNodes(out, e)
		}
	case ir.Node:
		if !isNil(v) {
			out = append(out, v)
		}
	}
	return out
}

func (t *tables) span(s *ir.Span) {
	if s == nil || s.Source == nil {
		return
	}
	if _, ok := t.source[s.Source]; !ok {
		t.source[s.Source] = len(t.sources)
		t.sources = append(t.sources, s.Source)
	}
}

func (t *tables) constant(b *ir.Blob) {
	if b == nil {
		return
	}
	if _, ok := t.blob[b]; ok {
		return
	}
	t.blob[b] = len(t.blobs)
	t.blobs = append(t.blobs, b)
	if k := keyOf(b.Stored()); !hasKey(t.datum, k) {
		t.datum[k] = len(t.data)
		t.data = append(t.data, b.Stored())
	}
}

func hasKey[K comparable, V any](m map[K]V, k K) bool { _, ok := m[k]; return ok }
