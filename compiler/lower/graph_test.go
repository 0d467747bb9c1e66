package lower_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestEqualValuesAreOne shares nodes where they are visible and only there.
func TestEqualValuesAreOne(t *testing.T) {
	g, _ := newBuilder(32, 0)
	x, _ := g.param(i32, false)
	y, _ := g.param(i32, false)
	sum := g.Fn(lower.Add, x, y)
	if g.Fn(lower.Add, x, y) != sum || g.Fn(lower.Sub, x, y) == sum {
		t.Error("equal nodes are one, different ones are not")
	}
	var inBranch *lower.Node
	g.Branch(x, "b", func() { inBranch = g.Op(opMulti, 0, 0, y) }, nil)
	if g.Op(opMulti, 0, 0, y) == inBranch {
		t.Error("a node of a branch is used behind it")
	}
	outer := g.Cur
	g.Cur = lower.NewRegion(lower.LoopRegion, outer)
	g.Branch(x, "b", func() {
		if n := g.Fn(lower.Xor, x, y); n.Region != outer {
			t.Error("a cheap value in a branch of a loop is not computed before the loop")
		}
		if n := g.Op(opMulti, 0, 0, x); n.Region == outer {
			t.Error("an expensive value in a branch of a loop is computed before the loop")
		}
		if n := g.Fn(lower.DivS, x, y); n.Region != g.Cur {
			t.Error("what may trap is moved")
		}
	}, nil)
	if n := g.Op(opMulti, 0, 0, x); n.Region != outer {
		t.Error("an expensive value in a loop is not computed before it")
	}
}

// TestMemory ends reads where memory may change.
func TestMemory(t *testing.T) {
	for _, noalias := range []bool{true, false} {
		g, _ := newBuilder(32, 0)
		g.NoAlias = noalias
		a, b := tir.NewVar("a", dtype.HandleT), tir.NewVar("b", dtype.HandleT)
		base, _ := g.param(i32, true)
		load := func(v *tir.Var) *lower.Node {
			return g.Load(lower.Access{Op: opLoad, Address: base, Through: v}, nil, "")
		}
		x := load(a)
		if load(a) != x {
			t.Error("two reads of unchanged memory are not one")
		}
		g.Store(lower.Access{Op: opStore, Address: base, Through: b}, g.Int(32, 1))
		if same := load(a) == x; same != noalias {
			t.Errorf("noalias %v: the read after a store through another pointer is the same: %v", noalias, same)
		}
		x = load(a)
		g.Store(lower.Access{Op: opStore, Address: base, Through: a}, g.Int(32, 1))
		if x.Live() || load(a) == x {
			t.Error("a read survives a store through its pointer")
		}
		x = load(a)
		g.KillAll()
		if load(a) == x {
			t.Error("a read survives what may write anywhere")
		}
	}
}
