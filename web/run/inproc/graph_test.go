package inproc_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	models "github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments/flow"
	"github.com/irscope/irscope/instruments/flow/fromir"
	"github.com/irscope/irscope/web/run/inproc"
)

// TestGraphs compares the graphs that are made of texts with those made of the IR, for
// everything that passes make of the gallery. Texts tell buffers of one name apart, the IR
// does not; so loop nests are compared without names.
func TestGraphs(t *testing.T) {
	for _, model := range models.Models() {
		t.Run(model.Name, func(t *testing.T) {
			file, err := onnxpb.Read(model.Bytes, onnxpb.Options{})
			if err != nil {
				t.Fatal(err)
			}
			m, err := onnx.Import(t.Context(), file, onnx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			seen := 0
			watch := &pass.Instrument{Name: "watch", RunAfterPass: func(m *ir.Module, s *pass.Step) error {
				m.EachChange(s.Input, func(name string, _, after ir.Function) {
					if after == nil {
						return
					}
					seen++
					text := script.Function(name, after, script.Options{})
					sameGraph(t, s.Pass.Name+" "+name, text.Source, fromir.Of(name, after, text))
				})
				return nil
			}}
			if _, err := compiler.Passes(t.Context(), compiler.Request{Module: m, Instruments: []*pass.Instrument{watch}}); err != nil {
				t.Fatal(err)
			}
			if seen < 50 {
				t.Errorf("%d functions were compared, expected a pipeline of them", seen)
			}
		})
	}
}

func sameGraph(t *testing.T, what, text string, want *flow.Graph) {
	t.Helper()
	got, err := inproc.New(inproc.Config{}).Graph(t.Context(), text)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if got.Form == flow.Loops {
		got, want = withoutNames(got), withoutNames(want)
	}
	if reflect.DeepEqual(got, want) {
		return
	}
	for i := range min(len(got.Nodes), len(want.Nodes)) {
		if !reflect.DeepEqual(got.Nodes[i], want.Nodes[i]) {
			t.Errorf("%s: node %d is\n%+v\nexpected\n%+v", what, i, got.Nodes[i], want.Nodes[i])
			return
		}
	}
	t.Errorf("%s: %d nodes, %d edges, expected %d, %d", what, len(got.Nodes), len(got.Edges), len(want.Nodes), len(want.Edges))
}

// numbered finds accesses of buffers whose names have a number that tells them apart.
var numbered = regexp.MustCompile(`(\w)_\d+\[`)

func withoutNames(g *flow.Graph) *flow.Graph {
	out := *g
	out.Nodes = nil
	for _, n := range g.Nodes {
		n.ID, n.Name, n.Label, n.Info = "", "", "", ""
		n.Detail = numbered.ReplaceAllString(n.Detail, "$1[") // in what a block reads and writes
		out.Nodes = append(out.Nodes, n)
	}
	return &out
}

// TestGraphOfBadText hands texts over that are no functions.
func TestGraphOfBadText(t *testing.T) {
	r := inproc.New(inproc.Config{})
	for text, want := range map[string]string{
		"":                       "no module or function",
		"(module (func))":        "does not parse",
		"@R.function\ndef f(x":   "function:2:",
		"x = 1":                  "no module or function",
		strings.Repeat("(", 999): "does not parse",
	} {
		if _, err := r.Graph(t.Context(), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v, expected an error with %q", text, err, want)
		}
	}
	// A function that calls itself needs no stub of itself.
	g, err := r.Graph(t.Context(), "@R.function(pure=False)\ndef f(x: R.Tensor((4,), \"float32\")) -> R.Tuple:\n    cls.f(x)\n    cls.g(x)\n    return R.tuple()\n")
	if err != nil || g.Name != "f" || len(g.Nodes) != 4 {
		t.Errorf("%+v, %v", g, err)
	}
}
