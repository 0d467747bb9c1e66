package runtime

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/irscope/irscope/runtime/abi"
)

// TestBudgets has kernels of all speeds poll: the budget comes to what takes pollTime, whatever it was, and one interruption changes little.
func TestBudgets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, perOp := range []float64{0.02, 0.2, 1, 2.5, 9} { // nanoseconds
		budget := uint32(abi.FirstBudget)
		took := func() time.Duration {
			return time.Duration(float64(budget) * perOp * (0.8 + 0.4*r.Float64()))
		}
		for range 12 {
			budget = nextBudget(budget, took())
		}
		for range 100 {
			got := time.Duration(float64(budget) * perOp)
			most := budget == abi.MostBudget && got < pollTime
			least := budget == abi.LeastBudget && got <= 2*pollTime
			if !most && !least && (got < pollTime/2 || got > 2*pollTime) {
				t.Fatalf("%v ns an operation: %d operations, %v", perOp, budget, got)
			}
			budget = nextBudget(budget, took())
		}
		before := budget
		if budget = nextBudget(budget, time.Second); budget < before/2 || budget < abi.LeastBudget {
			t.Errorf("an interruption made %d of %d", budget, before)
		}
	}
	for _, b := range []uint32{0, 1, abi.LeastBudget, abi.MostBudget} {
		for _, took := range []time.Duration{-1, 0, 1, time.Hour} {
			if n := nextBudget(b, took); b >= abi.LeastBudget && (n < abi.LeastBudget || n > abi.MostBudget) {
				t.Errorf("budget %d after %v: %d", b, took, n)
			}
		}
	}
}
