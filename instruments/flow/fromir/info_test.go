package fromir

import "testing"

// TestSingle writes numbers of float32 in as few digits as name them, and leaves all else as it is.
func TestSingle(t *testing.T) {
	for in, want := range map[string]string{
		"1.0000000656873453e-05": "1.0000001e-05", "9.999999747378752e-06": "1e-05", "-0.10000000149011612": "-0.1", "0.1": "0.1", "2.0": "2.0",
		"3": "3", "True": "True", `float("nan")`: `float("nan")`, "1e+300": "1e+300", "": "",
	} {
		if got := single(in); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}
