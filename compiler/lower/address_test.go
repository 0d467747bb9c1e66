package lower_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestAddresses splits constants off where memory instructions can add them without wrapping.
func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		name      string
		nonneg    bool
		k, c      int64
		maxOffset int64
		offset    uint64
	}{
		{"constant", true, 4, 40, 1 << 20, 40},
		{"none", true, 4, 40, 0, 0},
		{"too large", true, 4, 1<<20 + 4, 1 << 20, 0},
		{"below, within what lies before", true, 4, -40, 1 << 20, 0}, // a whole window is below
		{"of any sign", false, 4, 40, 1 << 20, 0},
		{"negative factor", true, -4, 40, 1 << 20, 0},
	} {
		for _, bits := range []int{32, 64} {
			g, root := newBuilder(bits, c.maxOffset)
			base, rb := g.param(g.Machine.Int(bits), true)
			i, ri := g.param(g.Machine.Int(bits), c.nonneg)
			n, off := g.Address(base, lower.Lin{Terms: []lower.Term{{N: i, K: c.k}}, C: c.c}, "A")
			if off != c.offset {
				t.Errorf("%s, %d bits: offset %d, want %d", c.name, bits, off, c.offset)
			}
			got, _ := g.result(root, n, map[lower.Reg]int64{rb: 1 << 12, ri: 3})
			if want := 1<<12 + 3*c.k + c.c; got+int64(off) != want {
				t.Errorf("%s, %d bits: address %d + %d, want %d", c.name, bits, got, off, want)
			}
		}
	}
}

// TestNarrowIndicesWrapAtTheirWidth does not take sums of 32 bits apart where pointers have 64, nor of
// 8 where they have 32: they may wrap.
func TestNarrowIndicesWrapAtTheirWidth(t *testing.T) {
	for _, c := range []struct {
		ptr   int
		d     dtype.DType
		taken bool
	}{{32, dtype.Int32T, true}, {32, dtype.Int64T, true}, {64, dtype.Int64T, true}, {64, dtype.Int32T, false}} {
		g, _ := newBuilder(c.ptr, 0)
		x := tir.NewVar("x", c.d)
		g.vars[x], _ = g.param(typeOf(x), false)
		l := g.Lin(tir.NewBinary(tir.OpAdd, x, tir.Const(c.d, 5)))
		if taken := l.C == 5; taken != c.taken {
			t.Errorf("pointers of %d bits: x + 5 of %s is %+v", c.ptr, c.d, l)
		}
		low := g.Lin(&tir.Cast{Type: dtype.MustParse("int8"), Value: tir.NewBinary(tir.OpAdd, x, tir.Const(c.d, 5))})
		if low.C != 0 {
			t.Errorf("pointers of %d bits: a cast that cuts bits off is taken apart: %+v", c.ptr, low)
		}
		cast := &tir.Cast{Type: dtype.Int64T, Value: tir.NewBinary(tir.OpAdd, x, tir.Const(c.d, 5))}
		if taken := g.Lin(cast).C == 5; taken != c.taken {
			t.Errorf("pointers of %d bits: the cast of x + 5 of %s is taken apart: %v", c.ptr, c.d, taken)
		}
	}
}

// TestDescending: places that go down with a loop, by no more than what lies before any pointer, have their constants in the instructions; an address is never below 0.
func TestDescending(t *testing.T) {
	for _, c := range []struct {
		turns, by int64
		shared    bool
	}{{5, 4, true}, {5, 5, false}} {
		a, b := ints("A", bufferSize), ints("B", bufferSize)
		i, n := tir.NewVar("i", dtype.Int32T), tir.NewSizeVar("n", dtype.Int32T)
		var body []tir.Stmt
		at := func(k int64) tir.Expr {
			return tir.NewBinary(tir.OpSub, tir.Int32(30+k), tir.NewBinary(tir.OpMul, i, tir.Int32(c.by)))
		}
		for k := range int64(4) {
			body = append(body, tir.Store(a, tir.Load(b, tir.Int32(k)), at(7*k)))
		}
		s := countOps(t, kernel(a, b, n, serial(i, tir.Int32(c.turns), body...)), 7)
		if s.low < 0 {
			t.Errorf("%d turns by %d: an address is %d", c.turns, c.by, s.low)
		}
		if shared := s.count[lower.Op(lower.Add)] <= 3*int(c.turns)+1; shared != c.shared {
			t.Errorf("%d turns by %d: %d additions, shared: %v, want %v", c.turns, c.by, s.count[lower.Op(lower.Add)], shared, c.shared)
		}
	}
}
