package bisect_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/instruments/bisect"
)

// TestParse reads predicates and writes them again, and refuses others.
func TestParse(t *testing.T) {
	for _, text := range []string{"wrong", "crash", "crash=index out of range", "invalid", "slower=5ms", "slower=2.5x", "contains=a|b", "lacks=="} {
		if p, err := bisect.Parse(text); err != nil || p.String() != text {
			t.Errorf("%s: got %v, %v", text, p, err)
		}
	}
	for text, want := range map[string]string{
		"": "unknown predicate", "bad": "unknown predicate", "wrong=1": "takes no value", "slower": "expected a time", "slower=1x": "above 1",
		"slower=-1s": "expected a time", "slower=NaNx": "above 1", "contains": "needs a regular expression", "contains=(": "missing closing",
	} {
		if _, err := bisect.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// TestScript asks a function of the caller.
func TestScript(t *testing.T) {
	s := seeds[0]
	h := bisect.Hooks{Script: func(_ context.Context, m *ir.Module) (bool, error) { return m.Lookup("relu") != nil, nil }}
	f, err := bisect.Find(t.Context(), subject(t, put(t, s.behind, s.pass)), &bisect.Predicate{Kind: bisect.Script}, h, bisect.Options{})
	if err != nil || f.Pass != "LegalizeOps" || !strings.HasPrefix(f.Passes, "LegalizeOps") || !strings.Contains(f.Source, "R.nn.relu") || strings.Contains(f.Source, "R.matmul") {
		t.Errorf("got %+v, %v", f, err)
	}
	boom := errors.New("boom")
	h.Script = func(context.Context, *ir.Module) (bool, error) { return false, boom }
	if _, err := bisect.Find(t.Context(), subject(t, nil), &bisect.Predicate{Kind: bisect.Script}, h, bisect.Options{}); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	if _, err := bisect.Find(t.Context(), subject(t, nil), &bisect.Predicate{Kind: bisect.Wrong}, h, bisect.Options{}); err == nil || !strings.Contains(err.Error(), "nothing here can tell") {
		t.Errorf("got %v", err)
	}
}

// TestStopped ends a search while the module is reduced: the best so far is there.
func TestStopped(t *testing.T) {
	s := seeds[0]
	ctx, cancel := context.WithCancel(t.Context())
	p, err := bisect.Parse("wrong")
	if err != nil {
		t.Fatal(err)
	}
	f, err := bisect.Find(ctx, subject(t, put(t, s.behind, s.pass)), p, hooks(), bisect.Options{Progress: func(text string) {
		if strings.HasPrefix(text, "the module: ") && strings.HasSuffix(text, "after 4 tests") {
			cancel()
		}
	}})
	if err != nil || f.Pass != s.pass.Name || f.Stopped == "" || f.Source == "" || f.After == "" || f.Passes != s.pass.Name {
		t.Errorf("got %+v, %v", f, err)
	}
}
