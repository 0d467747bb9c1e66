package transform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script/parse"
)

// read reads the functions of a module in TVMScript.
func read(tb passtest.Failer, text string) *ir.Module {
	tb.Helper()
	m, found := parse.Module("pair.py", text, parse.Options{})
	for _, d := range found {
		tb.Fatalf("%s\n%s", d.Format(), text)
	}
	return m
}

// pair is what a pass makes of a module.
type pair struct {
	name   string
	before string // functions in TVMScript
	after  string // empty where the pass gives the module back as it is
	args   *ir.Attrs
	opts   []pass.ContextOption
	said   []string // diagnostics
	err    string   // what the error ends in, if it fails
}

// runPairs runs p, after passes that prepare its input, on each module.
func runPairs(t *testing.T, p *pass.Pass, pairs ...pair) {
	t.Helper()
	for _, x := range pairs {
		t.Run(x.name, func(t *testing.T) {
			m := read(t, x.before)
			q := p
			if x.args != nil {
				q = must(p.With(x.args))
			}
			c := passtest.NewContext(x.opts...)
			if x.err != "" {
				if _, err := c.Run(q, m); err == nil || !strings.HasSuffix(err.Error(), x.err) {
					t.Errorf("the error is %v, want one that ends in %s", err, x.err)
				}
				return
			}
			out, diagnostics := check(t, c, q, m)
			switch {
			case x.after == "" && out != m:
				t.Errorf("the module changed to\n%s", passtest.Text(out))
			case x.after != "":
				if got, want := passtest.Text(out), passtest.Text(read(t, x.after)); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			}
			var said []string
			for _, d := range diagnostics {
				said = append(said, d.String())
			}
			if !slices.Equal(said, x.said) {
				t.Errorf("diagnostics are\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(x.said, "\n"))
			}
		})
	}
}
