package starpass_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/starpass"
)

// said writes down a rewrite.
func said(r pass.Rewrite) string {
	text := func(list []ir.Node) string {
		var out []string
		for _, n := range list {
			line, _, _ := strings.Cut(strings.TrimSpace(script.Node(n, script.Options{HideStructInfo: true})), "\n")
			out = append(out, line)
		}
		return strings.Join(out, ", ")
	}
	return fmt.Sprintf("%s in %s: %s -> %s", r.Name, r.Func, text(r.Before), text(r.After))
}

// TestScriptsReportRewrites runs passes of scripts and compares what they report.
func TestScriptsReportRewrites(t *testing.T) {
	for _, c := range []struct {
		name, source string
		want         []string
	}{
		{"a handler returns another node", `
def double(self, n):
    n = self.visit_default(n)
    if n.op.name == "relax.multiply":
        return R.add(n.args[0], n.args[0])
    return n

def run_it(f, mod, ctx):
    return mutator({"Call": double})(f)

p = function_pass(run_it, opt_level=0, name="Simplify")
`, []string{"double in main: R.multiply(a, x) -> R.add(a, a)"}},
		{"what became of the children is not a rewrite of its own", `
def zero(self, n):
    return replace(n, value=3)

def keep(self, n):
    return self.visit_default(n)

def run_it(f, mod, ctx):
    return mutator({"FloatImm": zero, "BufferStore": keep, "PrimFunc": keep})(f)

p = prim_func_pass(run_it, opt_level=0, name="Numbers")
`, []string{
			`zero in double: T.float32(2.0) -> T.float32(3.0)`,
			`zero in double: T.float32(0.0) -> T.float32(3.0)`,
		}},
		{"replace outside of handlers", `
def renamed(f):
    return replace(f, is_pure=False)

def run_it(f, mod, ctx):
    return renamed(f)

p = function_pass(run_it, opt_level=0, name="Impure")
`, []string{"renamed in main: @R.function -> @R.function(pure=False)"}},
		{"a handler emits what takes the place of a binding", `
def twice(self, b):
    if b.var.name_hint != "a":
        self.visit_default(b)
        return None
    self.emit(R.add(b.value.args[0], b.value.args[0]), "first")
    return b

def run_it(f, mod, ctx):
    return mutator({"VarBinding": twice})(f)

p = function_pass(run_it, opt_level=0, name="Twice")
`, []string{"twice in main:  -> first"}},
		{"a module changes in no way that has a name", `
def run_it(mod, ctx):
    return mod.remove("double")

p = module_pass(run_it, opt_level=0, name="Drop")
`, []string{"run_it in : @T.prim_func -> "}},
		{"nothing changes", `
def run_it(f, mod, ctx):
    return replace(f, body=f.body)

p = function_pass(run_it, opt_level=0, name="Same")
`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := module(t, relaxText)
			prog, err := starpass.Compile("t.star", c.source, starpass.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			run := func(opts ...pass.ContextOption) *ir.Module {
				out, err := passContext(t, opts...).Run(prog.Passes()[0], m)
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			var l passtest.Listener
			out := run(pass.Observe(&l))
			var got []string
			for _, r := range l.Rewrites {
				got = append(got, said(r))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("it reports\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if got := printed(run()); got != printed(out) {
				t.Errorf("the result depends on who listens:\n%s\n%s", got, printed(out))
			}
		})
	}
}
