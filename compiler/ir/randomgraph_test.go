package ir_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// graphMaker makes nodes over a few variables that are shared at random, and so are defined in
// several places, by several nodes, within their own scope, or nowhere.
type graphMaker struct {
	rng     *rand.Rand
	vars    []*tir.Var
	buffers []*tir.Buffer
	rvars   []*relax.Var
	exprs   []tir.Expr
	stmts   []tir.Stmt
	rexprs  []relax.Expr
	binds   []relax.Binding
	blocks  []*relax.BindingBlock
	infos   []relax.StructInfo
}

func pick[T any](r *rand.Rand, xs []T) T { return xs[r.IntN(len(xs))] }

func newGraphMaker(seed uint64) *graphMaker {
	m := &graphMaker{rng: rand.New(rand.NewPCG(seed, 2))}
	for i := range 3 {
		m.vars = append(m.vars, int64Var(fmt.Sprint("v", i)))
	}
	for _, v := range m.vars {
		m.exprs = append(m.exprs, v, plusOne(v))
	}
	for i := range 2 {
		b := tir.NewBuffer(fmt.Sprint("b", i), dtype.Int64T, []tir.Expr{pick(m.rng, m.exprs)}, "")
		m.buffers = append(m.buffers, b)
		if i == 1 && m.rng.IntN(2) == 0 {
			b.Data = m.buffers[0].Data
		}
	}
	m.stmts = []tir.Stmt{evaluate(pick(m.rng, m.exprs)), tir.Store(m.buffers[0], tir.Load(m.buffers[1], m.vars[0]), m.vars[1])}
	m.infos = []relax.StructInfo{relax.TensorOf(dtype.Float32T, m.exprs[0]), relax.TensorOf(dtype.Float32T, m.exprs[2], m.exprs[0])}
	for i := range 3 {
		m.rvars = append(m.rvars, &relax.Var{Name: fmt.Sprint("r", i), SInfo: pick(m.rng, m.infos)})
		m.rexprs = append(m.rexprs, m.rvars[i])
	}
	m.binds = []relax.Binding{&relax.VarBinding{Var: m.rvars[0], Value: m.rvars[1]}}
	m.blocks = []*relax.BindingBlock{{Bindings: m.binds}}
	return m
}

func (m *graphMaker) expr() {
	r := m.rng
	var e tir.Expr
	switch r.IntN(4) {
	case 0:
		e = tir.NewBinary(tir.OpAdd, pick(r, m.exprs), pick(r, m.exprs))
	case 1:
		e = &tir.Let{Var: pick(r, m.vars), Value: pick(r, m.exprs), Body: pick(r, m.exprs)}
	case 2:
		e = tir.Load(pick(r, m.buffers), pick(r, m.exprs))
	case 3:
		axis := []*tir.IterVar{{Var: pick(r, m.vars), Dom: &tir.Range{Min: tir.Int(0), Extent: pick(r, m.exprs)}}}
		e = &tir.Reduce{Axis: axis, Source: []tir.Expr{pick(r, m.exprs)}}
	}
	m.exprs = append(m.exprs, e)
}

func (m *graphMaker) stmt() {
	r := m.rng
	var s tir.Stmt
	switch r.IntN(6) {
	case 0:
		s = block(pick(r, m.stmts), pick(r, m.stmts))
	case 1:
		s = letStmt(pick(r, m.vars), pick(r, m.stmts))
	case 2:
		s = &tir.DeclBuffer{Buffer: pick(r, m.buffers), Body: pick(r, m.stmts)}
	case 3:
		s = tir.Store(pick(r, m.buffers), pick(r, m.exprs), pick(r, m.exprs))
	case 4:
		s = &tir.AttrStmt{Node: &tir.IterVar{Var: pick(r, m.vars)}, Key: "thread_extent", Value: pick(r, m.exprs), Body: pick(r, m.stmts)}
	case 5:
		s = &tir.Block{
			AllocBuffers: []*tir.Buffer{pick(r, m.buffers)}, Body: pick(r, m.stmts),
			MatchBuffers: []*tir.MatchBufferRegion{{Buffer: pick(r, m.buffers), Source: &tir.BufferRegion{Buffer: pick(r, m.buffers)}}},
		}
	}
	m.stmts = append(m.stmts, s)
}

func (m *graphMaker) graph() {
	r := m.rng
	switch r.IntN(8) {
	case 0:
		m.infos = append(m.infos, relax.TensorOf(dtype.Float32T, pick(r, m.exprs)),
			&relax.FuncStructInfo{Params: []relax.StructInfo{pick(r, m.infos)}, Ret: pick(r, m.infos)})
	case 1:
		m.rvars = append(m.rvars, &relax.Var{Name: "r", SInfo: pick(r, m.infos)})
		m.rexprs = append(m.rexprs, m.rvars[len(m.rvars)-1])
	case 2:
		m.binds = append(m.binds, &relax.VarBinding{Var: pick(r, m.rvars), Value: pick(r, m.rexprs)})
	case 3:
		m.binds = append(m.binds, &relax.MatchCast{Var: pick(r, m.rvars), Value: pick(r, m.rexprs), SInfo: pick(r, m.infos)})
	case 4:
		m.blocks = append(m.blocks, &relax.BindingBlock{Bindings: []relax.Binding{pick(r, m.binds), pick(r, m.binds)}})
	case 5:
		m.rexprs = append(m.rexprs, &relax.SeqExpr{Blocks: []*relax.BindingBlock{pick(r, m.blocks), pick(r, m.blocks)}, Body: pick(r, m.rexprs)})
	case 6:
		attrs := ir.NewAttrs("node", []ir.Node{pick(r, m.exprs), pick(r, m.binds)}[r.IntN(2)])
		m.rexprs = append(m.rexprs, &relax.Call{Op: ir.NewOp("f"), Args: []relax.Expr{pick(r, m.rexprs), pick(r, m.rexprs)}, Attrs: attrs})
	case 7:
		body := &relax.SeqExpr{Blocks: []*relax.BindingBlock{pick(r, m.blocks)}, Body: pick(r, m.rexprs)}
		m.rexprs = append(m.rexprs, &relax.Function{Params: []*relax.Var{pick(r, m.rvars)}, Body: body, Ret: pick(r, m.infos)})
	}
}

