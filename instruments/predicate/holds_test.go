package predicate_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/instruments/predicate"
)

// TestHolds asks the predicate of a script about a module.
func TestHolds(t *testing.T) {
	c, err := pass.NewContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"def predicate(mod): return len(mod.functions) == 0": "true",
		"def predicate(mod): return len(mod.functions) > 0":  "false",
		"def predicate(): return True":                       "true",
		"predicate = lambda mod: len(mod.functions) == 0":    "true",
		"x = 1":                                  "there is no function predicate",
		"predicate = 3":                          "there is no function predicate",
		"def predicate(m): return True":          "a.star:1:15: predicate asks for m; it can have mod",
		"def predicate(mod): return 7":           "predicate returned int, expected True or False",
		"def predicate(mod): return mod.nothing": "a.star:1:28",
		"def predicate(mod):\n  for i in range(100000000): pass\n  return True": "steps",
	} {
		s, err := starpass.Parse("a.star", source, starpass.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		yes, err := predicate.Holds(c, s, ir.NewModule())
		got := "false"
		switch {
		case err != nil:
			got = err.Error()
		case yes:
			got = "true"
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", source, got, want)
		}
	}
}
