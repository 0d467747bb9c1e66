package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
)

// pair is a function in TVMScript without its first lines, and what a pass must make of it, written by hand.
type pair struct {
	name   string
	before string
	after  string // "" where the pass changes nothing
	opts   []pass.ContextOption
	fails  string // a part of the error, in place of after
	unrun  bool   // the function is not interpreted, as it calls what is not there
	again  bool   // a second run does more
}

// checkPairs runs p on each function with the checks of the golden files, which compare what the functions
// compute where they can be run. header holds the lines up to that of the parameters.
func checkPairs(t *testing.T, p *pass.Pass, header string, list []pair) {
	t.Helper()
	for _, x := range list {
		t.Run(x.name, func(t *testing.T) {
			f := parseFunc(t, header+x.before)
			c := &goldenCase{name: x.name, f: f, opts: x.opts, fails: x.fails != ""}
			var before, after string
			switch {
			case x.again:
				out, err := passtest.NewContext(x.opts...).Run(p, moduleOf(f))
				if err != nil {
					t.Fatal(err)
				}
				g, args := funcOf(out), tirtest.Arguments(f, 1)
				wellFormed(t, p.Name, g)
				sameMeaning(t, p, f, g, args, mustRun(t, f, args))
				before, after = scriptOf(f), scriptOf(g)
			case x.unrun:
				wellFormed(t, "input", f)
				before, after = scriptOf(f), scriptOf(apply(t, passtest.NewContext(x.opts...), p, f))
			default:
				before, after = c.run(t, p)
			}
			if x.fails == "" {
				spansKept(t, passtest.NewContext(x.opts...), p, f)
			}
			switch {
			case x.fails != "":
				if !strings.Contains(after, x.fails) {
					t.Errorf("the error is %s want %s", after, x.fails)
				}
			case x.after == "":
				if after != before {
					t.Errorf("got\n%s\nwant no change of\n%s", after, before)
				}
			default:
				if want := scriptOf(parseFunc(t, header+x.after)); after != want {
					t.Errorf("got\n%s\nwant\n%s", after, want)
				}
			}
		})
	}
}

// scriptOf is f as the golden files hold it.
func scriptOf(f *tir.PrimFunc) string { return strings.TrimSpace(print(f)) + "\n" }

// indented puts lines of TVMScript one level deeper.
func indented(lines string) string { return strings.ReplaceAll(lines, "\n", "\n    ") }
