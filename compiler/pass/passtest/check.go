package passtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// Check runs p on m and verifies what holds of every pass: it does not change its input, gives the module itself back where nothing
// changed, leaves what is well formed and reads back from its text, copies no constants, keeps origins and forms, and finds nothing more to do in
// its own result. It returns the result and what the pass reported.
func Check(t Failer, c *pass.Context, p *pass.Pass, m *ir.Module) (*ir.Module, []ir.Diagnostic) {
	t.Helper()
	return check(t, c, p, m, false)
}

// check is Check of a pass that may refuse a module by an error that is not an internal one: then it returns the module.
func check(t Failer, c *pass.Context, p *pass.Pass, m *ir.Module, mayRefuse bool) (*ir.Module, []ir.Diagnostic) {
	t.Helper()
	before, hash, constants := Text(m), ir.StructuralHashModule(m), blobs(m)
	out, err := c.Run(p, m)
	var failed *pass.Error
	switch {
	case err != nil && mayRefuse && errors.As(err, &failed) && failed.Stack == "":
		return m, nil
	case err != nil:
		t.Fatalf("%v\n%s", err, before)
	}
	diagnostics := c.Diagnostics()
	if Text(m) != before || ir.StructuralHashModule(m) != hash {
		t.Errorf("%s changed its input from\n%s\nto\n%s", p.Name, before, Text(m))
	}
	if out == m {
		return out, diagnostics
	}
	WellFormed(t, "after "+p.Name, out)
	if Text(out) == before && !exempt["rewrites alike"][p.Name] {
		t.Errorf("%s made a copy of a module that it did not change: %s\n%s", p.Name, copied(m, out), before)
	}
	if !exempt["makes constants"][p.Name] {
		for b := range blobs(out) {
			if !constants[b] {
				t.Errorf("%s made a copy of a constant", p.Name)
			}
		}
	}
	originsKept(t, p.Name, m, out)
	formsKept(t, p, m, out)
	if exempt["runs again"][p.Name] {
		return out, diagnostics
	}
	again, err := c.Run(p, out)
	if err != nil {
		t.Fatalf("a second run of %s: %v\n%s", p.Name, err, Text(out))
	}
	if again != out && !mayRepeat(c, p) {
		t.Errorf("a second run of %s changed the module:\n%s\nto:\n%s", p.Name, Changed(out, again), Changed(again, out))
	}
	return out, diagnostics
}

// repeats lists the passes that may find more to do in their own result, and why: always, or where a config option asks for it.
var repeats = map[string]string{
	"VMShapeLower":                "",                                  // it adds checks without looking for earlier ones
	"Gradient":                    "",                                  // the derivative is another function each time
	"CanonicalizeBindings":        "",                                  // an output that took the place of a constant's name is one itself the next time, as in TVM
	"CanonicalizeRelaxBindings":   "",                                  // likewise
	"ExpandTupleArguments":        "",                                  // an output that only what was dead used becomes local the next time
	"CombineParallelMatmul":       "",                                  // a combined matmul and one without its bias may be combined in turn
	"relay.BackwardFoldScaleAxis": "",                                  // of two scales behind each other one is folded, as in TVM
	"relay.ForwardFoldScaleAxis":  "",                                  // likewise
	"relay.FoldScaleAxis":         "",                                  // likewise
	"FuseOpsByPattern":            "",                                  // what overlapped an earlier match may match without the rest of it
	"ToMixedPrecision":            "",                                  // the result of a product that adds up in float32 is cast each time
	"relay.ToMixedPrecision":      "",                                  // a value that is cast each time that it is used follows the next time
	"LazyTransformParams":         "",                                  // what it adds for its functions looks like weights
	"LiftTransformParams":         "",                                  // marks that stopped it are gone, and match_casts where nothing more was known
	"tir.InstrumentBoundCheckers": "tir.instrument_bound_checkers",     // like TVM's it does not look for earlier checks
	"tir.CommonSubexprElimTIR":    "tir.enable_equiv_terms_in_cse_tir", // with names for equal terms, others may be equivalent
	"tir.Simplify":                "",                                  // steps are bounded
	"tir.RenormalizeSplitPattern": "",                                  // so is the depth of its rewrites
	"tir.RemoveNoOp":              "",                                  // what is removed may have been the only use of something further out
	"tir.NarrowDataType":          "",                                  // constants that meet a narrowed value narrow only then
	"RealizeVDevice":              "",                                  // of values on two devices, what was inferred in the first run is certain in the second
	"tir.LoopPartition":           "",                                  // parts may be partitioned by the next condition
	"tir.UnrollLoop":              "",                                  // a loop may be unrolled once those inside of it are gone
	"tir.CompactBufferAllocation": "",                                  // indices that were shifted may have tighter bounds
	"tir.HoistExpression":         "",                                  // of more conditions than go in front of a loop at once, some are left
	"tir.HoistIfThenElse":         "",                                  // likewise
	"tir.HoistIfThenElseBasic":    "",                                  // likewise
}

