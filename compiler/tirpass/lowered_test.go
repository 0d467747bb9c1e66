package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
)

// lowerWithout runs the pipeline without one pass and checks the result.
func lowerWithout(t *testing.T, f *tir.PrimFunc, name string) error {
	t.Helper()
	c := passtest.NewContext(pass.DisablePass(name))
	m, err := c.Run(pass.NewSequential("tir", lowering(t)...), moduleOf(f))
	if err != nil {
		return err
	}
	return tirpass.CheckLowered("kernel", funcOf(m))
}

// unlowered is a function that needs every lowering pass: a reduction in a loop with a step
// that is written through a view, a vectorized loop over a guarded selection, a large buffer.
func unlowered() *tir.PrimFunc {
	i64, f32 := dtype.Int64T, dtype.Float32T
	dims := func(ns ...int64) []tir.Expr {
		out := make([]tir.Expr, len(ns))
		for i, n := range ns {
			out[i] = tir.Int(n)
		}
		return out
	}
	loop := func(v *tir.Var, n int64, kind tir.ForKind, body tir.Stmt) *tir.For {
		return &tir.For{LoopVar: v, Min: tir.Int(0), Extent: tir.Int(n), Kind: kind, Body: body}
	}
	iter := func(v *tir.Var, n int64, kind tir.IterKind) *tir.IterVar {
		return &tir.IterVar{Dom: &tir.Range{Min: tir.Int(0), Extent: tir.Int(n)}, Var: v, Kind: kind}
	}
	point := func(b *tir.Buffer, at ...tir.Expr) []*tir.BufferRegion {
		r := &tir.BufferRegion{Buffer: b}
		for _, e := range at {
			r.Region = append(r.Region, &tir.Range{Min: e, Extent: tir.Int(1)})
		}
		return []*tir.BufferRegion{r}
	}
	a, out := tir.NewBuffer("A", f32, dims(32, 64), ""), tir.NewBuffer("B", f32, dims(32, 64), "")
	big := tir.NewBuffer("big", f32, dims(32, 64), "")
	i, j, k := tir.NewVar("i", i64), tir.NewVar("j", i64), tir.NewVar("k", i64)
	vi, vj, vk := tir.NewVar("vi", i64), tir.NewVar("vj", i64), tir.NewVar("vk", i64)
	view := tir.NewBuffer("V", f32, dims(1, 1), "")
	view.Strides, view.ElemOffset = []tir.Expr{tir.NewVar("s", i64), tir.NewVar("t", i64)}, tir.NewVar("off", i64)
	at := tir.Load(view, tir.Int(0), tir.Int(0))
	sum := &tir.Block{
		Name: "sum", IterVars: []*tir.IterVar{iter(vi, 32, tir.DataPar), iter(vj, 64, tir.DataPar), iter(vk, 3, tir.CommReduce)},
		Reads: []*tir.BufferRegion{tir.FullRegion(a)}, Writes: point(big, vi, vj),
		MatchBuffers: []*tir.MatchBufferRegion{{Buffer: view, Source: point(big, vi, vj)[0]}},
		Init:         tir.Store(big, tir.FloatConst(f32, 0), vi, vj),
		Body:         tir.Store(view, tir.Add(at, tir.Load(a, vi, vj)), tir.Int(0), tir.Int(0)),
	}
	first := &tir.For{
		LoopVar: i, Min: tir.Int(0), Extent: tir.Int(64), Step: tir.Int(2),
		Body: loop(j, 64, tir.Serial, loop(k, 3, tir.Serial, &tir.BlockRealize{
			Values: []tir.Expr{tir.FloorDiv(i, tir.Int(2)), j, k}, Predicate: tir.Bool(true), Block: sum,
		})),
	}
	p, q, vp, vq := tir.NewVar("p", i64), tir.NewVar("q", i64), tir.NewVar("vp", i64), tir.NewVar("vq", i64)
	near := tir.Load(big, tir.Sub(vp, tir.Int(1)), vq)
	shift := &tir.Block{
		Name: "shift", IterVars: []*tir.IterVar{iter(vp, 32, tir.DataPar), iter(vq, 64, tir.DataPar)},
		Reads: []*tir.BufferRegion{tir.FullRegion(big)}, Writes: point(out, vp, vq),
		Body: tir.Store(out, &tir.Select{Cond: tir.GE(vp, tir.Int(1)), True: near, False: tir.CastTo(f32, tir.CastTo(dtype.Int4T, vp))}, vp, vq),
	}
	second := loop(p, 32, tir.Serial, loop(q, 64, tir.Vectorized, &tir.BlockRealize{Values: []tir.Expr{p, q}, Predicate: tir.Bool(true), Block: shift}))
	return &tir.PrimFunc{
		Params:  []*tir.Var{tir.NewVar("a", dtype.HandleT), tir.NewVar("b", dtype.HandleT)},
		Buffers: []*tir.Buffer{a, out}, RetType: ir.VoidType(),
		Attrs: ir.NewAttrs(ir.AttrGlobalSymbol, "kernel"),
		Body: &tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{
			Name: "root", AllocBuffers: []*tir.Buffer{big}, Body: tir.Seq(first, second),
		}},
	}
}

