package sample

import "testing"

func TestSample(t *testing.T) {
	eq := func(got, want any) {
		t.Helper()
		if got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	eq(Between(1, 1, 3), false)
	eq(Between(1, 2, 3), true)
	eq(Between(1, 3, 3), true)
	eq(Between(1, 4, 3), false)
	eq(Outside(1, 0, 3, false), true)
	eq(Outside(1, 1, 3, true), false)
	eq(Outside(1, 3, 3, true), false)
	eq(Outside(1, 4, 3, true), true)
	eq(Outside(1, 4, 3, false), false)
	eq(Arithmetic(13, 5), 62)
	eq(Arithmetic(40, 15), 423)
	eq(Check(4), nil)
	eq(Check(5) == nil, false)
	eq(Make(2, 2), Point{2, 2, true})
	eq(Make(2, 3), Point{2, 3, false})
	eq(Swapped(Point{X: 5, Y: 2}), 3)
	var l Log
	eq(l.Append(1, 2, 4), 2)
	eq(l.Append(6), 3)
	eq(l.on, true)
	eq(Table[1][0], Point{X: 1})
	eq(Table[1][1], Point{X: 2, Near: true})
	eq(len(Table[1]), 2)
	_, ok := Table[2]
	eq(ok, true)
	f, n, b := Pick(1)
	eq(f, float32(1.5))
	eq(n, 4)
	eq(b, true)
	f, n, b = Pick(2)
	eq(f, float32(1))
	eq(n, 4)
	eq(b, false)
	f, n, b = Pick(4)
	eq(f, float32(0))
	eq(n, 4)
	eq(b, true)
	_, _, b = Pick(3)
	eq(b, false)
}
