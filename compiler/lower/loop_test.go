package lower_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// kernel is a function over two int32 buffers that do not overlap, and a size.
func kernel(a, b *tir.Buffer, n *tir.Var, body ...tir.Stmt) *tir.PrimFunc {
	return &tir.PrimFunc{
		RetType: ir.VoidType(), Body: tir.Seq(body...), Attrs: ir.NewAttrs("tir.noalias", true),
		Params:  []*tir.Var{tir.NewVar("A_handle", dtype.HandleT), tir.NewVar("B_handle", dtype.HandleT), n},
		Buffers: []*tir.Buffer{a, b, nil},
	}
}

// countOps runs f on 64 elements each and a size, and returns what was executed.
func countOps(t *testing.T, f *tir.PrimFunc, size int64) *machineState {
	t.Helper()
	root, params := build(t, f, toy(32, 1<<20))
	return execute(root, make([]int32, 16+2*bufferSize), map[lower.Reg]int64{params[0]: 64, params[1]: 64 + 4*bufferSize, params[2]: size})
}

func serial(v *tir.Var, extent tir.Expr, body ...tir.Stmt) tir.Stmt {
	return &tir.For{LoopVar: v, Min: tir.Int32(0), Extent: extent, Body: tir.Seq(body...)}
}

// TestInvariants counts what runs in a loop that surely runs: an invariant product and the read of memory
// that the loop does not write run once; what it writes is read in each turn.
func TestInvariants(t *testing.T) {
	a, b := ints("A", bufferSize), ints("B", bufferSize)
	i, n := tir.NewVar("i", dtype.Int32T), tir.NewSizeVar("n", dtype.Int32T)
	product := tir.NewBinary(tir.OpMul, n, n)
	read := func(x *tir.Buffer) tir.Expr { return tir.Load(x, tir.Int32(5)) }
	for _, c := range []struct {
		name   string
		extent tir.Expr
		value  tir.Expr
		op     lower.Op
		want   int
	}{
		{"product", tir.Int32(10), product, lower.Op(lower.Mul), 1},
		{"product in a loop that may not run", n, product, lower.Op(lower.Mul), 1},
		{"read", tir.Int32(10), read(b), opLoad, 1},
		{"read of what is written", tir.Int32(10), read(a), opLoad, 10},
		{"read in a loop that is guarded", n, read(b), opLoad, 1},
		{"division", tir.Int32(10), tir.NewBinary(tir.OpDiv, tir.Int32(100), n), lower.Op(lower.DivS), 10},
	} {
		s := countOps(t, kernel(a, b, n, serial(i, c.extent, tir.Store(a, c.value, i))), 7)
		if got := s.count[c.op]; got != c.want {
			t.Errorf("%s: computed %d times, want %d", c.name, got, c.want)
		}
	}
}

// TestInvariantVariables does the same with what an array in variables holds: a product of it is computed once around a loop that does not write the array, and in each turn of
// one that does, also where another loop writes it.
func TestInvariantVariables(t *testing.T) {
	for _, c := range []struct {
		name   string
		inside bool // the loop writes the array
		want   int
	}{{"before", false, 1}, {"inside", true, 10}} {
		a, b := ints("A", bufferSize), ints("B", bufferSize)
		i, n := tir.NewVar("i", dtype.Int32T), tir.NewSizeVar("n", dtype.Int32T)
		kept := tir.NewBuffer("kept", dtype.Int32T, []tir.Expr{tir.Int32(1)}, "local")
		value := tir.Load(kept, tir.Int32(0))
		set := func(to tir.Expr) tir.Stmt { return tir.Store(kept, to, tir.Int32(0)) }
		body := []tir.Stmt{tir.Store(a, tir.NewBinary(tir.OpMul, value, value), i)}
		if c.inside {
			body = append(body, set(tir.Add(value, i)))
		}
		f := kernel(a, b, n, tir.Seq(set(n), serial(i, tir.Int32(10), body...), set(tir.Int32(3)), tir.Store(b, value, tir.Int32(0))))
		f.Body = &tir.Allocate{Var: kept.Data, Type: kept.DType, Extents: kept.Shape, Condition: tir.Bool(true), Body: f.Body}
		if got := countOps(t, f, 7).count[lower.Op(lower.Mul)]; got != c.want {
			t.Errorf("set %s: computed %d times, want %d", c.name, got, c.want)
		}
		checkProgram(t, f, 7, 1<<20)
	}
}

// TestInduction keeps addresses up to date by additions: no multiplication in any turn, also for
// strides that are not constants.
func TestInduction(t *testing.T) {
	a, b := ints("A", bufferSize), ints("B", bufferSize)
	i, j, n := tir.NewVar("i", dtype.Int32T), tir.NewVar("j", dtype.Int32T), tir.NewSizeVar("n", dtype.Int32T)
	at := tir.NewBinary(tir.OpAdd, tir.NewBinary(tir.OpMul, i, n), tir.NewBinary(tir.OpMul, j, tir.Int32(3)))
	s := countOps(t, kernel(a, b, n, serial(i, tir.Int32(4), serial(j, tir.Int32(5), tir.Store(a, tir.Load(b, at), at)))), 9)
	// Before the outer loop: 4*n once, as the step of two addresses and times their start.
	if got := s.count[lower.Op(lower.Mul)]; got > 4 {
		t.Errorf("%d multiplications in 20 turns", got)
	}
	cond := tir.NewBinary(tir.OpLT, j, tir.Int32(2))
	checkProgram(t, kernel3(n, func(x []*tir.Buffer) tir.Stmt {
		// An address that only some turns use must advance in all of them.
		return serial(i, tir.Int32(4), serial(j, tir.Int32(4), &tir.IfThenElse{Cond: cond, Then: tir.Store(x[0], tir.Load(x[1], at), at)}))
	}), 32, 1<<20)
}

