package starpass_test

import "testing"

// TestAnalyzer asks an analyzer, and solves equations.
func TestAnalyzer(t *testing.T) {
	prints(t, `
from tvm import arith, tir
def main(mod):
    i, n = tir.Var("i", "int32"), tir.Var("n", "int32")
    an = arith.Analyzer()
    an.bind(i, tir.Range(0, 16))
    print(an.simplify(i // 16), an.rewrite_simplify(i + i), an.can_prove(tir.LT(i, 20)), an.can_prove(tir.LT(i, 10)))
    b = an.const_int_bound(i * 2 + 1)
    m = an.modular_set(i * 4 + 1)
    print(b.min_value, b.max_value, m.coeff, m.base)
    with an.constraint_scope(tir.LT(i, 10)):
        print(an.can_prove(tir.LT(i, 10)), an.can_prove(tir.EQ(n, 3)))
    print(an.can_prove(tir.LT(i, 10)), an.can_prove_equal(i + n - i, n))
    s = an.int_set(n + 1, {n: tir.Range(0, 4)})
    print(s.min_value, s.max_value)
    x, y = tir.Var("x", "int32"), tir.Var("y", "int32")
    t = arith.solve_linear_equations([tir.EQ(x + y, 20), tir.EQ(x - y, 10)], [x, y])
    print(t.src_to_dst[x], t.src_to_dst[y], len(t.dst.variables))
    r = arith.detect_iter_map([i // 4, i % 4], {i: tir.Range(0, 16)})
    print(len(r.indices), len(r.errors))
    print(len(arith.detect_iter_map([i * i], {i: tir.Range(0, 16)}).errors) > 0)
    print(arith.narrow_predicate_expression(tir.LT(i + n, 10), {i: tir.Range(0, 4)}))
    a = tir.Buffer(tir.Var("a", "handle"), "float32", [16], name="a")
    r = arith.domain_touched(tir.BufferStore(a, 1.0, [3]), a)
    print(len(r), r[0].min, r[0].extent, len(arith.domain_touched(tir.BufferStore(a, 1.0, [3]), a, consider_stores=False)))
    return mod
`, `0 i * 2 True False
1 31 4 1
True False
False True
1 4
15 5 0
2 0
True
3 + n < 10
1 3 1 0
`)
}

// TestAnalyzerRefuses gives the analyzer what it does not take.
func TestAnalyzerRefuses(t *testing.T) {
	for call, want := range map[string]string{
		`an.bind(3, 4)`:                            "expected a variable",
		`an.bind(i, 1.5)`:                          "and the expression float32",
		`an.can_prove(i + 1)`:                      "expected a condition",
		`an.can_prove(tir.LT(i, 1), 7)`:            "expected 0 (DEFAULT) or 1",
		`an.const_int_bound(1.5)`:                  "expected a scalar integer",
		`an.constraint_scope(i)`:                   "expected a condition",
		`arith.detect_iter_map([i], [i])`:          "expected a dictionary from variables to ranges",
		`arith.solve_linear_equations([], [3])`:    "expected an integer variable",
		`arith.domain_touched(i, i)`:               "expected a statement",
		`arith.narrow_predicate_expression(i, {})`: "expected a condition",
	} {
		refuses(t, `
def main(mod):
    i = tir.Var("i", "int32")
    an = arith.Analyzer()
    `+call+`
    return mod
`, want)
	}
}
