package dpl

import (
	"fmt"

	"github.com/irscope/irscope/compiler/budget"
)

// The bounds of one Match. Patterns come from scripts too.
const (
	maxSteps     = 1 << 22
	maxDepth     = 10_000
	maxRelations = 10_000
)

var (
	errSteps     = fmt.Errorf("comparing one expression with a pattern takes more than the limit of %d steps: give the pattern fewer alternatives, or fewer operands of additions and multiplications", maxSteps)
	errDepth     = fmt.Errorf("a pattern holds others more than the limit of %d deep", maxDepth)
	errRelations = fmt.Errorf("a pattern context has more than the limit of %d relations", maxRelations)
)

// spend counts a step.
func (m *matcher) spend() {
	m.steps++
	switch {
	case m.steps > maxSteps:
		panic(&budget.Stop{Cause: errSteps})
	case m.depth > maxDepth:
		panic(&budget.Stop{Cause: errDepth})
	}
	m.work.Spend(1)
}