// TestInductionOfWhatChanges does not keep addresses whose start or step changes in the loop.
func TestInductionOfWhatChanges(t *testing.T) {
	for _, c := range []struct {
		name string
		lin  func(g *toyGen, i *lower.Node) (base *lower.Node, l lower.Lin)
		want func(i int64) int64
	}{
		{"start", func(g *toyGen, i *lower.Node) (*lower.Node, lower.Lin) {
			return g.Op(opMulti, 0, 0, i), lower.Lin{Terms: []lower.Term{{N: i, K: 4}}}
		}, func(i int64) int64 { return i*i + 1 + 4*i }},
		{"factor", func(g *toyGen, i *lower.Node) (*lower.Node, lower.Lin) {
			return g.Int(32, 100), lower.Lin{Terms: []lower.Term{{N: g.Fn(lower.Mul, i, g.Op(opMulti, 0, 0, i)), K: 4}}}
		}, func(i int64) int64 { return 100 + 4*i*(i*i+1) }},
		{"neither", func(g *toyGen, i *lower.Node) (*lower.Node, lower.Lin) {
			return g.Int(32, 100), lower.Lin{Terms: []lower.Term{{N: i, K: 12}}}
		}, func(i int64) int64 { return 100 + 12*i }},
	} {
		g, root := newBuilder(32, 0)
		sum := g.NewVariable(nil, "sum", i32)
		g.Set(sum, g.Int(32, 0))
		g.Loop(lower.Loop{Name: "i", Effects: &lower.LoopEffects{}, Lo: g.Int(32, 2), End: g.Int(32, 7), Step: g.Int(32, 1), Body: func(i *lower.Node, _ *lower.Region) *lower.Region {
			base, l := c.lin(g, i)
			g.Set(sum, g.Fn(lower.Add, g.Read(sum), g.Sum(base, l)))
			return nil
		}})
		want := int64(0)
		for i := int64(2); i < 7; i++ {
			want += c.want(i)
		}
		regs := map[lower.Reg]int64{}
		execute(root, nil, regs)
		if regs[sum.Reg] != want {
			t.Errorf("%s: %d, want %d", c.name, regs[sum.Reg], want)
		}
	}
}

// kernel3 is a function over the three buffers that checkProgram fills.
func kernel3(n *tir.Var, body func(x []*tir.Buffer) tir.Stmt) *tir.PrimFunc {
	f := &tir.PrimFunc{RetType: ir.VoidType(), Attrs: ir.NewAttrs("tir.noalias", true)}
	for _, name := range []string{"A", "B", "C"} {
		b := ints(name, bufferSize)
		f.Params, f.Buffers = append(f.Params, tir.NewVar(name+"_handle", dtype.HandleT)), append(f.Buffers, b)
	}
	f.Body = body(f.Buffers)
	f.Params, f.Buffers = append(f.Params, n), append(f.Buffers, nil)
	return f
}

// TestCost says how loops poll: not at all where they are short, in strips where a turn is little, and
// each turn where it is much, so that no more than the quiet cost and a strip runs unseen.
func TestCost(t *testing.T) {
	a, b := ints("A", bufferSize), ints("B", bufferSize)
	i, j, n := tir.NewVar("i", dtype.Int32T), tir.NewVar("j", dtype.Int32T), tir.NewSizeVar("n", dtype.Int32T)
	store := tir.Store(a, tir.Load(b, tir.Int32(1)), tir.Int32(1))
	many := make([]tir.Stmt, 2000)
	for k := range many {
		many[k] = store
	}
	for _, c := range []struct {
		name   string
		loop   tir.Stmt
		polls  bool
		strips bool
	}{
		{"short", serial(i, tir.Int32(100), store), false, false},
		{"unknown", serial(i, n, store), true, true},
		{"long", serial(i, tir.Int32(1<<22), store), true, true},
		{"of long turns", serial(i, n, many...), true, false},
		{"while", &tir.While{Cond: tir.NewBinary(tir.OpLT, tir.Load(a, tir.Int32(0)), tir.Int32(3)), Body: store}, true, false},
		{"around a long one", serial(i, n, serial(j, n, store)), true, false},
	} {
		e := scan(c.loop)
		l := e.Loops[c.loop]
		if l.Polls != c.polls || (l.Strip > 0) != c.strips {
			t.Errorf("%s: polls %v, strips of %d", c.name, l.Polls, l.Strip)
		}
		if c.strips && float64(l.Strip)*l.Body < 1<<13 {
			t.Errorf("%s: a strip of %d turns is %g operations", c.name, l.Strip, float64(l.Strip)*l.Body)
		}
	}
	const turns = 1 << 18
	s := countOps(t, kernel(a, b, n, serial(i, n, store)), turns)
	if turn := scan(serial(i, n, store)); s.polls < 0.9*turns*3 || s.polli > turns/1000 {
		t.Errorf("%g operations of %d turns are taken off by %d polls (%v)", s.polls, turns, s.polli, turn.Cost)
	}
}
