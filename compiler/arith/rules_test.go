package arith

import "testing"

// TestRulesAreRead compiles all rules; names are used once.
func TestRulesAreRead(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.Name] {
			t.Errorf("two rules are named %s", r.Name)
		}
		seen[r.Name] = true
	}
	t.Logf("%d rules", len(seen))
}
