package transform

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/op/optest"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestLegalizeOpsTakesWhatTheVerifierTakes makes random calls of every operator, wrong in
// axes, ranks, types, attributes and numbers of arguments: what the verifier accepts
// LegalizeOps lowers to well-formed kernels or leaves alone, and what the verifier refuses
// LegalizeOps refuses too. Neither panics.
func TestLegalizeOpsTakesWhatTheVerifierTakes(t *testing.T) {
	calls := 400
	if testing.Short() {
		calls = 60
	}
	for i, o := range op.All() {
		t.Run(o.Name, func(t *testing.T) {
			g := optest.New(uint64(i))
			right, wrong, lowered := 0, 0, 0
			for range calls {
				call, ok := g.Call(o)
				if !ok {
					continue
				}
				m := callModule(g, call)
				text := script.Module(m, script.Options{}).Source
				found := relax.WellFormed(m, op.VerifyOpts())
				out, panicked, err := legalizeOne(t, m)
				switch {
				case panicked:
					t.Fatalf("%s\nverifier: %v\npanic: %v", text, found, err)
				case len(found) > 0:
					wrong++
				case err != nil && o.Name == "relax.matmul" && strings.Contains(err.Error(), "the element type of argument"):
					right++ // TVM refuses it too
				case err != nil:
					t.Fatalf("%s\nthe verifier accepts it, LegalizeOps does not: %v", text, err)
				default:
					right++
					if out != m {
						lowered++
					}
					for _, d := range relax.WellFormed(out, op.VerifyOpts()) {
						t.Fatalf("%s\nafter LegalizeOps: %v", text, d)
					}
					for gv, fn := range out.Funcs() {
						if f, ok := fn.(*tir.PrimFunc); ok {
							for _, d := range tir.Verify(gv.Name, f) {
								t.Fatalf("%s\nkernel: %v", text, d)
							}
						}
					}
				}
			}
			t.Logf("%d right, of which %d lowered, %d wrong", right, lowered, wrong)
			if legalizeRule(o.Name) != nil && lowered == 0 && !testing.Short() {
				t.Errorf("no random call was lowered")
			}
		})
	}
}

// legalizeOne runs LegalizeOps; panicked tells whether it did.
func legalizeOne(t *testing.T, m *ir.Module) (out *ir.Module, panicked bool, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // against hangs only
	defer cancel()
	c, err := pass.NewContext(ctx)
	if err != nil {
		t.Fatal(err)
	}
	out, err = c.Run(LegalizeOps, m)
	var failed *pass.Error
	return out, errors.As(err, &failed) && failed.Stack != "", err
}

// callModule is a module whose main is the call alone, with a parameter for each variable. The
// struct info is what is inferred, or any where nothing is.
func callModule(g *optest.Gen, call *relax.Call) *ir.Module {
	bound := *call
	info, err := op.Table().InferCall(call, &relax.InferContext{})
	if err != nil {
		info = relax.TensorOfRank(dtype.Float32T, 2)
	}
	bound.SInfo = info
	params := []*relax.Var{{Name: "sizes", SInfo: relax.ShapeOf(g.N, g.M)}}
	for _, a := range call.Args {
		ir.Walk(a, func(n ir.Node) bool {
			if v, ok := n.(*relax.Var); ok {
				params = append(params, v)
			}
			return true
		})
	}
	out := &relax.Var{Name: "out", SInfo: info}
	f := &relax.Function{
		Params: params, Ret: info, Pure: false, Attrs: ir.NewAttrs(ir.AttrGlobalSymbol, "main"),
		Body: &relax.SeqExpr{
			Blocks: []*relax.BindingBlock{{Bindings: []relax.Binding{&relax.VarBinding{Var: out, Value: &bound}}}},
			Body:   out,
		},
	}
	return ir.NewModule().With("main", f)
}
