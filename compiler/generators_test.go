package compiler

import (
	"testing"

	"github.com/irscope/irscope/target"
)

// TestEveryKindHasAGenerator compares the table of code generators with that of kinds.
func TestEveryKindHasAGenerator(t *testing.T) {
	if len(generators) != len(target.CodeKinds()) {
		t.Errorf("%d generators for %d kinds", len(generators), len(target.CodeKinds()))
	}
	eng := NewEngine()
	defer eng.Close()
	for _, k := range target.CodeKinds() {
		g, err := generatorOf(k.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		l := g.loader(EngineOptions{})
		if bits := l.PtrBits(); bits != 0 && bits != k.PtrBits {
			t.Errorf("kernels of kind %s have pointers of %d bits, their loader reads %d", k.Name, k.PtrBits, bits)
		}
		lib, err := g.build(t.Context(), nil, target.Of(k.Name))
		if err != nil || lib.Format != l.Format() {
			t.Errorf("kind %s: format %+v, its loader takes %s (%v)", k.Name, lib, l.Format(), err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := generatorOf("abacus"); err == nil {
		t.Error("there is a generator for abaci")
	}
}
