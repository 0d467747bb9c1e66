package ir_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// maker builds random nodes. Two makers with one seed build nodes that are equal up to the
// names of variables, unless one of them changes a constant: the one number change.
type maker struct {
	rng    *rand.Rand
	prefix string
	change int // constant to change, -1 for none
	consts int
	vars   []*tir.Var
	names  int
}

func newMaker(seed uint64, prefix string, change int) *maker {
	return &maker{rng: rand.New(rand.NewPCG(seed, 1)), prefix: prefix, change: change}
}

func (m *maker) name() string { m.names++; return fmt.Sprintf("%s%d", m.prefix, m.names) }

func (m *maker) constant() tir.Expr {
	v := int64(m.rng.IntN(4))
	if m.consts++; m.consts-1 == m.change {
		v += 100
	}
	return tir.Int(v)
}

func (m *maker) expr(depth int) tir.Expr {
	switch k := m.rng.IntN(7); {
	case depth == 0 || k == 0:
		if len(m.vars) > 0 && m.rng.IntN(3) > 0 {
			return m.vars[m.rng.IntN(len(m.vars))]
		}
		return m.constant()
	case k == 1:
		return &tir.Select{Cond: tir.NewBinary(tir.OpLT, m.expr(depth-1), m.expr(depth-1)), True: m.expr(depth - 1), False: m.expr(depth - 1)}
	case k == 2:
		v := tir.NewVar(m.name(), dtype.Int64T)
		value := m.expr(depth - 1)
		m.vars = append(m.vars, v)
		body := m.expr(depth - 1)
		m.vars = m.vars[:len(m.vars)-1]
		return &tir.Let{Var: v, Value: value, Body: body}
	case k == 3:
		shared := m.expr(depth - 1)
		return tir.NewBinary(tir.OpMul, shared, shared)
	}
	return tir.NewBinary(tir.BinaryOp(m.rng.IntN(4)), m.expr(depth-1), m.expr(depth-1))
}

func (m *maker) stmt(depth int) tir.Stmt {
	switch k := m.rng.IntN(4); {
	case depth == 0 || k == 0:
		return &tir.Evaluate{Value: m.expr(3)}
	case k == 1:
		return &tir.SeqStmt{Seq: []tir.Stmt{m.stmt(depth - 1), m.stmt(depth - 1)}}
	case k == 2:
		b := tir.NewBuffer(m.name(), dtype.Int64T, []tir.Expr{m.constant(), m.expr(1)}, "")
		// Not tir.Seq: it drops an Evaluate of a constant, and with it the constant to change.
		body := &tir.SeqStmt{Seq: []tir.Stmt{m.stmt(depth - 1), tir.Store(b, tir.Load(b, m.expr(1), m.expr(1)), m.expr(1), m.expr(1))}}
		return &tir.DeclBuffer{Buffer: b, Body: body}
	}
	v := tir.NewVar(m.name(), dtype.Int64T)
	extent := m.expr(1)
	m.vars = append(m.vars, v)
	body := m.stmt(depth - 1)
	m.vars = m.vars[:len(m.vars)-1]
	return &tir.For{LoopVar: v, Min: tir.Int(0), Extent: extent, Body: body, Kind: tir.ForKind(m.rng.IntN(4))}
}

func (m *maker) function() *relax.Function {
	n := tir.NewVar(m.name(), dtype.Int64T)
	m.vars = append(m.vars, n)
	var live []*relax.Var
	add := func(info relax.StructInfo) *relax.Var {
		v := &relax.Var{Name: m.name(), SInfo: info}
		live = append(live, v)
		return v
	}
	params := []*relax.Var{add(relax.TensorOf(dtype.Float32T, n, m.constant())), add(relax.ShapeOf(m.expr(1)))}
	blk := &relax.BindingBlock{Dataflow: m.rng.IntN(2) == 0}
	for range 1 + m.rng.IntN(6) {
		arg := live[m.rng.IntN(len(live))]
		if m.rng.IntN(4) == 0 {
			k := tir.NewVar(m.name(), dtype.Int64T)
			to := relax.TensorOf(dtype.Float32T, k)
			blk.Bindings = append(blk.Bindings, &relax.MatchCast{Var: add(to), Value: arg, SInfo: to})
			m.vars = append(m.vars, k)
			continue
		}
		call := &relax.Call{
			Op: ir.NewOp("relax.op"), Args: []relax.Expr{arg, &relax.ShapeExpr{Values: []tir.Expr{m.expr(2)}}},
			Attrs: ir.NewAttrs("axis", []int64{int64(m.rng.IntN(3))}),
		}
		info := relax.TensorOf(dtype.Float32T, m.expr(1))
		blk.Bindings = append(blk.Bindings, &relax.VarBinding{Var: add(info), Value: call})
	}
	last := live[len(live)-1]
	return &relax.Function{Params: params, Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{blk}, Body: last}, Ret: last.SInfo}
}

func (m *maker) node(kind int) ir.Node {
	switch kind {
	case 0:
		return m.expr(6)
	case 1:
		return m.stmt(5)
	}
	return m.function()
}

// TestEqualityProperties: equal builds are equal with equal hashes under other names, also to
// themselves; a changed constant is found, and named in the same place from both sides.
func TestEqualityProperties(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		seed, kind := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 2).Draw(t, "kind")
		first := newMaker(seed, "a", -1)
		a, b := first.node(kind), newMaker(seed, "b", -1).node(kind)
		for _, opts := range []ir.EqualOpts{plain, mapped} {
			for _, pair := range [][2]ir.Node{{a, b}, {b, a}, {a, a}} {
				if m := ir.FirstMismatch(pair[0], pair[1], opts); m != nil {
					t.Fatalf("nodes built alike differ: %s", m)
				}
			}
		}
		if ir.StructuralHash(a) != ir.StructuralHash(b) {
			t.Fatal("equal nodes have different hashes")
		}
		if first.consts == 0 {
			return
		}
		c := newMaker(seed, "c", rapid.IntRange(0, first.consts-1).Draw(t, "change")).node(kind)
		m, r := ir.FirstMismatch(a, c, mapped), ir.FirstMismatch(c, a, mapped)
		if m == nil || r == nil {
			t.Fatal("a changed constant is not noticed")
		}
		if m.Path != r.Path {
			t.Fatalf("first difference is at %s from one side, at %s from the other", m.Path, r.Path)
		}
		if ir.StructuralHash(a) == ir.StructuralHash(c) {
			t.Fatal("a changed constant leaves the hash")
		}
	})
}

// TestRandomNodesAreSavedExactly: a node that was saved and loaded is the same up to the
// identity of its free variables, and is saved to the same bytes.
func TestRandomNodesAreSavedExactly(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		n := newMaker(rapid.Uint64().Draw(t, "seed"), "a", -1).node(rapid.IntRange(0, 2).Draw(t, "kind"))
		var text, again bytes.Buffer
		if err := irjson.Save(&text, n, irjson.Options{}); err != nil {
			t.Fatal(err)
		}
		back, err := irjson.Load(bytes.NewReader(text.Bytes()), irjson.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if m := ir.FirstMismatch(n, back.(ir.Node), mapped); m != nil {
			t.Fatalf("what was loaded differs: %s", m)
		}
		if ir.StructuralHash(n) != ir.StructuralHash(back.(ir.Node)) {
			t.Fatal("what was loaded has another hash")
		}
		if err := irjson.Save(&again, back, irjson.Options{}); err != nil {
			t.Fatal(err)
		}
		if text.String() != again.String() {
			t.Fatalf("what was loaded is saved as\n%s\nexpected\n%s", again.String(), text.String())
		}
	})
}
