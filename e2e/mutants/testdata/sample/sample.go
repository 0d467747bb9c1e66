// Package sample has one place for each kind of mutant.
package sample

import (
	"errors"
	"sync"
)

// Limit is a constant: it has no mutants where it is declared.
const Limit = 4

// Point has fields that a literal may lack.
type Point struct {
	X, Y int
	Near bool
}

// Between tells whether a < x <= b.
func Between(a, x, b int) bool { return a < x && x <= b }

// Outside tells whether x is before a, or after b and far.
func Outside(a, x, b int, far bool) bool {
	return x < a || x > b && far
}

// Arithmetic uses every operator.
func Arithmetic(a, b int) int {
	return a + b*(a-b)/(b%7) + a&b | a<<2
}

// Check returns an error for what is above the limit.
func Check(n int) error {
	err := errors.New("too many")
	if n > Limit {
		return err
	}
	return nil
}

// Make returns a point.
func Make(x, y int) Point {
	near := x == y
	return Point{X: x, Y: y, Near: near}
}

// Sub subtracts.
func Sub(a, b int) int { return a - b }

// Swapped calls Sub with two plain arguments.
func Swapped(p Point) int { return Sub(p.X, p.Y) }

// Log is a list under a lock.
type Log struct {
	mu    sync.Mutex
	items []int
	on    bool
}

// Append adds what is not odd, up to ten.
func (l *Log) Append(list ...int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range list {
		if n%2 != 0 {
			continue
		}
		l.items = append(l.items, n)
	}
	l.on = true
	if !l.on {
		panic("never")
	}
	return len(l.items) // a comment
}

// Table has a value in each kind of literal.
var Table = map[int][]Point{1: {{X: 1}, {X: 2, Near: true}}, 2: nil}

// Pick looks at constants of every kind.
func Pick(n int) (float32, int, bool) {
	switch n {
	case 1:
		return 1.5, len([Limit]int{0: 3}), true
	case 2:
		return float32(n) * 0.5, 1 << n, false
	}
	var list []string
	for i := 0; i < n; i++ {
		list = append(list, "x")
	}
	return 0, len(list), n == Limit
}
