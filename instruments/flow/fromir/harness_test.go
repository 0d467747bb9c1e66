package fromir_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments/flow"
	"github.com/irscope/irscope/instruments/flow/fromir"
)

// change is what a pass did to a function: before or after is nil where it was not there.
type change struct {
	pass, name    string
	before, after ir.Function
}

// changes compiles a model and returns what each pass changed, in order.
func changes(tb testing.TB, data []byte) []change {
	tb.Helper()
	pm, err := onnxpb.Read(data, onnxpb.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	m, err := onnx.Import(context.Background(), pm, onnx.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	var out []change
	watch := &pass.Instrument{Name: "watch", RunAfterPass: func(m *ir.Module, s *pass.Step) error {
		m.EachChange(s.Input, func(name string, before, after ir.Function) {
			out = append(out, change{s.Pass.Name, name, before, after})
		})
		return nil
	}}
	if _, err := compiler.Passes(context.Background(), compiler.Request{Module: m, Instruments: []*pass.Instrument{watch}}); err != nil {
		tb.Fatal(err)
	}
	return out
}

func galleryModel(tb testing.TB, name string) []byte {
	tb.Helper()
	m, ok := gallery.Lookup(name)
	if !ok {
		tb.Fatalf("there is no model %s", name)
	}
	return m.Bytes
}

func lightModel(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(onnxtest.Dir(tb), "light", name+".onnx"))
	if err != nil {
		tb.Skip(err)
	}
	return data
}

// find returns the change that a pass made to a function.
func find(tb testing.TB, list []change, pass, name string) change {
	tb.Helper()
	for _, c := range list {
		if c.pass == pass && c.name == name {
			return c
		}
	}
	tb.Fatalf("%s did not change %s", pass, name)
	return change{}
}

func graphOf(name string, fn ir.Function) (*flow.Graph, *script.Text) {
	if fn == nil {
		return nil, nil
	}
	text := script.Function(name, fn, script.Options{})
	return fromir.Of(name, fn, text), text
}

// dump writes a graph, a node a line: mark, kind, id, label, info, what it uses.
func dump(g *flow.Graph) string {
	var b strings.Builder
	in := make([][]string, len(g.Nodes))
	for _, e := range g.Edges {
		sign := map[flow.Mark]string{flow.Added: "+", flow.Removed: "-"}[e.Mark]
		in[e.To] = append(in[e.To], sign+g.Nodes[e.From].ID)
	}
	for i, n := range g.Nodes {
		b.WriteString(strings.TrimSpace(strings.Join([]string{
			string(n.Mark), string(n.Kind), n.ID, "|", n.Label, "|", n.Info, "|", strings.Join(n.Inline, ", "), "<-", strings.Join(in[i], " "),
		}, " ")))
		if n.Was != "" {
			b.WriteString(" was " + n.Was)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
