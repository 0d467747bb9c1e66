package ir

import "testing"

func TestNames(t *testing.T) {
	var n Names
	n.Use("x_2")
	n.Use("y1")
	for _, want := range []struct{ hint, sep, name string }{
		{"x", "_", "x"},
		{"x", "_", "x_1"},
		{"x", "_", "x_3"},
		{"x", "", "x1"},
		{"y", "", "y"},
		{"y", "", "y2"},
		{"x_1", "_", "x_1_1"},
		{"x", "_", "x_4"},
		{"", "", ""},
		{"", "", "1"},
	} {
		if got := n.Fresh(want.hint, want.sep); got != want.name {
			t.Errorf("fresh name for %q is %q, want %q", want.hint, got, want.name)
		}
	}
	seen := map[string]bool{}
	for range 200_000 { // 2*10^10 steps if each looked at those before
		name := n.Fresh("v", "")
		if seen[name] {
			t.Fatalf("%q is given out twice", name)
		}
		seen[name] = true
	}
}
