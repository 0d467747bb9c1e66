package inproc

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/flow"
)

// TestStubsOfWhatIsCalled: of each function that is called as a statement, once, and not of those that are in the text.
func TestStubsOfWhatIsCalled(t *testing.T) {
	for text, want := range map[string][]string{
		"":                         nil,
		"def f():\n    cls.g(x)\n": {"g"},
		"def f():\n    cls.g(x)\n    cls.h(x)\n    cls.g(y)\n": {"g", "h"},
		"def f():\n    _: R.Tuple = cls.g(x)\n":                {"g"},
		"def f():\n    y: R.Tensor = cls.g(x)\n":               nil,
		"def f():\n    y = cls.g(x)\n":                         nil,
		"cls.g(x)\n":                                           nil, // no statement of a function
		"def f():\n    cls.f(x)\n    cls.g(x)\n":               {"f", "g"},
		"@R.function\ndef f():\n    cls.f(x)\n    cls.g(x)\n":  {"g"},
	} {
		whole, stubs := withCalled(text)
		if got := slices.Sorted(maps.Keys(stubs)); !slices.Equal(got, want) {
			t.Errorf("%q has the stubs %q, want %q", text, got, want)
		}
		rest, ok := strings.CutPrefix(whole, text)
		if !ok || strings.Count(rest, "\ndef ") != len(want) || len(want) == 0 && rest != "" {
			t.Errorf("%q is followed by %q", text, rest)
		}
		for name := range stubs {
			if stub := "\n@T.prim_func\ndef " + name + "():\n    T.func_attr({\"calling_conv\": 1})\n    T.evaluate(0)\n"; !strings.Contains(rest, stub) {
				t.Errorf("the stub of %s is missing in %q", name, rest)
			}
		}
	}
}

// TestConstantsHaveTheNamesOfTheText, one after the other in each line; where the text has no more they keep theirs.
func TestConstantsHaveTheNamesOfTheText(t *testing.T) {
	const a, b, c, own = "aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc", "000000000000"
	key := func(name string) string { return `metadata["relax.expr.Constant"]["` + name + `"]` }
	text := "def f():\n    y = g(" + key(a) + ", " + key(b) + ")\n    z = h(x)\n    w = h(" + key(c) + ")\n"
	g := &flow.Graph{Nodes: []flow.Node{
		{Line: 2, Detail: "takes constant " + own},
		{Line: 4, Detail: "constant " + own + "\nconstant " + own},
		{Line: 2, Detail: "constant " + own + " and more"},
		{Line: 3, Detail: "constant " + own},
		{Line: 0, Detail: "constant " + own},
		{Line: 99, Detail: "constant " + own},
		{Line: 5, Detail: "constant " + own},
		{Line: 2, Detail: "nothing"},
		{Line: 2, Detail: "constant short"},
		{Line: 2, Detail: "constant " + own},
	}}
	nameConstants(g, text)
	for i, want := range []string{
		"takes constant " + a, "constant " + c + "\nconstant " + own, "constant " + b + " and more", "constant " + own, "constant " + own, "constant " + own,
		"constant " + own, "nothing", "constant short", "constant " + own,
	} {
		if got := g.Nodes[i].Detail; got != want {
			t.Errorf("node %d has %q, want %q", i, got, want)
		}
	}
}

// TestGraphsOfTexts know the lines of a text that was printed, and none of another. Errors say where.
func TestGraphsOfTexts(t *testing.T) {
	r := New(Config{})
	const printed = "@R.function(private=True)\ndef f(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\n    y: R.Tensor((4,), dtype=\"float32\") = R.add(x, x)\n    return y\n"
	lines := func(text string) []int {
		t.Helper()
		g, err := r.Graph(t.Context(), text)
		if err != nil || g.Name != "f" {
			t.Fatalf("%v (%v)", g, err)
		}
		var out []int
		for _, n := range g.Nodes {
			out = append(out, n.Line)
		}
		return out
	}
	// The parameter, the sum and the result.
	if got := lines(printed); !slices.Equal(got, []int{2, 3, 4}) {
		t.Errorf("the nodes of a printed text are in the lines %v", got)
	}
	if got := lines(strings.Replace(printed, "    return", "\n    return", 1)); !slices.Equal(got, []int{0, 0, 0}) {
		t.Errorf("the nodes of another text are in the lines %v", got)
	}
	// What is called is no part of it, also where its name comes first.
	g, err := r.Graph(t.Context(), "@R.function(pure=False)\ndef z(x: R.Tensor((4,), \"float32\")) -> R.Tuple:\n    cls.a(x)\n    return R.tuple()\n")
	if err != nil || g.Name != "z" {
		t.Errorf("the graph is %+v (%v)", g, err)
	}
	if _, err := r.Graph(t.Context(), strings.Replace(printed, "R.add(x, x)", "R.add(x, z)", 1)); err == nil || !strings.HasPrefix(err.Error(), "the text does not parse: ") || !strings.Contains(err.Error(), ":3:") {
		t.Errorf("a wrong name gives %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("as asked")
	cancel(cause)
	if _, err := r.Graph(ctx, printed); !errors.Is(err, cause) {
		t.Errorf("after the context has ended it gives %v", err)
	}
	if _, err := r.Graph(t.Context(), "# nothing\n"); err == nil || !strings.Contains(err.Error(), "no module or function") {
		t.Errorf("a text without a function gives %v", err)
	}
}
