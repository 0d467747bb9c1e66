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
		{"loops to unroll", `
    for i in range(8):
        for j in T.unroll(2):
            A[i + j] = 0`, with(t, tirpass.UnrollLoop, "mark_only", true), []string{
			"unroll a loop: for j in T.unroll(2):\n    A[i + j] = T.float32(0.0): it stays marked: whoever generates code copies its body, as mark_only or explicit_unroll says",
			"unroll a loop: for i in range(8):\n    for j in T.unroll(2):\n        A[i + j] = T.float32(0.0): it is not marked, and its extent 8 and its 16 statements in all are above auto_max_extent 0 and auto_max_step 0",
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

// TestSimplifyNames compares the names of the rewrites of tir.Simplify.
func TestSimplifyNames(t *testing.T) {
	for _, c := range []struct{ value, name string }{
		{"T.Cast(\"float32\", i - i + 3)", "fold into a constant"},
		{"T.Cast(\"float32\", T.Select(i < 8, i, 5))", "decide a choice"},
		{"T.if_then_else(i < 8, A[i], A[T.max(i, 7)])", "decide a choice"},
		{"T.Cast(\"float32\", T.min(i, 9))", "decide a minimum or maximum"},
		{"T.Cast(\"float32\", i // 8 + i)", "resolve a division or remainder"},
		{"T.Cast(\"float32\", i % 8)", "resolve a division or remainder"},
		{"T.Cast(\"float32\", i < 3 and i < 8)", "drop a part of a condition"},
		{"T.Cast(\"float32\", T.Cast(\"int32\", i))", "remove a cast"},
		{"T.Cast(\"float32\", i * 2 + i * 3)", "collect terms"},
		{"A[i]", ""},
	} {
		t.Run(c.value, func(t *testing.T) {
			got := simplifyNames(t, "\n    for i in range(8):\n        A[i] = "+c.value+" * T.float32(2)")
			if got != c.name {
				t.Errorf("the rewrite is named %q, want %q", got, c.name)
			}
		})
	}
	for _, c := range []struct{ cond, name string }{
		{"i < 9", "decide a condition, drop a branch whose condition is known"},
		{"4 > i", "normalize a condition"},
	} {
		t.Run(c.cond, func(t *testing.T) {
			got := simplifyNames(t, "\n    for i in range(8):\n        if "+c.cond+":\n            A[i] = A[7]")
			if got != c.name {
				t.Errorf("the rewrites are named %q, want %q", got, c.name)
			}
		})
	}
}

// simplifyNames are the names of what tir.Simplify does to a function of a buffer A.
func simplifyNames(t *testing.T, body string) string {
	t.Helper()
	var l passtest.Listener
	f := parseFunc(t, "@T.prim_func\ndef kernel(A: T.Buffer((8,), \"float32\")):"+body)
	if _, err := passtest.NewContext(pass.Observe(&l)).Run(tirpass.Simplify, moduleOf(f)); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range l.Rewrites {
		names = append(names, r.Name)
	}
	return strings.Join(names, ", ")
}
