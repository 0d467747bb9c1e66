package tirpass_test

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/topi/topitest"
)

func moduleOf(f *tir.PrimFunc) *ir.Module { return ir.NewModule().With("kernel", f) }

func funcOf(m *ir.Module) *tir.PrimFunc {
	f, _ := m.Lookup("kernel").(*tir.PrimFunc)
	return f
}

func print(f *tir.PrimFunc) string { return script.Function("kernel", f, script.Options{}).Source }

// wellFormed fails on what the verifier finds in f, and where f does not read back from its text.
func wellFormed(t passtest.Failer, what string, f *tir.PrimFunc) {
	t.Helper()
	if passtest.WellFormed(t, what, moduleOf(f)); t.Failed() {
		t.Fatalf("%s: not well formed", what)
	}
}

// apply runs p on f and checks what holds of every pass, to the first objection.
func apply(t passtest.Failer, c *pass.Context, p *pass.Pass, f *tir.PrimFunc) *tir.PrimFunc {
	t.Helper()
	out, _ := passtest.Check(t, c, p, moduleOf(f))
	g := funcOf(out)
	if g == nil {
		t.Fatalf("%s removed the function", p.Name)
	}
	if t.Failed() {
		t.Fatalf("the checks object after %s", p.Name)
	}
	return g
}

// rounds are the passes that compute float32 by other formulas, whose results round differently.
var rounds = map[string]bool{"tir.LowerMath": true}

// sameMeaning interprets f, which pass p made of before, on args and compares with want.
func sameMeaning(t passtest.Failer, p *pass.Pass, before, f *tir.PrimFunc, args, want []any) {
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

func mustRun(t passtest.Failer, f *tir.PrimFunc, args []any) []any {
	t.Helper()
	out, err := tirtest.Run(f, args, nil)
	if err != nil {
		t.Fatalf("unlowered: %v\n%s", err, print(f))
	}
	return out
}

// parseFunc reads the only function of a text in TVMScript.
func parseFunc(t passtest.Failer, text string) *tir.PrimFunc {
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

// passWith returns p with options, given as names and values in turn.
func passWith(t passtest.Failer, p *pass.Pass, options ...any) *pass.Pass {
	t.Helper()
	out, err := p.With(ir.NewAttrs(options...))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return out
}
