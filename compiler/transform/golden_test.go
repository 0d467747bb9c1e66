package transform_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/tensor"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing")

// lowering is the order of the default pipeline. Each case of a pass runs after those before it.
var lowering = []*pass.Pass{
	transform.DecomposeOps, transform.CanonicalizeBindings, transform.EliminateCommonSubexpr, transform.DeadCodeElimination,
	tunedLegalizeOps, transform.AnnotateTIROpPattern, transform.FoldConstant, transform.FuseOps, transform.FuseTIR,
	transform.RewriteDataflowReshape, transform.ToNonDataflow, transform.RemovePurityChecking, transform.CallTIRRewrite,
	transform.StaticPlanBlockMemory, transform.LowerAllocTensor, transform.KillAfterLastUse, transform.LowerRuntimeBuiltin,
	transform.ComputePrimValue, transform.VMShapeLower, transform.AttachGlobalSymbol,
}

// goldenCase is a module and a pass to run on it.
type goldenCase struct {
	name  string
	mod   func(b *builder)
	args  *ir.Attrs // options of the pass
	opts  []pass.ContextOption
	skip  []*pass.Pass // passes before it that are left out
	from  *pass.Pass   // the first pass that runs before it; nil is LegalizeOps or the pass itself
	n     int64        // value of symbolic extents; 0 is 3
	still bool         // the case is not run, because inputs cannot be made for it
}

func runPass(tb passtest.Failer, c *pass.Context, p *pass.Pass, m *ir.Module) *ir.Module {
	tb.Helper()
	out, err := c.Run(p, m)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// prefix runs the passes from first up to but without last on m.
func prefix(tb passtest.Failer, m *ir.Module, first, last *pass.Pass, skip []*pass.Pass) *ir.Module {
	tb.Helper()
	i, j := slices.Index(lowering, first), slices.Index(lowering, last)
	c := passtest.NewContext()
	for k := max(i, 0); k < j; k++ {
		if !slices.Contains(skip, lowering[k]) {
			m = runPass(tb, c, lowering[k], m)
		}
	}
	return m
}

// check runs p on m and verifies what holds for every pass. It returns the result and what
// the pass reported.
func check(tb passtest.Failer, c *pass.Context, p *pass.Pass, m *ir.Module) (*ir.Module, []ir.Diagnostic) {
	tb.Helper()
	passtest.WellFormed(tb, "before", m)
	return passtest.Check(tb, c, p, m)
}

// outputs runs main of m after what is missing of the lowering up to LegalizeOps.
func outputs(tb passtest.Failer, m *ir.Module, n int64, legalized bool) []*tensor.Tensor {
	tb.Helper()
	if !legalized {
		m = runPass(tb, passtest.NewContext(), tunedLegalizeOps, runPass(tb, passtest.NewContext(), transform.DecomposeOps, m))
	}
	f := ir.MustLookup[*relax.Function](m, "main")
	args, err := graphrun.Inputs(f, n, 7)
	if err != nil {
		tb.Fatal(err)
	}
	v, err := graphrun.Run(context.Background(), m, "main", args...)
	if err != nil {
		tb.Fatalf("%v in\n%s", err, script.Module(m, script.Options{}).Source)
	}
	return graphrun.Tensors(v)
}

func sameOutputs(tb passtest.Failer, want, got []*tensor.Tensor) {
	tb.Helper()
	if d := passtest.Differ(got, want); d != "" {
		tb.Error(d)
	}
}

// runGolden runs the cases of a pass and compares with its archive.
func runGolden(t *testing.T, p *pass.Pass, cases ...goldenCase) {
	file := filepath.Join("testdata", strings.TrimPrefix(p.Name, "tir.")+".txtar")
	ar := &txtar.Archive{Comment: []byte("Before and after " + p.Name + ". Written by go test -update.\n")}
	want, err := txtar.ParseFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuilder()
			tt.mod(b)
			m := b.module()
			first := tt.from
			if first == nil {
				first = tunedLegalizeOps
			}
			m = prefix(t, m, first, p, tt.skip)
			q, err := p.With(tt.args)
			if err != nil {
				t.Fatal(err)
			}
			if tt.args == nil {
				q = p
			}
			c := passtest.NewContext(tt.opts...)
			out, diagnostics := check(t, c, q, m)
			if !tt.still {
				legal := slices.Index(lowering, p) > slices.Index(lowering, tunedLegalizeOps)
				n := max(tt.n, 1)
				if tt.n == 0 {
					n = 3
				}
				sameOutputs(t, outputs(t, m, n, legal), outputs(t, out, n, legal))
			}
			add := func(name, text string) {
				if text == "" {
					return
				}
				ar.Files = append(ar.Files, txtar.File{Name: tt.name + "/" + name, Data: []byte(text)})
			}
			add("before", passtest.Changed(m, out))
			add("after", passtest.Changed(out, m))
			var ds []string
			for _, d := range diagnostics {
				if !slices.Contains(ds, d.String()) {
					ds = append(ds, d.String())
				}
			}
			add("diagnostics", strings.Join(ds, "\n"))
		})
	}
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got := txtar.Parse(txtar.Format(ar)) // as it comes back from a file
	for i, f := range got.Files {
		if i >= len(want.Files) || want.Files[i].Name != f.Name || string(want.Files[i].Data) != string(f.Data) {
			t.Errorf("%s: section %s differs; got:\n%s\nrun go test -update if that is right", file, f.Name, f.Data)
		}
	}
	if len(want.Files) > len(got.Files) {
		t.Errorf("%s has %d sections, the cases make %d", file, len(want.Files), len(got.Files))
	}
}