// TestDisabledLoweringIsNamed disables each lowering pass alone: the error names the pass
// and what it left.
func TestDisabledLoweringIsNamed(t *testing.T) {
	f := unlowered()
	wellFormed(t, "input", f)
	if err := lowerWithout(t, f, "none"); err != nil {
		t.Fatalf("the whole pipeline: %v", err)
	}
	want := map[string]string{
		"CanonicalizeLoop":      "i",
		"LowerInitBlock":        `"sum"`,
		"ConvertBlocksToOpaque": `"sum"`,
		"LowerMatchBuffer":      "V",
		"LowerOpaqueBlock":      "block",
		"FlattenBuffer":         "2 indices",
		"VectorizeLoop":         "vectorized loop q",
		"RewriteUnsafeSelect":   "Select",
		"BindTarget":            "target",
		"MakePackedAPI":         "packed",
		"LowerSmallDatatypes":   "int4",
		"LowerTVMBuiltin":       "big",
	}
	for _, p := range lowering(t) {
		short := strings.TrimPrefix(p.Name, "tir.")
		// There is no region for a device on a CPU, and which functions the target computes itself the code generator knows.
		if !p.Lowering || short == "SplitHostDevice" || short == "LowerMath" {
			continue
		}
		err := lowerWithout(t, f, p.Name)
		switch {
		case err == nil:
			t.Errorf("without %s: no error", short)
		case !strings.Contains(err.Error(), short) || !strings.Contains(err.Error(), want[short]) || want[short] == "":
			t.Errorf("without %s: %v, which should name the pass and %q", short, err, want[short])
		}
	}
}

func TestDeviceRegionIsNamed(t *testing.T) {
	f := &tir.PrimFunc{
		RetType: ir.VoidType(), Attrs: ir.NewAttrs(ir.AttrTarget, "wasm"),
		Body: &tir.AttrStmt{Node: &tir.StringImm{Value: "cuda"}, Key: ir.AttrTarget, Value: tir.Int32(0), Body: tir.NoOp()},
	}
	if err := tirpass.CheckLowered("f", f); err == nil || !strings.Contains(err.Error(), "SplitHostDevice") {
		t.Errorf("got %v", err)
	}
	m, err := passtest.NewContext().Run(tirpass.SplitHostDevice, moduleOf(f))
	if err != nil {
		t.Fatal(err)
	}
	if m.Lookup("kernel_kernel") == nil || tirpass.CheckLowered("f", funcOf(m)) != nil {
		t.Errorf("the region did not become a function:\n%s", print(funcOf(m)))
	}
}
