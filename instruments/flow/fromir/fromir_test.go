package fromir_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/instruments/flow"
	"github.com/irscope/irscope/instruments/flow/fromir"
)

// marksOf returns the marks of the nodes by id.
func marksOf(g *flow.Graph) map[string]flow.Mark {
	out := map[string]flow.Mark{}
	for _, n := range g.Nodes {
		out[n.ID] = n.Mark
	}
	return out
}

func diffOf(c change) *flow.Graph {
	b, _ := graphOf(c.name, c.before)
	a, _ := graphOf(c.name, c.after)
	return flow.Diff(b, a)
}

// TestPasses checks what the diff says of passes whose work is known.
func TestPasses(t *testing.T) {
	list := changes(t, galleryModel(t, "mlp"))
	for _, c := range []struct {
		pass string
		want map[string]flow.Mark
	}{
		// Operators become kernels under the same names; the transposition goes into the matmul.
		{"LegalizeOps", map[string]flow.Mark{"fc1_Gemm_permute_dims": flow.Removed, "fc1_Gemm_matmul": flow.Changed, "relu1_Relu": flow.Changed, "return": flow.Same}},
		// Three kernels become a call under the name of the last.
		{"FuseOps", map[string]flow.Mark{"fc1_Gemm_matmul": flow.Removed, "fc1_Gemm": flow.Removed, "relu1_Relu": flow.Changed, "return": flow.Same}},
		// The same kernels write into memory that is allocated.
		{"CallTIRRewrite", map[string]flow.Mark{"relu1_Relu": flow.Changed, "relu1_Relu:alloc": flow.Added, "return": flow.Same}},
		{"StaticPlanBlockMemory", map[string]flow.Mark{"storage": flow.Added, "relu1_Relu": flow.Same, "relu1_Relu:alloc": flow.Changed}},
		{"KillAfterLastUse", map[string]flow.Mark{"relu1_Relu:kill": flow.Added, "relu1_Relu": flow.Same}},
	} {
		d := diffOf(find(t, list, c.pass, "main"))
		marks := marksOf(d)
		for id, want := range c.want {
			if marks[id] != want {
				t.Errorf("%s: %s is %q, expected %q in\n%s", c.pass, id, marks[id], want, dump(d))
			}
		}
	}
	d := diffOf(find(t, list, "FuseOps", "main"))
	for _, n := range d.Nodes {
		if n.ID == "relu1_Relu" && (n.Was != "relu" || n.Kind != flow.Call) {
			t.Errorf("FuseOps: the new node is %+v", n)
		}
	}
}

// TestAllPasses makes the graph of every function that any pass of the default pipeline
// changes in the gallery, and checks what holds of all graphs and diffs.
func TestAllPasses(t *testing.T) {
	for _, m := range gallery.Models() {
		t.Run(m.Name, func(t *testing.T) {
			for _, c := range changes(t, m.Bytes) {
				b, _ := graphOf(c.name, c.before)
				a, text := graphOf(c.name, c.after)
				if a != nil {
					checkGraph(t, c.pass, a)
					checkLines(t, c.pass, a, strings.Split(text.Source, "\n"))
					if again := fromir.Of(c.name, c.after, text); !reflect.DeepEqual(again, a) {
						t.Fatalf("%s: %s: a second graph of the same function differs", c.pass, c.name)
					}
				}
				checkDiff(t, c.pass, b, a)
			}
		})
	}
}

func checkGraph(t *testing.T, pass string, g *flow.Graph) {
	t.Helper()
	if err := g.Check(); err != nil {
		t.Fatalf("%s: %v", pass, err)
	}
	for _, e := range g.Edges {
		if e.From >= e.To {
			t.Fatalf("%s: %s: %s is used by %s before it", pass, g.Name, g.Nodes[e.From].ID, g.Nodes[e.To].ID)
		}
	}
	data, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	var back flow.Graph
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(&back); string(again) != string(data) {
		t.Fatalf("%s: %s: JSON does not come back", pass, g.Name)
	}
}

// checkLines checks that the line of a node shows it.
func checkLines(t *testing.T, pass string, g *flow.Graph, lines []string) {
	t.Helper()
	for _, n := range g.Nodes {
		if n.Line < 1 || n.Line > len(lines) {
			if n.Kind == flow.Control || strings.HasSuffix(n.ID, ":kill") || n.Line == 0 && n.Detail == "defined outside" {
				continue
			}
			t.Fatalf("%s: %s: node %s has line %d of %d", pass, g.Name, n.ID, n.Line, len(lines))
		}
		line := lines[n.Line-1]
		want := n.Name
		switch n.Kind {
		case flow.Return:
			want = "return"
		case flow.Kernel, flow.Call, flow.Packed, flow.Op:
			want = n.Label // the name of a packed function stands in quotes, that of a kernel after cls
		}
		if !strings.Contains(line, want) {
			t.Fatalf("%s: %s: line %d of node %s is %q, expected %q on it", pass, g.Name, n.Line, n.ID, line, want)
		}
	}
}

// checkDiff checks that each side can be read off a diff again.
func checkDiff(t *testing.T, pass string, before, after *flow.Graph) {
	t.Helper()
	d := flow.Diff(before, after)
	if err := d.Check(); err != nil {
		t.Fatalf("%s: diff: %v", pass, err)
	}
	count := func(not flow.Mark) (nodes, edges int) {
		for _, n := range d.Nodes {
			if n.Mark != not {
				nodes++
			}
		}
		for _, e := range d.Edges {
			if e.Mark != not {
				edges++
			}
		}
		return nodes, edges
	}
	for _, side := range []struct {
		g   *flow.Graph
		not flow.Mark
	}{{before, flow.Added}, {after, flow.Removed}} {
		nodes, edges := count(side.not)
		if side.g == nil {
			side.g = &flow.Graph{}
		}
		if nodes != len(side.g.Nodes) || edges != len(side.g.Edges) {
			t.Fatalf("%s: %s: the diff without what is %s has %d nodes and %d edges, expected %d and %d",
				pass, d.Name, side.not, nodes, edges, len(side.g.Nodes), len(side.g.Edges))
		}
	}
}
