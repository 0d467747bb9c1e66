package execute

import "testing"

// TestRecent uses one entry again and again while others are forgotten.
func TestRecent(t *testing.T) {
	r := newRecent[int, string](20)
	r.put(0, "used", 1)
	r.put(-1, "too large", 11)
	for i := 1; i < 100; i++ {
		r.put(i, "x", 4)
		if v, ok := r.get(0); !ok || v != "used" {
			t.Fatalf("after %d entries, the one that is used is gone", i)
		}
		if n := len(r.young) + len(r.old); n > 7 {
			t.Fatalf("%d entries are kept", n)
		}
	}
	if _, ok := r.get(1); ok {
		t.Error("an entry that was not used is kept")
	}
	if _, ok := r.get(-1); ok {
		t.Error("an entry of more than half of the bound is kept")
	}
	if _, ok := r.get(99); !ok {
		t.Error("the last entry is gone")
	}
}
