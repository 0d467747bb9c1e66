package graph

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/flow"
	"pgregory.net/rapid"
)

func render(t interface{ Fatalf(string, ...any) }, g *flow.Graph) string {
	l, err := Of(context.Background(), g)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var b bytes.Buffer
	if err := Render(&b, l, Options{}); err != nil {
		t.Fatalf("%v", err)
	}
	if err := Minimap(&b, l); err != nil {
		t.Fatalf("%v", err)
	}
	return b.String()
}

// attributes are all that a drawing may have: nothing that a policy without unsafe-inline
// would refuse, and nothing that refers to anywhere.
var attributes = map[string]bool{
	"xmlns": true, "class": true, "width": true, "height": true, "viewBox": true, "role": true, "aria-label": true, "aria-hidden": true,
	"focusable": true, "tabindex": true, "transform": true, "d": true, "x": true, "y": true, "rx": true, "cx": true, "cy": true, "r": true,
	"data-index": true, "data-id": true, "data-kind": true, "data-name": true, "data-line": true, "data-was-line": true, "data-mark": true,
	"data-from": true, "data-to": true, "data-arg": true, "data-callee": true, "data-parent": true, "data-group": true, "data-in": true, "data-names": true, "aria-level": true,
}

// TestRenderRandom draws graphs with any text and checks that the result is well formed and
// has no element or attribute but those expected.
func TestRenderRandom(t *testing.T) {
	elements := map[string]bool{"svg": true, "g": true, "path": true, "rect": true, "circle": true, "text": true, "title": true}
	seed.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		for i := range g.Nodes {
			g.Nodes[i].ID += rapid.String().Draw(t, "id")
			g.Nodes[i].Name, g.Nodes[i].Detail = rapid.String().Draw(t, "name"), rapid.String().Draw(t, "detail")
		}
		d := xml.NewDecoder(strings.NewReader(render(t, g)))
		nodes := 0
		for {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			e, ok := tok.(xml.StartElement)
			if !ok {
				continue
			}
			if !elements[e.Name.Local] {
				t.Fatalf("element %s", e.Name.Local)
			}
			for _, a := range e.Attr {
				if !attributes[a.Name.Local] {
					t.Fatalf("attribute %s of %s", a.Name.Local, e.Name.Local)
				}
				if a.Name.Local == "role" && a.Value == "listitem" {
					nodes++
				}
			}
		}
		if nodes != len(g.Nodes) {
			t.Fatalf("%d nodes are drawn of %d", nodes, len(g.Nodes))
		}
	})
}

func TestHostileNames(t *testing.T) {
	bad := `"><script>alert(1)</script><g onload='x'` + "\x00\x1b\xff]]>&amp;"
	g := &flow.Graph{
		Name: bad, Form: flow.Form(bad), Clusters: []flow.Cluster{{ID: bad, Label: bad}},
		Nodes: []flow.Node{{ID: bad, Name: bad, Label: bad, Info: bad, Inline: []string{bad}, Kind: flow.Kind(bad), Detail: bad, Mark: flow.Mark(bad), Was: bad, WasName: bad, Cluster: 1}},
	}
	out := render(t, g)
	for _, s := range []string{"<script", "<g onload", "\x00", "\x1b", "\xff"} {
		if strings.Contains(out, s) {
			t.Errorf("the drawing contains %q:\n%s", s, out)
		}
	}
}

// TestMarks checks that marks can be told without colours, and what a script needs to go to
// the line.
func TestMarks(t *testing.T) {
	g := &flow.Graph{Name: "main", Form: flow.Dataflow, Diff: true, Nodes: []flow.Node{
		{ID: "a", Name: "a", Label: "nn.conv2d", Kind: flow.Op, Mark: flow.Removed, Line: 7},
		{ID: "b", Name: "b", Label: "fused", Kind: flow.Kernel, Mark: flow.Changed, Was: "relu", Line: 3, WasLine: 8},
		{ID: "c", Name: "c", Label: "new", Kind: flow.Kernel, Mark: flow.Added, Line: 4},
		{ID: "d", Name: "d", Label: "old", Kind: flow.Return, Mark: flow.Same, Line: 5, WasLine: 9},
	}, Edges: []flow.Edge{{From: 0, To: 1, Mark: flow.Removed}, {From: 1, To: 2, Mark: flow.Added}}}
	out := render(t, g)
	for _, want := range []string{
		`class="g-node k-op m-removed" role="listitem" tabindex="0"`, `>−</text>`, `>+</text>`, `>●</text>`, `class="g-second"`,
		`data-id="b" data-kind="kernel" data-name="b" data-line="3" data-was-line="8" data-mark="changed" aria-label="changed, kernel, fused, as b, was relu, line 3"`,
		`class="g-edge m-removed" data-from="0" data-to="1"`, `aria-label="Dataflow of main: 4 nodes, 1 added, 1 removed, 1 changed"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the drawing lacks %s:\n%s", want, out)
		}
	}
	if strings.Count(out, "g-sign") != 3 {
		t.Error("a node that did not change has a sign")
	}
}

// TestSheet checks that the style sheet knows the classes that are drawn.
func TestSheet(t *testing.T) {
	sheet, err := os.ReadFile("../../static/css/graph.css")
	if err != nil {
		t.Fatal(err)
	}
	g := &flow.Graph{Form: flow.Dataflow, Clusters: []flow.Cluster{{ID: "c", Label: "then"}}}
	for i, m := range marks {
		g.Nodes = append(g.Nodes, flow.Node{ID: fmt.Sprint(i), Label: "x", Info: "y", Mark: m, Kind: flow.Op, Cluster: i % 2})
		g.Edges = append(g.Edges, flow.Edge{From: i, To: (i + 1) % len(marks), Mark: m, Order: i == 0})
	}
	for _, m := range regexp.MustCompile(`class="([^"]*)"`).FindAllStringSubmatch(render(t, g), -1) {
		for _, c := range strings.Fields(m[1]) {
			if c == "m-same" || c == "m-changed" && strings.Contains(m[1], "g-edge") || c == "f-dataflow" {
				continue // looks like any other
			}
			if !strings.Contains(string(sheet), "."+c) {
				t.Errorf("graph.css has no rule for .%s", c)
			}
		}
	}
}

// FuzzLayout lays out whatever JSON describes.
func FuzzLayout(f *testing.F) { f.Fuzz(rapid.MakeFuzz(fuzzLayout)) }

func fuzzLayout(t *rapid.T) {
	layout(t, anyGraph(t))
}

func BenchmarkRender(b *testing.B) {
	l, err := Of(b.Context(), residual(2000))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := Render(io.Discard, l, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
