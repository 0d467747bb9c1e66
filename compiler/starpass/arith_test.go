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

// TestComparisons compares nodes: with <, and where an expression is expected, that makes an expression.
func TestComparisons(t *testing.T) {
	prints(t, `
from tvm import arith, tir
from tvm.ir import Range
def main(mod):
    i, n = tir.Var("i", "int32"), tir.Var("n", "int32")
    f = tir.Var("f", "float32")
    print(i < n, 10 <= i, i + 1 > n, i >= 1.5, 2 > f)
    an = arith.Analyzer()
    an.bind(i, Range(0, 16))
    print(an.can_prove(i < 20), an.can_prove(10 < i), an.can_prove(i != 20), an.can_prove(i == i))
    print(i == n, i != n, i == i, 3 == i, "yes" if i == i else "no", "no" if i == n else "yes")
    print(tir.And(i == n, i != 3))
    eq = i == n
    print(eq.a, eq.b, tir.Select(eq, 1, 2), [i == n and 1, i != n and 1])
    r = Range(2, 6)
    print(r.extent == 4, 4 == r.extent, r.min == r.extent, r.min != 2, r.extent == tir.IntImm("int64", 4))
    print(r.min < 3, i == None, None != i, i == "i", i in [n, i], i in {n: 1})
    if r.min < r.extent and not r.min > 3:
        print("constants have an order", 1 < 2 == 2 and r.min <= 2)
    return mod
`, `i < n 10 <= i i + 1 > n T.Cast("float32", i) >= T.float32(1.5) T.float32(2.0) > f
True False True True
False True True False yes yes
i == n and i != 3
i n T.Select(i == n, 1, 2) [False, 1]
True True False False True
T.bool(True) False True False True False
constants have an order T.bool(True)
`)
	for expr, want := range map[string]string{
		`1 if i < n else 2`:            "expression, whose value is not known",
		`not i < n`:                    "expression, whose value is not known",
		`0 <= i < n`:                   "expression, whose value is not known",
		`[1 for x in [1] if (i >= 2)]`: "expression, whose value is not known",
		`i < "a"`:                      "not implemented",
		`i < None`:                     "not implemented",
		`tir.And(h == h, 1)`:           "expected numbers",
	} {
		refuses(t, `
def main(mod):
    i, n, h = tir.Var("i", "int32"), tir.Var("n", "int32"), tir.Var("h", "handle")
    x = `+expr+`
    return mod
`, want)
	}
}

// TestSolveInequalities solves inequalities from a script.
func TestSolveInequalities(t *testing.T) {
	prints(t, `
from tvm import arith, tir
from tvm.ir import Range
from tvm.arith.int_solver import IntConstraints, IntGroupBounds
def main(mod):
    x, y = tir.Var("x", "int32"), tir.Var("y", "int32")
    ranges = {x: Range(-100, 100), y: Range(0, 10)}
    problem = [x + y <= 20, x - y >= 10]
    s = arith.solve_linear_inequalities(problem, [x, y], ranges)
    print(s.ranges[y].min, s.ranges[y].extent, s.ranges[x].min, s.ranges[x].extent, s.relations)
    t = arith.solve_linear_inequalities(IntConstraints([x, y], ranges, problem), deskew_range=True)
    [a, b] = t.dst.variables
    print(t.dst.ranges[a].extent, t.dst.ranges[b].extent, t.dst_to_src[a], t.dst_to_src[b], len(t.dst.relations))
    s = arith.solve_linear_inequalities([x > 3, x < 2], [x])
    print(len(s.variables), s.relations)
    t = arith.solve_linear_equations(IntConstraints([x, y], {}, [x + y == 20, x - y == 10]))
    print(t.src_to_dst[x], t.src_to_dst[y])
    g = IntGroupBounds(2, [y, 1], [], [y + 7])
    print(g.coef, g.lower, g.find_best_range().min, g.find_best_range().extent, IntGroupBounds(1, [], [], [y]).find_best_range())
    g = IntGroupBounds.from_range(Range(2, 6))
    print(g.lower, g.equal, g.upper)
    return mod
`, `0 6 y + 10 11 [x <= 20 - y]
11 6 x - y - 10 y 1
0 [T.bool(False)]
15 5
2 [y, 1] (y + 1) // 2 4 None
[2] [] [5]
`)
}

