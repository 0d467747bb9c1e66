package lower

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
)

// Generated code cannot be interrupted, so every loop must come by a poll within a bounded number
// of operations of its own or of what surrounds it, however often it turns out to run. Each
// statement has a bound on the operations that it takes without taking them off the budget of
// work, and a loop keeps that bound finite:
//
//   - A loop of few operations in all does nothing; its operations count for what is around it. Where a generator says how many it calls few, a loop of some of them
//     takes them off when it has ended, so that several in a row do not add up.
//   - Where one turn costs TurnCost, each turn takes its cost off the budget.
//   - Otherwise the loop runs in strips of about stripCost, so that nothing is added to its turns.
//     What remains of the last strip is not taken off but counts, as a whole strip, for what is
//     around it.
//
// A function that others call takes what its body leaves off the budget when it is entered, where
// that is more than TurnCost.
const (
	quietCost = 1 << 20
	TurnCost  = 1 << 12
	stripCost = 1 << 14
)

// plan decides how the loop e polls, and returns the operations that it does not take off the
// budget. trips is infinite where it is not known. A loop that steps by one and is not left in
// the middle can run in strips.
func (e *LoopEffects) plan(trips float64, strips bool, quiet float64) float64 {
	total := trips * e.Body
	switch {
	case e.Body == 0 || trips == 0:
		return 0
	case quiet == 0 && total <= quietCost, total <= TurnCost:
		return total
	case total <= quiet:
		e.After = total
		return 1
	case e.Body < TurnCost && strips:
		e.Polls, e.Strip = true, int64(math.Ceil(stripCost/e.Body))
		return float64(e.Strip) * e.Body
	}
	e.Polls = true
	return 1
}

// inStrips reports whether s, with effects e, can run in strips.
func (e *LoopEffects) inStrips(s *tir.For) bool { return s.Step == nil && !e.Jumps }
