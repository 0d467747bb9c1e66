package irjson_test

import (
	"bytes"
	"math"
	"reflect"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/compiler/relax"
)

type fataler interface{ Fatalf(string, ...any) }

func save(t fataler, root any, enc irjson.Encoding) []byte {
	var b bytes.Buffer
	if err := irjson.Save(&b, root, irjson.Options{Blobs: enc}); err != nil {
		t.Fatalf("save: %v", err)
	}
	return b.Bytes()
}

func load(t fataler, b []byte) any {
	out, err := irjson.Load(bytes.NewReader(b), irjson.DefaultLimits())
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return out
}

// roundTrip checks that loading what was saved gives the same graph, and the same bytes again.
func roundTrip(t fataler, root any, encodings ...irjson.Encoding) any {
	var back any
	for _, enc := range encodings {
		text := save(t, root, enc)
		back = load(t, text)
		if again := save(t, back, enc); !bytes.Equal(text, again) {
			t.Fatalf("saving what was loaded gives\n%s\nexpected\n%s", again, text)
		}
		sameGraph(t, root, back)
	}
	return back
}

// sameGraph checks that a and b have nodes of the same types with the same fields in the same
// places, and share them in the same way.
func sameGraph(t fataler, a, b any) {
	type place struct {
		path string
		node ir.Node
	}
	collect := func(root any) []place {
		var out []place
		seen := map[ir.Node]bool{}
		ir.WalkPaths(root, func(p ir.Path, n ir.Node) bool {
			out = append(out, place{p.String(), n})
			first := !seen[n]
			seen[n] = true
			return first
		})
		return out
	}
	as, bs := collect(a), collect(b)
	if len(as) != len(bs) {
		t.Fatalf("%d places became %d", len(as), len(bs))
	}
	to, from := map[ir.Node]ir.Node{}, map[ir.Node]ir.Node{}
	_, isModule := a.(*ir.Module)
	for i, x := range as {
		y := bs[i]
		if x.path != y.path || reflect.TypeOf(x.node) != reflect.TypeOf(y.node) {
			t.Fatalf("%s, a %T, became %s, a %T", x.path, x.node, y.path, y.node)
		}
		old, ok := to[x.node]
		old2, ok2 := from[y.node]
		if ok != ok2 || ok && (old != y.node || old2 != x.node) {
			t.Fatalf("%s is shared otherwise", x.path)
		}
		to[x.node], from[y.node] = y.node, x.node
		if ok {
			continue
		}
		sameFields(t, x.path, x.node, y.node)
		mx, my := x.node.Meta(), y.node.Meta()
		if !reflect.DeepEqual(mx.Span, my.Span) || isModule && mx.Origin != my.Origin {
			t.Fatalf("%s has another span or origin", x.path)
		}
	}
}

// sameFields compares the fields that hold no nodes, names included.
func sameFields(t fataler, path string, a, b ir.Node) {
	for f, x := range ir.Fields(a) {
		y, _ := ir.FieldByName(b, f.Name)
		same := true
		switch f.Kind {
		case ir.FieldNode, ir.FieldNodes:
			vx, vy := reflect.ValueOf(x), reflect.ValueOf(y)
			same = vx.IsValid() == vy.IsValid() && (!vx.IsValid() || vx.IsNil() == vy.IsNil())
		case ir.FieldAttrs:
			same = ir.StructuralEqual(&relax.Call{Attrs: x.(*ir.Attrs)}, &relax.Call{Attrs: y.(*ir.Attrs)}, ir.EqualOpts{MapFreeVars: true})
		case ir.FieldBlob:
			same = x.(*ir.Blob).Digest() == y.(*ir.Blob).Digest()
		case ir.FieldFloat:
			same = math.Float64bits(x.(float64)) == math.Float64bits(y.(float64))
		default:
			same = reflect.DeepEqual(x, y)
		}
		if !same {
			t.Fatalf("%s.%s was %v and became %v", path, f.Name, x, y)
		}
	}
}
