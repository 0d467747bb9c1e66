package web

import (
	"testing"

	"github.com/irscope/irscope/instruments/request"
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
