package arith

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
)

// TestRewriteSimplify checks each row of the table, whose facts are those of TVM v0.23's
// test_arith_rewrite_simplify. Left out is
// 0.0 * x, which is not 0 for an x of NaN or infinity; and two rows that divide a vector of
// any sign, truncating, ask for x >= 0 here, without which they do not hold. rewrite_rules.txt has
// a row for each rule in each order of its operands, and near misses that must stay as they are.
func TestRewriteSimplify(t *testing.T) {
	rows := append(readRows(t, "rewrite_simplify.txt"), readRows(t, "rewrite_rules.txt")...)
	failed := map[string]int{}
	for _, r := range rows {
		a := NewAnalyzer()
		if strings.HasPrefix(r.section, "ComparisonOfProductAndSum") {
			a.Extensions = ComparisonOfProductAndSum
		}
		v := newEnv()
		cond := tir.Expr(tir.Bool(true))
		for _, c := range r.conditions {
			cond = tir.And(cond, v.expr(c))
		}
		before, want := v.expr(r.before), v.expr(r.expected)
		exit := a.EnterConstraint(cond)
		got := a.RewriteSimplify(before)
		exit()
		if !Equal(got, want) {
			failed[r.section]++
			t.Errorf("line %d (%s): %s\n got %s\nwant %s\n%v", r.line, r.section, show(before), show(got), show(want), r.conditions)
		}
	}
	if len(failed) > 0 {
		t.Logf("failed by section of %d rows: %v", len(rows), failed)
	}
}
