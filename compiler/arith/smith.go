package arith

import "github.com/irscope/irscope/compiler/tir"

// diophantine is a system of linear equations over the integers, S * W*x = U*y, where W is the inverse of
// V. Row and column operations keep it true while diagonalize makes S diagonal, after which it can be read
// off. The start is S the matrix of coefficients, and U, V and W identities.
type diophantine struct {
	s, u, v, w [][]int64
	x, y       []tir.Expr
}

// identity returns the n unit vectors.
func identity(n int) [][]int64 {
	out := make([][]int64, n)
	for i := range out {
		out[i] = make([]int64, n)
		out[i][i] = 1
	}
	return out
}

// maxCoefficient bounds the numbers of a system: beyond it the equations are not solved.
const maxCoefficient = 1 << 30

// diagonalize brings S to a diagonal form, after TVM's SmithNormalFormDiag: Euclid's algorithm on rows
// clears the column under each pivot, on columns the row right of it. It reports false where the numbers
// grow too large. The cost is a logarithm of the coefficients times the cube of the size.
func (d *diophantine) diagonalize() bool {
	m, n := len(d.s), len(d.v)
	for k := 0; k < min(m, n); k++ {
		if !d.pivot(k) {
			continue
		}
		for clean := false; !clean; {
			for i := k + 1; i < m; i++ {
				if d.s[i][k] != 0 && !d.clearBelow(k, i) {
					return false
				}
			}
			clean = true
			for j := k + 1; j < n; j++ {
				if d.s[k][j] == 0 {
					continue
				}
				disturbed, ok := d.clearRight(k, j)
				if !ok {
					return false
				}
				clean = clean && !disturbed
			}
		}
	}
	return true
}

// pivot moves a coefficient that is not zero to (k, k), the least of its column if there is one there. It
// reports whether it found one.
func (d *diophantine) pivot(k int) bool {
	best := k
	for i := k; i < len(d.s); i++ {
		x, old := abs(d.s[i][k]), abs(d.s[best][k])
		if x != 0 && (old == 0 || x < old) {
			best = i
		}
	}
	d.s[k], d.s[best] = d.s[best], d.s[k]
	d.u[k], d.u[best] = d.u[best], d.u[k]
	if d.s[k][k] != 0 {
		return true
	}
	for j := k + 1; j < len(d.v); j++ {
		if d.s[k][j] == 0 {
			continue
		}
		for i := k; i < len(d.s); i++ {
			d.s[i][k], d.s[i][j] = d.s[i][j], d.s[i][k]
		}
		for i := range d.v {
			d.v[i][k], d.v[i][j] = d.v[i][j], d.v[i][k]
		}
		d.w[k], d.w[j] = d.w[j], d.w[k]
		return true
	}
	return false
}

func abs(x int64) int64 { return max(x, -x) }

// bezout returns g = a*x + b*y, the greatest common divisor of x and y, or x itself where that divides y:
// then the pivot stays as it is, so that the elimination ends.
func bezout(x, y int64) (g, a, b int64) {
	if y%x == 0 {
		return x, 1, 0
	}
	return extendedEuclid(x, y)
}

func extendedEuclid(x, y int64) (g, a, b int64) {
	s, oldS, r, oldR := int64(0), int64(1), y, x
	for r != 0 {
		q := oldR / r
		oldR, r = r, oldR-q*r
		oldS, s = s, oldS-q*s
	}
	if oldR < 0 {
		oldR, oldS = -oldR, -oldS
	}
	if y == 0 {
		return oldR, oldS, 0
	}
	return oldR, oldS, (oldR - oldS*x) / y
}

// clearBelow adds rows k and i so that (i, k) becomes zero.
func (d *diophantine) clearBelow(k, i int) bool {
	g, a, b := bezout(d.s[k][k], d.s[i][k])
	p, q := d.s[k][k]/g, d.s[i][k]/g
	return combineRows(d.s, k, i, a, b, q, -p) && combineRows(d.u, k, i, a, b, q, -p)
}

// clearRight adds columns k and j so that (k, j) becomes zero. disturbed says that the column under the
// pivot may not be clear any more.
func (d *diophantine) clearRight(k, j int) (disturbed, ok bool) {
	disturbed = d.s[k][j]%d.s[k][k] != 0
	g, a, b := bezout(d.s[k][k], d.s[k][j])
	p, q := d.s[k][k]/g, d.s[k][j]/g
	for _, rows := range [2][][]int64{d.s, d.v} {
		for _, row := range rows {
			x, y := row[k], row[j]
			row[k], row[j] = a*x+b*y, q*x-p*y
			if tooLarge(row[k]) || tooLarge(row[j]) {
				return false, false
			}
		}
	}
	return disturbed, combineRows(d.w, k, j, p, q, b, -a)
}

// combineRows makes rows k and i of m a times the one and b times the other, and p and q times.
func combineRows(m [][]int64, k, i int, a, b, p, q int64) bool {
	for j, x := range m[k] {
		y := m[i][j]
		m[k][j], m[i][j] = a*x+b*y, p*x+q*y
		if tooLarge(m[k][j]) || tooLarge(m[i][j]) {
			return false
		}
	}
	return true
}

func tooLarge(x int64) bool { return abs(x) > maxCoefficient }

// dot returns the sum of the products of the numbers and the expressions.
func dot(row []int64, xs []tir.Expr, zero tir.Expr) tir.Expr {
	sum := zero
	for i, c := range row {
		sum = tir.Add(sum, tir.Mul(xs[i], tir.Const(xs[i].DType(), c)))
	}
	return sum
}
