package transform_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/relaxtest/graphrun"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/tensor"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing")

// lowering is the order of the default pipeline. Each case of a pass runs after those before it.
var lowering = []*pass.Pass{
	transform.DecomposeOps, transform.CanonicalizeBindings, transform.EliminateCommonSubexpr, transform.DeadCodeElimination,
	transform.LegalizeOps, transform.AnnotateTIROpPattern, transform.FoldConstant, transform.FuseOps, transform.FuseTIR,
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

// interpreter evaluates constants by the interpreter.
type interpreter struct{}

func (interpreter) Eval(ctx context.Context, fn *tir.PrimFunc, args []*ir.Blob, outs []pass.TensorType) ([]*ir.Blob, error) {
	if t, ok := fn.RetType.(*ir.TupleType); !ok || len(t.Fields) > 0 {
		return nil, fmt.Errorf("a kernel returns %v", fn.RetType)
	}
	var all []any
	for _, a := range args {
		t, err := interp.FromBlob(a)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	var blobs []*ir.Blob
	for _, o := range outs {
		t, err := tensor.New(o.DType, o.Shape)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	if err := interp.Run(ctx, fn, all, nil); err != nil {
		return nil, err
	}
	for _, t := range all[len(args):] {
		b, err := interp.ToBlob(t.(*tensor.Tensor))
		if err != nil {
			return nil, err
		}
		blobs = append(blobs, b)
	}
	return blobs, nil
}

func newPassContext(tb failer, opts ...pass.ContextOption) *pass.Context {
	tb.Helper()
	c, err := pass.NewContext(context.Background(), append([]pass.ContextOption{pass.OptLevel(3), pass.WithEvaluator(interpreter{})}, opts...)...)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func runPass(tb failer, c *pass.Context, p *pass.Pass, m *ir.Module) *ir.Module {
	tb.Helper()
	out, err := c.Run(p, m)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// prefix runs the passes from first up to but without last on m.
func prefix(tb failer, m *ir.Module, first, last *pass.Pass, skip []*pass.Pass) *ir.Module {
	tb.Helper()
	i, j := slices.Index(lowering, first), slices.Index(lowering, last)
	c := newPassContext(tb)
	for k := max(i, 0); k < j; k++ {
		if !slices.Contains(skip, lowering[k]) {
			m = runPass(tb, c, lowering[k], m)
		}
	}
	return m
}

// checkWellFormed verifies both levels, and that m reads back from its text.
func checkWellFormed(tb failer, when string, m *ir.Module) {
	tb.Helper()
	for _, d := range relax.WellFormed(m, relax.VerifyOpts{Ops: op.Table(), Prover: arith.NewAnalyzer(), SInfo: true}) {
		tb.Errorf("%s: %v", when, d)
	}
	for gv, fn := range m.Funcs() {
		if f, ok := fn.(*tir.PrimFunc); ok {
			for _, d := range tir.Verify(gv.Name, f) {
				tb.Errorf("%s: %v", when, d)
			}
		}
	}
	if err := roundtrip.Check(m); err != nil {
		tb.Errorf("%s: %v", when, err)
	}
}

// blobs returns the constants of m.
func blobs(m *ir.Module) map[*ir.Blob]bool {
	out := map[*ir.Blob]bool{}
	for _, fn := range m.Funcs() {
		ir.Walk(fn, func(n ir.Node) bool {
			if c, ok := n.(*relax.Constant); ok {
				out[c.Data] = true
			}
			return true
		})
	}
	return out
}

// notIdempotent lists passes that say of themselves that a second run does more: they add
// checks and frees without looking for earlier ones, or number what they add.
var notIdempotent = map[string]bool{"VMShapeLower": true}

// check runs p on m and verifies what holds for every pass. It returns the result and what
// the pass reported.
func check(tb failer, c *pass.Context, p *pass.Pass, m *ir.Module) (*ir.Module, []ir.Diagnostic) {
	tb.Helper()
	checkWellFormed(tb, "before", m)
	before, constants := script.Module(m, script.Options{}).Source, blobs(m)
	out := runPass(tb, c, p, m)
	diagnostics := c.Diagnostics()
	if after := script.Module(m, script.Options{}).Source; after != before {
		tb.Errorf("%s changed its input:\n%s", p.Name, after)
	}
	checkWellFormed(tb, "after "+p.Name, out)
	if p.Name != transform.FoldConstant.Name && p.Name != transform.DecomposeOps.Name {
		for b := range blobs(out) {
			if !constants[b] {
				tb.Errorf("%s made a copy of a constant", p.Name)
			}
		}
	}
	if !notIdempotent[p.Name] {
		if again := runPass(tb, c, p, out); again != out {
			tb.Errorf("a second run of %s changed the module:\n%s\nto:\n%s", p.Name, changed(out, again), changed(again, out))
		}
	}
	return out, diagnostics
}

// changed prints the functions of a that b has not.
func changed(a, b *ir.Module) string {
	var out []string
	for gv, fn := range a.Funcs() {
		if b.Lookup(gv.Name) != fn {
			out = append(out, script.Function(gv.Name, fn, script.Options{}).Source)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// outputs runs main of m after what is missing of the lowering up to LegalizeOps.
func outputs(tb failer, m *ir.Module, n int64, legalized bool) []*tensor.Tensor {
	tb.Helper()
	if !legalized {
		m = runPass(tb, newPassContext(tb), transform.LegalizeOps, runPass(tb, newPassContext(tb), transform.DecomposeOps, m))
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

func sameOutputs(tb failer, want, got []*tensor.Tensor) {
	tb.Helper()
	if len(want) != len(got) {
		tb.Errorf("%d outputs became %d", len(want), len(got))
		return
	}
	for i := range want {
		d, err := tensor.Compare(got[i], want[i], tensor.Tolerance{RTol: 1e-4, ATol: 1e-5})
		if err != nil {
			tb.Errorf("output %d: %v", i, err)
		} else if !d.OK() {
			tb.Errorf("output %d differs: %v", i, d)
		}
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
				first = transform.LegalizeOps
			}
			m = prefix(t, m, first, p, tt.skip)
			q, err := p.With(tt.args)
			if err != nil {
				t.Fatal(err)
			}
			if tt.args == nil {
				q = p
			}
			c := newPassContext(t, tt.opts...)
			out, diagnostics := check(t, c, q, m)
			if !tt.still {
				legal := slices.Index(lowering, p) > slices.Index(lowering, transform.LegalizeOps)
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
			add("before", changed(m, out))
			add("after", changed(out, m))
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
