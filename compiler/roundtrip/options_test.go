package roundtrip_test

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/runtime/dtype"
)

// variants are the options whose text reads back, those that do not conflict together.
var variants = map[string]script.Options{
	"plain":   {NoSyntaxSugar: true, HideStructInfo: true},
	"renamed": {IRPrefix: "Y", TIRPrefix: "X", RelaxPrefix: "relax", ModuleAlias: "mod", IndentSpaces: 1, HideStructInfo: true},
	"types":   {IntDType: dtype.Int64T, FloatDType: dtype.Float32T, BufferDType: dtype.Int64T, ModuleAlias: script.NoModuleAlias, Name: "Net", ShowMeta: true},
}

// TestOptionsReadBack prints gallery models with options after the passes that change the
// kind of what is in the module, and reads them.
func TestOptionsReadBack(t *testing.T) {
	names := []string{"LegalizeOps", "FuseTIR", "CallTIRRewrite", "AttachGlobalSymbol", "tir.LowerOpaqueBlock", "tir.MakePackedAPI"}
	for _, c := range onnxtest.Gallery(t) {
		t.Run(c.Name, func(t *testing.T) {
			mod, err := onnx.Import(t.Context(), c.Model(t), onnx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			check := func(m *ir.Module, when string) {
				for name, o := range variants {
					if err := roundtrip.CheckWith(m, o); err != nil {
						t.Errorf("%s after %q: %v", name, when, err)
					}
				}
			}
			check(mod, "the import")
			seen := map[string]bool{}
			_, err = compiler.Passes(t.Context(), compiler.Request{Module: mod, Instruments: []*pass.Instrument{{
				RunAfterPass: func(m *ir.Module, s *pass.Step) error {
					if slices.Contains(names, s.Pass.Name) {
						seen[s.Pass.Name] = true
						check(m, s.Pass.Name)
					}
					return nil
				},
			}}})
			if err != nil {
				t.Fatal(err)
			}
			if len(seen) != len(names) {
				t.Errorf("only %v of %v ran", seen, names)
			}
		})
	}
}
