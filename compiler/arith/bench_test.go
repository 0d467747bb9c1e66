package arith

import (
	"strconv"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
)

// convIndices are index expressions as a tiled convolution has them after fusing its loops.
var convIndices = []string{
	"fld(i, 56) * 3136 + flm(i, 56) * 56 + ax3",
	"(fld(flm(i, 3136), 56) * 2 + ry) * 58 + flm(flm(i, 3136), 56) * 2 + rx",
	"fld(i * 64 + j, 64) * 64 + flm(i * 64 + j, 64)",
	"fld(fld(i * 64 + j, 12544) * 12544 + flm(i * 64 + j, 12544), 64)",
	"(oc * 16 + oci) * 9 * 64 + rc * 9 + ry * 3 + rx",
	"fld(oc * 16 + oci, 16) * 16 + flm(oc * 16 + oci, 16) - oc * 16",
}

func benchAnalyzer(v *env) *Analyzer {
	a := NewAnalyzer()
	for name, n := range map[string]int64{"i": 12544, "j": 64, "ax3": 56, "ry": 3, "rx": 3, "rc": 64, "oc": 4, "oci": 16} {
		a.BindRange(v.variable(name), &tir.Range{Min: tir.Int32(0), Extent: tir.Int32(n)})
	}
	return a
}

func BenchmarkSimplify(b *testing.B) {
	for _, s := range convIndices {
		b.Run(s, func(b *testing.B) {
			v := newEnv()
			a, e := benchAnalyzer(v), v.expr(s)
			b.ReportAllocs()
			for b.Loop() {
				a.Simplify(e)
			}
		})
	}
}

func BenchmarkRewriteSimplify(b *testing.B) {
	v := newEnv()
	a, e := benchAnalyzer(v), v.expr(convIndices[1])
	b.ReportAllocs()
	for b.Loop() {
		a.RewriteSimplify(e)
	}
}

func BenchmarkCanProve(b *testing.B) {
	v := newEnv()
	a, e := benchAnalyzer(v), v.expr("i * 64 + j < 802816 && 0 <= oc * 16 + oci")
	b.ReportAllocs()
	for b.Loop() {
		if !a.CanProve(e) {
			b.Fatal("not proved")
		}
	}
}

func BenchmarkDetectIterMap(b *testing.B) {
	v := newEnv()
	dom := domains(v, "i : 12544 ; j : 64")
	indices := []tir.Expr{v.expr("fld(i * 64 + j, 3136)"), v.expr("flm(fld(i * 64 + j, 56), 56)"), v.expr("flm(i * 64 + j, 56)")}
	b.ReportAllocs()
	for b.Loop() {
		if len(DetectIterMap(indices, dom, nil, Bijective, NewAnalyzer(), true).Indices) != 3 {
			b.Fatal("no map")
		}
	}
}

// deepSum is i + (i + (i + ...)), n deep, with alternating constants.
func deepSum(v *env, n int) tir.Expr {
	e := tir.Expr(v.variable("i"))
	for k := range n {
		e = &tir.Binary{Op: tir.OpAdd, A: &tir.Binary{Op: tir.OpFloorDiv, A: e, B: tir.Int32(int64(k%5 + 1))}, B: v.variable("j")}
	}
	return e
}

func BenchmarkDeep1000(b *testing.B) {
	v := newEnv()
	a, e := benchAnalyzer(v), deepSum(v, 1000)
	for b.Loop() {
		a.Simplify(e)
	}
}

