package execute_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/check/execute"
)

// TestGalleryIsRight checks each pass on each model of the gallery for each kind of target: every module can be run, and none is wrong.
func TestGalleryIsRight(t *testing.T) {
	for _, g := range gallery.Models() {
		for _, kindName := range []string{"wasm", "interp"} {
			if testing.Short() && (g.Name != "mlp" || kindName == "interp") {
				continue // they take minutes under the race detector
			}
			t.Run(g.Name+"/"+kindName, func(t *testing.T) {
				m := imported(t, g)
				c := &execute.Checker{Runner: &execute.Runner{}, Function: "main", Inputs: inputs(t, m, 3)}
				rep := checked(t, c, m, kind(t, kindName), nil)
				if rep.Reference != 0 || len(rep.Steps) < 40 || rep.Fault != nil {
					t.Fatalf("reference %d (%s), %d steps, fault %+v", rep.Reference, rep.Why, len(rep.Steps), rep.Fault)
				}
				for _, s := range rep.Steps {
					if s.Status != check.Same && s.Status != check.Close {
						t.Errorf("%s is %s: %s %+v", s.Path, s.Status, s.Message, s.Difference)
					}
				}
				t.Log(rep.Counts())
			})
		}
	}
}

// line writes a step for a table.
func line(s check.Step) string {
	out := fmt.Sprintf("%s %s", s.Path, s.Status)
	if s.Difference != nil {
		out += fmt.Sprintf(" %.3g %.3g nan %d", float64(s.Difference.MaxAbs), float64(s.Difference.MaxRel), s.Difference.NaNs)
	}
	return strings.TrimSpace(out + " " + s.Message)
}
