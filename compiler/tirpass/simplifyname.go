package tirpass

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// maxRules bounds the rules that a reason lists.
const maxRules = 8

// byRules writes which rules made an expression what it is, in order, each once. irscope simplify --explain
// shows what each of them did.
func byRules(rules []string) string {
	var out []string
	more := ""
	for _, r := range rules {
		switch {
		case slices.Contains(out, r):
		case len(out) == maxRules:
			more = " and others"
		default:
			out = append(out, r)
		}
	}
	if len(out) == 1 {
		return "by the rule " + out[0]
	}
	return "by the rules " + strings.Join(out, ", ") + more
}

// simplification names what became of an expression, by the operations that are gone. It compares
// the two ends, since between them lie any number of rules in two simplifiers, whose results are
// remembered. Where several kinds of operations are gone the first of the list gives the name.
// It walks both expressions once: callers ask only if someone listens.
func simplification(before, after tir.Expr) string {
	switch after.(type) {
	case *tir.IntImm, *tir.FloatImm:
		if after.DType().IsBool() {
			return "decide a condition"
		}
		return "fold into a constant"
	}
	had, has := countOperations(before), countOperations(after)
	for kind, name := range operationKinds {
		if has[kind] < had[kind] {
			return name
		}
	}
	if after.DType().IsBool() {
		return "normalize a condition"
	}
	return "collect terms"
}

// The kinds of operations that a simplification may remove.
const (
	kindChoice = iota
	kindMinMax
	kindDivision
	kindCondition
	kindCast
	kinds
)

// operationKinds has the name of a simplification that removes an operation of a kind.
var operationKinds = [kinds]string{
	kindChoice:    "decide a choice",
	kindMinMax:    "decide a minimum or maximum",
	kindDivision:  "resolve a division or remainder",
	kindCondition: "drop a part of a condition",
	kindCast:      "remove a cast",
}

// countOperations counts the operations in e by kind.
func countOperations(e tir.Expr) (n [kinds]int) {
	ir.Walk(e, func(x ir.Node) bool {
		switch x := x.(type) {
		case *tir.Select:
			n[kindChoice]++
		case *tir.Call:
			if x.Op == tir.OpIfThenElse {
				n[kindChoice]++
			}
		case *tir.Cast:
			n[kindCast]++
		case *tir.Not:
			n[kindCondition]++
		case *tir.Binary:
			switch x.Op {
			case tir.OpMin, tir.OpMax:
				n[kindMinMax]++
			case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
				n[kindDivision]++
			case tir.OpEQ, tir.OpNE, tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE, tir.OpAnd, tir.OpOr:
				n[kindCondition]++
			}
		}
		return true
	})
	return n
}
