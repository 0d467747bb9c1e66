package linediff_test

import (
	"testing"

	"github.com/irscope/irscope/instruments/linediff"
)

// TestBound checks what a line binds.
func TestBound(t *testing.T) {
	for line, want := range map[string]string{
		`    lv: R.Tensor((2,)) = R.add(x, y)`: "lv",
		"  lv = x":                             "lv",
		"  T_add[v0] = x[v0]":                  "T_add",
		"  def main(x: R.Object):":             "def main",
		"  for i in T.grid(3):":                "",
		"  else: ":                             "",
		"  return lv":                          "",
		"  R.output(lv)":                       "",
		`  with T.sblock("a"):`:                "",
		"  x == y":                             "",
		"def ":                                 "",
		"":                                     "",
	} {
		if got := linediff.Bound(line); got != want {
			t.Errorf("%q binds %q, want %q", line, got, want)
		}
	}
}
