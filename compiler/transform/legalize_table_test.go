package transform

import (
	"testing"

	"github.com/irscope/irscope/compiler/op"
)

// TestEveryOperatorIsAccountedFor holds the table of operators against the rules.
func TestEveryOperatorIsAccountedFor(t *testing.T) {
	without := map[string]string{
		"relax.dynamic_strided_slice":    "legalizer.dynamicSlice makes two kernels of it",
		"relax.nn.attention_var_len":     "TVM has none either",
		"relax.unique":                   "legalizer.unique makes two kernels of it",
		"relax.nonzero":                  "legalizer.nonZero makes two kernels of it",
		"relax.multinomial_from_uniform": "DispatchSampling makes it",
	}
	for _, name := range op.Names() {
		_, excused := without[name]
		switch rule := legalizeRule(name) != nil; {
		case rule && structural(name):
			t.Errorf("%s has a rule and counts as structural", name)
		case !rule && !structural(name) && !excused:
			t.Errorf("%s has no rule", name)
		case rule && excused:
			t.Errorf("%s has a rule, it is listed as having none", name)
		}
	}
}
