package web

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/run"
)

func TestLabel(t *testing.T) {
	for want, s := range map[string]run.Settings{
		"O2":                               {OptLevel: 2, Target: "wasm", Pipeline: "default"},
		"O0 interp zero":                   {Target: "interp", Pipeline: "zero"},
		"O3 −A −B +C":                      {OptLevel: 3, Disabled: []string{"A", "B", request.EditPrefix + "1"}, Required: []string{"C"}},
		"O1 −3 passes":                     {OptLevel: 1, Disabled: []string{"A", "B", "C"}},
		"O2 own pipeline 2 edits 1 script": {OptLevel: 2, Steps: []request.Step{}, Patches: make([]request.Patch, 2), Scripts: make([]request.Script, 1)},
	} {
		if got := label(s); got != want {
			t.Errorf("%+v is %q, want %q", s, got, want)
		}
	}
}

// TestTargetOptions names a target with the features of a machine in a few words, and in full beside them.
func TestTargetOptions(t *testing.T) {
	const full = "x86 -mattr=+avx2,+avx512f -num-cores=2"
	s := &Server{}
	s.cfg.Catalog = catalog.Catalog{Targets: []catalog.Target{{Name: "wasm", Doc: "code"}}}
	want := []templates.TargetOption{{Name: "wasm", Label: "wasm", Doc: "code"}, {Name: full, Label: "x86 AVX-512", Doc: full}}
	if got := s.targets(full); !slices.Equal(got, want) {
		t.Errorf("the targets are %+v, want %+v", got, want)
	}
}
