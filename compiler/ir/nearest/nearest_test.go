package nearest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir/nearest"
)

func TestName(t *testing.T) {
	known := []string{"FuseOps", "FuseTIR", "FoldConstant", "tir.Simplify", "LegalizeOps"}
	for _, c := range []struct{ name, want string }{
		{"FuseOp", "FuseOps"},
		{"fuseops", "FuseOps"},
		{"Fuse", ""},
		{"FuseTRI", "FuseTIR"},
		{"FoldConstants", "FoldConstant"},
		{"tir.simplyfy", "tir.Simplify"},
		{"", ""},
		{"Vectorize", ""},
		{strings.Repeat("FuseOps", 20), ""},
	} {
		for range 2 {
			if got := nearest.Name(c.name, slices.Values(known)); got != c.want {
				t.Errorf("nearest to %q is %q, expected %q", c.name, got, c.want)
			}
			slices.Reverse(known) // the order of candidates is of no account
		}
	}
}
