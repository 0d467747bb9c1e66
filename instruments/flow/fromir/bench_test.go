package fromir_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments/flow"
	"github.com/irscope/irscope/instruments/flow/fromir"
)

// BenchmarkResNet makes the graphs of ResNet-50 before and after LegalizeOps, and their diff.
func BenchmarkResNet(b *testing.B) {
	c := find(b, changes(b, lightModel(b, "light_resnet50")), "LegalizeOps", "main")
	before, after := script.Function(c.name, c.before, script.Options{}), script.Function(c.name, c.after, script.Options{})
	b.ReportAllocs()
	for b.Loop() {
		x, y := fromir.Of(c.name, c.before, before), fromir.Of(c.name, c.after, after)
		if d := flow.Diff(x, y); len(d.Nodes) < 500 {
			b.Fatalf("%d nodes", len(d.Nodes))
		}
	}
}