// TestNoBlowUp simplifies expressions with shared nodes and deep nesting, which are
// exponential or quadratic to a simplifier without memos and budgets.
func TestNoBlowUp(t *testing.T) {
	v := newEnv()
	a := benchAnalyzer(v)
	x := tir.Expr(v.variable("i"))
	for range 60 {
		x = &tir.Binary{Op: tir.OpFloorMod, A: &tir.Binary{Op: tir.OpMul, A: x, B: x}, B: tir.Int32(1000)}
	}
	a.Simplify(x)
	a.ConstIntBound(x)
	a.ModularSet(x)
	a.IntSet(x)
	cond := tir.Expr(tir.Bool(false))
	for k := range 40 {
		n := int64(k)
		cond = &tir.Binary{Op: tir.OpOr, A: cond, B: &tir.Binary{
			Op: tir.OpAnd, A: tir.LT(v.variable("ax3"), tir.Int32(n)), B: tir.EQ(v.variable("j"), tir.Int32(n)),
		}}
	}
	a.Extensions = TransitivelyProveInequalities | ConvertBooleanToAndOfOrs | ApplyConstraintsToBooleanBranches
	a.Simplify(cond)
	a.Extensions = 0
	a.Simplify(deepSum(v, 2000))
	y := tir.Expr(v.variable("i"))
	for k := range 2000 {
		y = &tir.Binary{Op: tir.OpFloorDiv, A: tir.Add(tir.Mul(y, tir.Int32(int64(k%7+2))), v.variable("j")), B: tir.Int32(int64(k%5 + 3))}
	}
	a.Simplify(y)
	many := tir.Expr(tir.Int32(0))
	for k := range 1500 {
		many = tir.Add(many, tir.Mul(v.variable("x"+string(rune('a'+k%26))+string(rune('a'+k/26))), tir.Int32(int64(k))))
	}
	a.Simplify(many)
}

// BenchmarkRules simplifies the left sides of all rows of the tables: every rule in all orders of its operands.
func BenchmarkRules(b *testing.B) {
	v := newEnv()
	var exprs []tir.Expr
	for _, file := range []string{"rewrite_simplify.txt", "rewrite_rules.txt"} {
		for _, r := range readRows(b, file) {
			exprs = append(exprs, v.expr(r.before))
		}
	}
	a := NewAnalyzer()
	b.ReportAllocs()
	for b.Loop() {
		for _, e := range exprs {
			a.RewriteSimplify(e)
		}
	}
}

// mixedExpr is an index of n nodes as unrolling and inlining make them: splits, conditions and sums in turn.
func mixedExpr(v *env, n int) tir.Expr {
	vars := []tir.Expr{v.variable("i"), v.variable("j"), v.variable("oc"), v.variable("rc"), v.variable("ax3")}
	var build func(n int) tir.Expr
	build = func(n int) tir.Expr {
		if n < 4 {
			return vars[n%len(vars)]
		}
		c := tir.Int32(int64(n%7 + 2))
		half := (n - 1) / 2
		switch n % 5 {
		case 0:
			return tir.NewBinary(tir.OpAdd, tir.NewBinary(tir.OpFloorDiv, build(n-4), c), vars[n%len(vars)])
		case 1:
			return tir.NewBinary(tir.OpAdd, build(half), build(n-1-half))
		case 2:
			return tir.NewBinary(tir.OpFloorMod, build(n-2), tir.Int32(int64(n%61+3)))
		case 3:
			return tir.NewBinary(tir.OpMin, build(half), build(n-1-half))
		}
		return tir.NewBinary(tir.OpMul, build(n-2), c)
	}
	return build(n)
}

// BenchmarkMixed10000 simplifies an expression of 10,000 nodes.
func BenchmarkMixed10000(b *testing.B) {
	v := newEnv()
	a, e := benchAnalyzer(v), mixedExpr(v, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		a.Simplify(e)
	}
}

// deepCondition nests n conditions, alternating && and ||.
func deepCondition(v *env, n int) tir.Expr {
	e := tir.Expr(tir.LT(v.variable("i"), tir.Int32(7)))
	for k := range n {
		op := tir.OpAnd
		if k%2 == 1 {
			op = tir.OpOr
		}
		x := v.variable("x" + string(rune('a'+k%26)) + string(rune('a'+k/26%26)))
		e = tir.NewBinary(op, tir.LT(x, tir.Int32(int64(k))), e)
	}
	return e
}

// BenchmarkDeepCondition simplifies a condition each of whose sides is assumed for the other.
func BenchmarkDeepCondition(b *testing.B) {
	for _, n := range []int{10, 20, 40, 80} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			v := newEnv()
			e := deepCondition(v, n)
			for b.Loop() {
				a := NewAnalyzer()
				a.Extensions = ApplyConstraintsToBooleanBranches
				a.Simplify(e)
			}
		})
	}
}
