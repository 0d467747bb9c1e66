package tirpass_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestDecisions runs passes and compares what they say of the places where a rule did not apply.
func TestDecisions(t *testing.T) {
	for _, c := range []struct {
		name, body string
		p          *pass.Pass
		want       []string
	}{
		{"accesses within bounds", `
    for i in range(8):
        A[i] = A[T.min(i + 1, 7)] + A[i + 1]`, tirpass.InstrumentBoundCheckers, []string{
			"check accesses: A[T.min(i + 1, 7)]: it is proven to be within bounds",
			"check accesses: A[i] = A[T.min(i + 1, 7)] + A[i + 1]: it is proven to be within bounds",
		}},
		{"selections", `
    for i in range(8):
        A[i] = T.Select(i > 3, T.float32(1), T.float32(2)) + T.Select(i > 3, A[i], T.float32(2))`, tirpass.RewriteUnsafeSelect, []string{
			"make a selection lazy: T.Select(i > 3, T.float32(1.0), T.float32(2.0)): neither value can fail",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l passtest.Listener
			ctx := passtest.NewContext(pass.Observe(&l), pass.Configure(map[string]any{"tir.instrument_bound_checkers": true}))
			if _, err := ctx.Run(c.p, moduleOf(parseFunc(t, "@T.prim_func\ndef kernel(A: T.Buffer((8,), \"float32\")):"+c.body))); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range l.Decisions {
				got = append(got, d.Rule+": "+strings.TrimSpace(script.Node(d.Place, script.Options{}))+": "+d.Reason)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}
