package tirpass

import (
	"runtime"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
)

// TestNamesAreNotReused names loads of which nothing else keeps hold: one that is gone must not give its name to another one.
func TestNamesAreNotReused(t *testing.T) {
	n := newNormalizer()
	b := tir.NewBuffer("A", tir.Int32(0).Type, []tir.Expr{tir.Int(1000)}, "")
	seen := map[string]int{}
	for i := range 1000 {
		name := n.name(tir.Load(b, tir.Int(int64(i))))
		if other, ok := seen[name]; ok {
			t.Fatalf("A[%d] and A[%d] have the name %s", other, i, name)
		}
		seen[name] = i
		if i%50 == 0 {
			runtime.GC()
		}
	}
}
