package arith

import "github.com/irscope/irscope/compiler/tir"

// What a trace calls the steps that are not in the table of rules.
const (
	ruleCollect = "canonical.collect" // terms of a sum, splits of the same index among them
	ruleDivide  = "canonical.divide"  // a comparison by what the coefficients share
	ruleFold    = "fold"              // an operation on constants, or on a neutral operand
	ruleAssumed = "assumed"           // a condition that is known to hold, or not to
)

// Rewrote is one application of a rule: what it was applied to and what it made of that, before this is
// simplified in turn.
type Rewrote struct {
	Rule          string
	Before, After tir.Expr
}

// rewrote reports the application of a rule, unless it is for a question on the way whose answer is no part
// of the result.
func (a *Analyzer) rewrote(rule string, before, after tir.Expr) {
	if a.Trace != nil && a.quiet == 0 {
		a.Trace(Rewrote{Rule: rule, Before: before, After: after})
	}
}

// named reports that before became after by what is not in the table of rules, and returns after.
func (s *simplifier) named(rule string, before, after tir.Expr) tir.Expr {
	if after != before {
		s.a.rewrote(rule, before, after)
	}
	return after
}
