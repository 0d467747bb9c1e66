// Package arith is the integer analysis of the compiler: constant bounds, modular sets,
// interval sets, affine iteration maps, and the two simplifiers that use them.
//
// An Analyzer knows what holds of variables (Bind, BindRange) and in which scope
// (EnterConstraint), and answers questions about expressions: Simplify, CanProve,
// ConstIntBound, ModularSet, IntSet. Integers are taken not to overflow and divisors not to
// be zero, as index arithmetic of a valid program never does either.
//
// A Mutator rewrites statements with an Analyzer that knows what holds at each place.
//
// The rules are those of TVM v0.23 (src/arith): the lines of rules/*.rules, which are compiled to matching, see
// rules.go. Systems of linear equations and inequalities are solved by SolveLinearEquations and SolveInequalities.
//
// Simplifying takes steps that grow as n*log(n) with the nodes of an expression (TestFamiliesAreLinear), and a question
// ends where its steps are used up (MaxSteps).
//
// It may be imported by everything under compiler/ above the loop level: passes,
// schedules, te. It knows the loop level only: no passes, no graph level.
package arith