// mayRepeat tells whether p may change its own result under c.
func mayRepeat(c *pass.Context, p *pass.Pass) bool {
	key, ok := repeats[p.Name]
	return ok && (key == "" || c.Config.Get(key).(bool))
}

// exempt lists the passes for which another part of Check does not hold, and why.
var exempt = map[string]map[string]bool{
	"rewrites alike": {
		"tir.Simplify":   true, // it may write expressions with Let anew
		"tir.ConvertSSA": true, // variables of their own have the names that the one had
		// These end with ConvertSSA.
		"tir.HoistIfThenElse": true, "tir.HoistIfThenElseBasic": true, "tir.HoistExpression": true,
	},
	"makes constants": {
		"FoldConstant": true, "BindParams": true, "tir.BindParams": true, "DecomposeOps": true, "DecomposeOpsForTraining": true, "FoldBatchnormToConv2D": true, "FoldScaleToConv2D": true, "PackByteProducts": true, "Gradient": true, "relay.SimplifyInference": true, "relay.SimplifyExpr": true, "relay.SimplifyExprPostAlterOp": true,
		"relay.FoldConstant": true, "relay.FakeQuantizationToInteger": true, "FakeQuantizationToInteger": true, "relay.FoldScaleAxis": true, "relay.DivToMul": true, "relay.FirstOrderGradient": true,
	},
	"rounds otherwise": {
		"ToMixedPrecision": true, "relay.ToMixedPrecision": true,
	},
	"runs again": {
		"BindSymbolicVars":         true, // what it is told to bind is not there any more
		"BindParams":               true, // nor here
		"tir.BindParams":           true, // it binds the parameters that are left
		"tir.RemapThreadAxis":      true, // axes that changed places change back
		"relay.FirstOrderGradient": true, // its result is no graph
	},
}

// formsKept checks that p gives what it says, and that functions which it changed have the forms that they had: the runner relies on it.
func formsKept(t Failer, p *pass.Pass, before, after *ir.Module) {
	t.Helper()
	for _, f := range p.Gives {
		if err := f.Check(after); err != nil {
			t.Errorf("after %s: %v", p.Name, err)
		}
	}
	after.EachChange(before, func(name string, old, now ir.Function) {
		if !pass.SameLevel(old, now) {
			return
		}
		for _, f := range pass.Forms() {
			if slices.Contains(p.Breaks, f) {
				continue
			}
			if found := f.Broken(now); found != "" && f.Broken(old) == "" {
				t.Errorf("%s gave the function %s, which had %s, %s", p.Name, name, f.Name, found)
			}
		}
	})
}

// WellFormed verifies both levels, and that m reads back from its text.
func WellFormed(t Failer, when string, m *ir.Module) {
	t.Helper()
	for _, d := range relax.WellFormed(m, relax.VerifyOpts{Ops: op.Table(), Prover: arith.NewAnalyzer(), SInfo: true}) {
		t.Errorf("%s: %v\n%s", when, d, Text(m))
	}
	for gv, fn := range m.Funcs() {
		if f, ok := fn.(*tir.PrimFunc); ok {
			for _, d := range tir.Verify(gv.Name, f) {
				t.Errorf("%s: %v\n%s", when, d, script.Function(gv.Name, f, script.Options{}).Source)
			}
		}
	}
	if err := roundtrip.Check(m); err != nil {
		t.Errorf("%s: %v\n%s", when, err, Text(m))
	}
}

// copied describes the innermost node of b that is a copy of one of a.
func copied(a, b *ir.Module) string {
	var innermost func(x, y ir.Node) ir.Node
	innermost = func(x, y ir.Node) ir.Node {
		var xs, ys []ir.Node
		x.EachChild(func(c ir.Node) { xs = append(xs, c) })
		y.EachChild(func(c ir.Node) { ys = append(ys, c) })
		for i := range min(len(xs), len(ys)) {
			if xs[i] != ys[i] && fmt.Sprintf("%T", xs[i]) == fmt.Sprintf("%T", ys[i]) {
				return innermost(xs[i], ys[i])
			}
		}
		return y
	}
	for gv, fn := range b.Funcs() {
		if old := a.Lookup(gv.Name); old != nil && old != fn {
			n := innermost(old, fn)
			return fmt.Sprintf("%T %s", n, script.Node(n, script.Options{}))
		}
	}
	return "the module itself"
}

// Text prints a module.
func Text(m *ir.Module) string { return script.Module(m, script.Options{}).Source }

// Changed prints the functions of a that b has not.
func Changed(a, b *ir.Module) string {
	var out []string
	for gv, fn := range a.Funcs() {
		if b.Lookup(gv.Name) != fn {
			out = append(out, script.Function(gv.Name, fn, script.Options{}).Source)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
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