// TestIterMaps takes iteration maps apart and puts them together.
func TestIterMaps(t *testing.T) {
	prints(t, `
from tvm import arith, tir
from tvm.ir import Range
def main(mod):
    i, j = tir.Var("i", "int32"), tir.Var("j", "int32")
    dom = {i: Range(0, 8), j: Range(0, 4)}
    r = arith.detect_iter_map([(i * 4 + j) // 8, (i * 4 + j) % 8], dom, check_level="bijective")
    s = r.indices[0].args[0]
    print(s.lower_factor, s.extent, s.scale, s.source.extent, len(s.source.source.args), r.indices[0].base, s.dtype)
    print([arith.normalize_iter_map_to_expr(x) for x in r.indices])
    inv = arith.inverse_affine_iter_map(r.indices, [tir.Var("a", "int32"), tir.Var("b", "int32")])
    print(inv[i], inv[j])
    print(arith.iter_map_simplify([(i * 4 + j) // 4, (i * 4 + j) % 4], dom), arith.iter_map_simplify([i * i], dom))
    d = arith.subspace_divide([i * 4 + j], dom, [j], check_level=None)
    print([arith.normalize_iter_map_to_expr(m.source) for m in d[0]], [m.extent for m in d[0]], d[1][0].source)
    print(arith.subspace_divide([j * 8 + i], dom, [j]))
    n = arith.normalize_to_iter_sum(j + i * 4 + 7, dom)
    print([x.scale for x in n.args], n.base, isinstance(n, arith.IterSumExpr), isinstance(n, arith.IterMapExpr))
    m = arith.IterMark(i, 8)
    made = arith.IterSumExpr([arith.IterSplitExpr(m, 2, 4, 3)], 5)
    print(arith.normalize_iter_map_to_expr(made), made.args[0].source.source, arith.Analyzer().simplify(made))
    print(arith.detect_iter_map([i], dom, i < 4).indices[0].args[0].extent, len(arith.detect_iter_map([i], dom, check_level="bijective").errors))
    return mod
`, `1 4 1 4 1 0 int32
[(i * 4 + j) // 8, (i * 4 + j) % 8]
(b + a * 8) // 4 (b + a * 8) % 4
[(i * 4 + j) // 4, (i * 4 + j) % 4] [i * i]
[i, j] [8, 4] T.bool(True)
[]
[4, 1] 7 True True
i // 2 * 3 + 5 i i // 2 * 3 + 5
4 1
`)
}

// TestBounds deduces bounds and detects patterns.
func TestBounds(t *testing.T) {
	prints(t, `
from tvm import arith, tir
from tvm.ir import Range
def main(mod):
    i, j, n = tir.Var("i", "int32"), tir.Var("j", "int32"), tir.Var("n", "int32")
    b = arith.deduce_bound(i, i * 4 + j < 30, {}, {j: Range(0, 4)})
    print(b.min_value, b.max_value, b.is_nothing(), b.is_everything())
    b = arith.deduce_bound(i, i * n >= 8, {n: arith.IntervalSet(2, 2)}, {j: arith.IntSet.single_point(3)})
    print(b.min_value, b.max_value)
    print(arith.deduce_bound(i, i * i < 8, {}, {}).is_nothing(), arith.IntervalSet(None, None).is_everything())
    v = arith.IntSet.vector(tir.Ramp(i, 2, 4))
    print(v.min_value, v.max_value, arith.IntervalSet(1, n))
    print(arith.detect_linear_equation(i * 4 + j * n + 7, [i, j]), arith.detect_linear_equation(i * i, [i]))
    print(arith.detect_clip_bound(tir.And(i >= 3, i < n), [i]), arith.detect_clip_bound(i * i < 3, [i]))
    dom = {i: Range(0, 8)}
    for f in [arith.estimate_region_lower_bound, arith.estimate_region_strict_bound, arith.estimate_region_upper_bound]:
        r = f([Range(i * 2, i * 2 + 2)], dom, i < 4)
        print([(s.min_value, s.max_value) for s in r])
    print(arith.estimate_region_strict_bound([Range(i * i, i * i + 1)], dom, True))
    s = arith.Analyzer().int_set(i + n, {i: arith.IntervalSet(0, 3)})
    print(s.min_value, s.max_value)
    return mod
`, `None 6 False False
8 // n + 1 None
True True
i i + 6 IntervalSet(1, n)
[4, n, 7] []
[3, n - 1] []
[(0, 7)]
[(0, 7)]
[(0, 7)]
None
n n + 3
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

		`arith.detect_iter_map([i], {}, check_level="some")`:                                          "expected bijective (0), surjective (1), or nocheck (3)",
		`arith.detect_iter_map([1.5], {})`:                                                            "expected scalar integers",
		`arith.subspace_divide([i], {}, [i])`:                                                         "i is not in input_iters",
		`arith.inverse_affine_iter_map([i], [i])`:                                                     "expected an IterSumExpr",
		`arith.inverse_affine_iter_map(arith.detect_iter_map([i], {i: tir.Range(0, 4)}).indices, [])`: "one output for each index",
		`arith.normalize_to_iter_sum(1.5, {})`:                                                        "expected a scalar integer",
		`arith.IterMark(1.5, 3)`:                                                                      "expected a scalar integer",
		`arith.IterSplitExpr(3, 1, 2, 3)`:                                                             "expected an IterMark",
		`arith.IterSumExpr([i], 0)`:                                                                   "expected an IterSplitExpr",
		`arith.deduce_bound(i, i, {}, {})`:                                                            "expected a condition",
		`arith.deduce_bound(i, i < 3, {i: 3}, {})`:                                                    "expected an IntervalSet or a Range",
		`arith.IntervalSet(1.5, 2)`:                                                                   "expected a scalar integer",
		`arith.detect_clip_bound(i, [i])`:                                                             "expected a condition",
		`arith.detect_linear_equation(i, [i, i])`:                                                     "i is there twice",
		`arith.solve_linear_inequalities([i < 3], [i + 1])`:                                           "expected an integer variable",
		`arith.solve_linear_inequalities([i < 3] * 33, [i])`:                                          "expected at most 32",
		`arith.int_solver.IntGroupBounds(0, [], [], [])`:                                              "expected a number from 1",
		`arith.int_solver.IntGroupBounds(1, [1.5], [], [])`:                                           "expected scalar integers",
		`arith.estimate_region_upper_bound([i], {}, True)`:                                            "expected a Range",
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