func (m *graphMaker) node() ir.Node {
	kind := m.rng.IntN(3)
	for range 4 + m.rng.IntN(25) {
		switch m.rng.IntN(3) {
		case kind:
			m.expr()
		default:
			switch kind {
			case 0:
				m.expr()
			case 1:
				m.stmt()
			default:
				m.graph()
			}
		}
	}
	switch kind {
	case 0:
		return m.exprs[len(m.exprs)-1]
	case 1:
		return m.stmts[len(m.stmts)-1]
	}
	return m.rexprs[len(m.rexprs)-1]
}

// graphCopier copies a graph. With share it takes a copy again with that probability, without it
// each place becomes a node of its own. Some nodes are copied with other variables, so that
// what they define is renamed, and uses of what is defined outside become wrong.
type graphCopier struct {
	rng    *rand.Rand
	share  int // of 4
	rename bool
	copies [2]map[ir.Node][]ir.Node
	vars   [2]map[ir.Node]ir.Node
	made   int
}

func newGraphCopier(seed uint64, share int, rename bool) *graphCopier {
	c := &graphCopier{rng: rand.New(rand.NewPCG(seed, 3)), share: share, rename: rename}
	for i := range 2 {
		c.copies[i], c.vars[i] = map[ir.Node][]ir.Node{}, map[ir.Node]ir.Node{}
	}
	return c
}

const maxCopies = 3000

func (c *graphCopier) node(n ir.Node, twin int) ir.Node {
	if n == nil || reflect.ValueOf(n).IsNil() || c.made > maxCopies {
		return n
	}
	_, isVar := n.(ir.Variable)
	if isVar {
		if !c.rename {
			return n
		}
		if v, ok := c.vars[twin][n]; ok {
			return v
		}
	} else {
		if c.rename && c.rng.IntN(12) == 0 {
			twin = 1 - twin
		}
		if had := c.copies[twin][n]; len(had) > 0 && c.rng.IntN(4) < c.share {
			return pick(c.rng, had)
		}
	}
	c.made++
	out := reflect.New(reflect.TypeOf(n).Elem())
	out.Elem().Set(reflect.ValueOf(n).Elem())
	for _, f := range ir.SchemaOf(n).Fields {
		v := out.Elem().Field(f.StructIndex())
		switch f.Kind {
		case ir.FieldNode:
			if !v.IsNil() {
				v.Set(reflect.ValueOf(c.node(v.Interface().(ir.Node), twin)))
			}
		case ir.FieldNodes:
			list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			for i := range v.Len() {
				list.Index(i).Set(reflect.ValueOf(c.node(v.Index(i).Interface().(ir.Node), twin)))
			}
			v.Set(list)
		case ir.FieldAttrs:
			if x, ok := v.Interface().(*ir.Attrs).Get("node"); ok {
				v.Set(reflect.ValueOf(ir.NewAttrs("node", c.node(x.(ir.Node), twin))))
			}
		}
	}
	copied := out.Interface().(ir.Node)
	if isVar {
		c.vars[twin][n] = copied
	} else {
		c.copies[twin][n] = append(c.copies[twin][n], copied)
	}
	return copied
}

// TestSharingDoesNotCount compares graphs that are shared at random, with variables that are
// defined several times or not at all, as the reference does, and as their trees compare.
func TestSharingDoesNotCount(t *testing.T) {
	var compared, equal int
	seed.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		a := newGraphMaker(seed).node()
		first := newGraphCopier(seed, 0, false)
		tree := first.node(a, 0)
		second := newGraphCopier(seed+1, rapid.IntRange(0, 4).Draw(t, "share"), rapid.Bool().Draw(t, "rename"))
		b := second.node(a, 0)
		third := newGraphCopier(seed, 0, false)
		treeB := third.node(b, 0)
		if max(first.made, second.made, third.made) > maxCopies {
			t.Skip("too large for the reference")
		}
		if ir.StructuralHash(a) != ir.StructuralHash(tree) || ir.StructuralHash(b) != ir.StructuralHash(treeB) {
			t.Fatal("the hash depends on what is shared")
		}
		for _, opts := range []ir.EqualOpts{plain, mapped} {
			for _, p := range [][4]ir.Node{{a, b, tree, treeB}, {b, a, treeB, tree}, {a, a, tree, tree}, {a, tree, tree, a}} {
				want := referenceEqual(p[0], p[1], opts)
				compared++
				if want {
					equal++
				}
				m, n := ir.FirstMismatch(p[0], p[1], opts), ir.FirstMismatch(p[2], p[3], opts)
				if got := ir.StructuralEqual(p[0], p[1], opts); got != want || (m == nil) != want {
					t.Fatalf("equal is %t with the first mismatch %v, expected %t", got, m, want)
				}
				if m != nil && (n == nil || m.String() != n.String()) {
					t.Fatalf("first mismatch is %v, of the trees %v", m, n)
				}
				if want && ir.StructuralHash(p[0]) != ir.StructuralHash(p[1]) {
					t.Fatal("equal nodes have different hashes")
				}
			}
		}
	})
	if equal == 0 || equal == compared {
		t.Errorf("of %d pairs, %d are equal: the graphs are too much alike or too different", compared, equal)
	}
}
