package tirpass_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/libm/libmtest"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// fusing is a target with an instruction for fma.
func fusing(t testing.TB) pass.ContextOption {
	t.Helper()
	tg, err := target.Parse("x86 -mattr=+avx2")
	if err == nil {
		tg, err = tg.Explicit(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return pass.WithTarget(tg)
}

const fmaHeader = `@T.prim_func
def kernel(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), H: T.Buffer((16,), "float16"), D: T.Buffer((16,), "float64"), I: T.Buffer((16,), "int32")):`

func TestContractFMAPairs(t *testing.T) {
	x86 := []pass.ContextOption{fusing(t)}
	for name, opts := range map[string][]pass.ContextOption{"wasm": nil, "no feature": {pass.WithTarget(target.Of("x86"))}} {
		checkPairs(t, tirpass.ContractFMA, fmaHeader, []pair{{name: name, opts: opts, before: `
    A[0] = A[1] * B[1] + A[0]`}})
	}
	checkPairs(t, tirpass.ContractFMA, fmaHeader, []pair{
		{name: "the four forms", opts: x86, before: `
    A[0] = A[1] * B[1] + A[0]
    A[1] = A[0] + A[1] * B[1]
    A[2] = A[0] - A[1] * B[1]
    A[3] = A[1] * B[1] - A[0]`, after: `
    A[0] = T.fma(A[1], B[1], A[0])
    A[1] = T.fma(A[1], B[1], A[0])
    A[2] = T.fma(A[1] * T.float32(-1.0), B[1], A[0])
    A[3] = T.fma(A[1], B[1], A[0] * T.float32(-1.0))`},
		{name: "what becomes an integer", opts: x86, before: `
    A[0] = A[T.Cast("int32", T.max(T.min(T.floor(A[1] * T.float32(0.3) + B[0]), T.float32(15)), T.float32(0)))] * B[1] + A[0]
    I[0] = T.Cast("int32", A[1] * B[1] + A[0]) + T.Cast("int32", T.nearbyint(A[2] - A[1] * B[1]))
    A[3] = T.Cast("float32", T.Cast("uint8", A[1] * B[1] + A[0])) * B[2] + A[2]
    A[4] = T.ceil(A[1] * B[1] + A[0]) + T.trunc(A[1] * B[1] + A[0]) + T.round(A[1] * B[1] + A[0])`, after: `
    A[0] = T.fma(A[T.Cast("int32", T.max(T.min(T.floor(A[1] * T.float32(0.3) + B[0]), T.float32(15)), T.float32(0)))], B[1], A[0])
    I[0] = T.Cast("int32", A[1] * B[1] + A[0]) + T.Cast("int32", T.nearbyint(A[2] - A[1] * B[1]))
    A[3] = T.fma(T.Cast("float32", T.Cast("uint8", A[1] * B[1] + A[0])), B[2], A[2])
    A[4] = T.ceil(A[1] * B[1] + A[0]) + T.trunc(A[1] * B[1] + A[0]) + T.round(A[1] * B[1] + A[0])`},
		{name: "float64 and vectors", opts: x86, before: `
    D[0] = D[0] + D[1] * D[2]
    A[0:4] = A[0:4] + T.Broadcast(B[0], 4) * B[4:8]
    A[4:8] = A[0:4] - T.Broadcast(B[0], 4) * B[4:8]`, after: `
    D[0] = T.fma(D[1], D[2], D[0])
    A[0:4] = T.fma(T.Broadcast(B[0], 4), B[4:8], A[0:4])
    A[4:8] = T.fma(T.Broadcast(B[0] * T.float32(-1.0), 4), B[4:8], A[0:4])`},
		{name: "constants take the sign", opts: x86, before: `
    A[0] = A[1] - T.float32(2) * A[2]
    A[1] = A[1] * A[2] - T.float32(0)`, after: `
    A[0] = T.fma(T.float32(-2.0), A[2], A[1])
    A[1] = T.fma(A[1], A[2], T.float32(-0.0))`},
		{name: "two products and chains", opts: x86, before: `
    A[0] = A[1] * B[1] + A[2] * B[2]
    A[1] = A[0] + A[1] * B[1] + A[2] * B[2]
    A[2] = A[1] * (A[2] * B[2] + A[3]) + A[4]`, after: `
    A[0] = T.fma(A[1], B[1], A[2] * B[2])
    A[1] = T.fma(A[2], B[2], T.fma(A[1], B[1], A[0]))
    A[2] = T.fma(A[1], T.fma(A[2], B[2], A[3]), A[4])`},
		{name: "integers and half precision stay", opts: x86, before: `
    I[0] = I[1] * I[2] + I[0]
    H[0] = H[1] * H[2] + H[0]
    for i in range(4):
        A[i * 2 + 1] = T.Cast("float32", i * 2 + 1)`},
		{name: "in conditions and branches", opts: x86, before: `
    if A[0] * B[0] + A[1] > B[1]:
        A[0] = T.if_then_else(A[1] * B[1] - A[2] > T.float32(0), A[3] + A[4] * A[5], A[6])`, after: `
    if T.fma(A[0], B[0], A[1]) > B[1]:
        A[0] = T.if_then_else(T.fma(A[1], B[1], A[2] * T.float32(-1.0)) > T.float32(0.0), T.fma(A[4], A[5], A[3]), A[6])`},
	})
	checkPairs(t, tirpass.ContractFMA, fmaHeader, []pair{{name: "order of effects", opts: x86, unrun: true, before: `
    A[0] = T.call_extern("float32", "first") + T.call_extern("float32", "second") * B[0]`}})
}

// refuser refuses functions that write to a buffer of a name.
type refuser string

func (r refuser) Refuses(f *tir.PrimFunc, _ target.Target) string {
	if strings.Contains(print(f), string(r)+"[") {
		return "it writes " + string(r)
	}
	return ""
}

// TestContractFMALeavesWhatIsRefused changes only functions that the generator takes, and says so of the others.
func TestContractFMALeavesWhatIsRefused(t *testing.T) {
	var heard decisionsHeard
	opts := []pass.ContextOption{fusing(t), pass.WithGenerators(refuser("D")), pass.Observe(&heard)}
	for text, changes := range map[string]bool{"D[0] = D[0] + D[1] * D[2]": false, "A[0] = A[0] + A[1] * A[2]": true} {
		f := parseFunc(t, fmaHeader+"\n    "+text)
		f = f.WithFuncAttrs(f.Attrs.With(ir.AttrCallingConv, 1)).(*tir.PrimFunc)
		heard = decisionsHeard{}
		out, err := passtest.NewContext(opts...).Run(tirpass.ContractFMA, moduleOf(f))
		if err != nil {
			t.Fatal(err)
		}
		if (funcOf(out) != f) != changes {
			t.Errorf("%s: changed is %v", text, !changes)
		}
		if said := strings.Join(heard.declined, "; "); strings.Contains(said, "it writes D") == changes {
			t.Errorf("%s: the decisions are %q", text, said)
		}
		if len(heard.rewrites) > 0 != changes {
			t.Errorf("%s: the rewrites are %q", text, heard.rewrites)
		}
	}
}

type decisionsHeard struct{ rewrites, declined []string }

func (h *decisionsHeard) Rewrite(_ *pass.Step, r pass.Rewrite) {
	h.rewrites = append(h.rewrites, r.Name)
}

func (h *decisionsHeard) Decision(_ *pass.Step, d pass.Decision) {
	h.declined = append(h.declined, d.Reason)
}

// apart writes every fma as a product and a sum, as code without an instruction for it computes.
func apart(f *tir.PrimFunc) *tir.PrimFunc { return tirpass.DefineMath(f, target.Of("wasm")) }

// TestContractFMARandom takes random programs apart again, which gives the bits of before.
func TestContractFMARandom(t *testing.T) {
	opt, changed := fusing(t), 0
	seed.Each(t, 400, func(t *testing.T, r *rand.Rand) {
		f, args := tirtest.Lowered(r)
		out, err := passtest.NewContext(opt).Run(tirpass.ContractFMA, moduleOf(f))
		if err != nil {
			t.Fatal(err)
		}
		g := funcOf(out)
		want, err := tirtest.Run(apart(f), args, nil)
		if err != nil {
			return // not a meaningful program
		}
		if g == f {
			return
		}
		changed++
		wellFormed(t, "tir.ContractFMA", g)
		got, err := tirtest.Run(apart(g), args, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := tirtest.Differ(got, want); d != "" {
			t.Errorf("%s\n--- before\n%s\n--- after\n%s", d, print(f), print(g))
		}
		if again, err := passtest.NewContext(opt).Run(tirpass.ContractFMA, moduleOf(g)); err != nil || funcOf(again) != g {
			t.Errorf("a second run changes it (%v)\n%s", err, print(g))
		}
	})
	if changed == 0 {
		t.Error("no program had a product in a sum")
	}
}

// TestContractFMAKeepsBounds holds the definitions of elementary functions against their bounds when their products and sums are fused.
func TestContractFMAKeepsBounds(t *testing.T) {
	n := 1 << 15
	if testing.Short() {
		n = 1 << 12
	}
	for _, c := range libmtest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			x := libmtest.Samples(c, n)
			size := int64(len(x[0]))
			m, err := passtest.NewContext().Run(tirpass.LowerMath, moduleOf(libmtest.Function(c, dtype.Float32T, size, 1)))
			if err == nil {
				m, err = passtest.NewContext(fusing(t)).Run(tirpass.ContractFMA, m)
			}
			if err != nil {
				t.Fatal(err)
			}
			var args []any
			for _, xs := range x {
				args = append(args, tensor.MustOf([]int64{size}, xs))
			}
			out := tensor.MustNew(dtype.Float32T, size)
			if err := interp.Run(context.Background(), funcOf(m), append(args, out), &interp.Options{MaxSteps: math.MaxInt64}); err != nil {
				t.Fatal(err)
			}
			got := make([]float32, size)
			for i := range got {
				got[i] = float32(out.Float(i))
			}
			libmtest.Check(t, c, x, got)
		})
	}
}
