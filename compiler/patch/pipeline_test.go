package patch_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/patch"
	"github.com/irscope/irscope/compiler/relax"
)

// TestEveryStepOpensWithoutErrors edits the module after every step of the default pipeline by nothing: what the page shows there
// reads back, in the module, as what it is.
func TestEveryStepOpensWithoutErrors(t *testing.T) {
	for _, g := range gallery.Models() {
		t.Run(g.Name, func(t *testing.T) {
			file, err := onnxpb.Read(g.Bytes, onnxpb.Options{})
			if err != nil {
				t.Fatal(err)
			}
			imported, err := onnx.Import(t.Context(), file, onnx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			steps := 0
			look := &pass.Instrument{RunAfterPass: func(m *ir.Module, s *pass.Step) error {
				if m == s.Input || s.Pass.Kind == pass.Sequential {
					return nil
				}
				steps++
				all := ""
				for gv, fn := range m.Funcs() {
					if _, external := fn.(*relax.ExternFunc); !external {
						all += text(m, gv.Name)
					}
				}
				for function, text := range map[string]string{"": all, "main": text(m, "main")} {
					out, found := patch.Make(patch.Edit{Module: m, Imported: imported, After: s.Pass.Name, Functions: strings.Fields(function), Name: "edit", Text: text})
					for _, d := range found {
						t.Errorf("after %s: %v", s.Path(), d)
					}
					if out != nil && out.Patch != nil {
						t.Errorf("after %s function %q reads as an edit of %v:\n%s", s.Path(), function, out.Functions, out.Patch.Text)
					}
				}
				return nil
			}}
			if _, err := compiler.Passes(t.Context(), compiler.Request{Module: imported, Instruments: []*pass.Instrument{look}}); err != nil {
				t.Fatal(err)
			}
			if steps < 10 {
				t.Errorf("%d steps changed the module, want 10 or more", steps)
			}
		})
	}
}
