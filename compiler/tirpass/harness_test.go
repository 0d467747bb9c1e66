package tirpass_test

import (
	"context"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/compiler/topi/topitest"
	"github.com/irscope/irscope/target"
)

// fataler is what *testing.T, *testing.B and *rapid.T have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func newContext(t fataler, opts ...pass.ContextOption) *pass.Context {
	t.Helper()
	wasm, err := target.Parse("wasm")
	if err != nil {
		t.Fatalf("%v", err)
	}
	c, err := pass.NewContext(context.Background(), append([]pass.ContextOption{pass.WithTarget(wasm)}, opts...)...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return c
}

func moduleOf(f *tir.PrimFunc) *ir.Module { return ir.NewModule().With("kernel", f) }

func funcOf(m *ir.Module) *tir.PrimFunc {
	f, _ := m.Lookup("kernel").(*tir.PrimFunc)
	return f
}

func print(f *tir.PrimFunc) string { return script.Function("kernel", f, script.Options{}).Source }

// wellFormed fails on what the verifier finds in f, and where f does not read back from its text.
func wellFormed(t fataler, what string, f *tir.PrimFunc) {
	t.Helper()
	if found := tir.Verify("kernel", f); len(found) > 0 {
		t.Fatalf("%s: not well formed: %v\n%s", what, found[0], print(f))
	}
	if err := roundtrip.Check(moduleOf(f)); err != nil {
		t.Fatalf("%s: %v\n%s", what, err, print(f))
	}
}

// apply runs p on f and checks what holds of every pass: the input is not changed, the result is
// well formed, and running p again changes nothing.
func apply(t fataler, c *pass.Context, p *pass.Pass, f *tir.PrimFunc) *tir.PrimFunc {
	t.Helper()
	before := print(f)
	m := moduleOf(f)
	out, err := c.Run(p, m)
	if err != nil {
		t.Fatalf("%v\n%s", err, before)
	}
	if print(f) != before {
		t.Fatalf("%s changed its input\n--- before\n%s\n--- after\n%s", p.Name, before, print(f))
	}
	g := funcOf(out)
	if g == nil {
		t.Fatalf("%s removed the function", p.Name)
	}
	wellFormed(t, p.Name, g)
	if print(g) == before && out != m && p != tirpass.Simplify { // which may write expressions with Let anew
		t.Fatalf("%s made a copy of a function that it did not change\n%s", p.Name, before)
	}
	again, err := c.Run(p, out)
	if err != nil {
		t.Fatalf("%s, second run: %v\n%s", p.Name, err, print(g))
	}
	if again != out && !repeats[p.Name] {
		t.Fatalf("%s changes its own result\n--- once\n%s\n--- twice\n%s", p.Name, print(g), print(funcOf(again)))
	}
	return g
}

// repeats are the passes whose second run may find more to do, with the reason.
var repeats = map[string]bool{
	"tir.Simplify":                true, // steps are bounded
	"tir.RenormalizeSplitPattern": true, // so is the depth of its rewrites
	"tir.RemoveNoOp":              true, // what is removed may have been the only use of something further out
	"tir.NarrowDataType":          true, // constants that meet a narrowed value narrow only then
	"tir.LoopPartition":           true, // parts may be partitioned by the next condition
	"tir.CompactBufferAllocation": true, // indices that were shifted may have tighter bounds
}

// rounds are the passes that compute float32 by other formulas, whose results round differently.
var rounds = map[string]bool{"tir.LowerMath": true}

// sameMeaning interprets f, which pass p made of before, on args and compares with want.
func sameMeaning(t fataler, p *pass.Pass, before, f *tir.PrimFunc, args, want []any) {
	t.Helper()
	got, err := tirtest.Run(f, args, nil)
	d := ""
	switch {
	case err != nil:
		d = err.Error()
	case rounds[p.Name]:
		d = topitest.Apart(got, want, 1e-6)
	default:
		d = tirtest.Differ(got, want)
	}
	if d != "" {
		t.Fatalf("%s: %s\n--- before\n%s\n--- after\n%s", p.Name, d, print(before), print(f))
	}
}

func mustRun(t fataler, f *tir.PrimFunc, args []any) []any {
	t.Helper()
	out, err := tirtest.Run(f, args, nil)
	if err != nil {
		t.Fatalf("unlowered: %v\n%s", err, print(f))
	}
	return out
}

var _ fataler = (*testing.T)(nil)

// parseFunc reads the only function of a text in TVMScript.
func parseFunc(t fataler, text string) *tir.PrimFunc {
	t.Helper()
	m, found := parse.Module("text.py", text, parse.Options{})
	for _, d := range found {
		t.Fatalf("%s", d.Format())
	}
	for _, fn := range m.Funcs() {
		return fn.(*tir.PrimFunc)
	}
	t.Fatalf("no function in\n%s", text)
	return nil
}
