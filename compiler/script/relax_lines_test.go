package script

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestLinesAgain edits a function over and over, valid or not, and prints it with the memory of the print before and without: the texts are the same.
func TestLinesAgain(t *testing.T) {
	again, kept := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 11))
		g := lineEditor{r: r, vars: []*relax.Var{{Name: "x"}}}
		for range 80 {
			g.insert(len(g.list))
		}
		var s Scratch
		dataflow := false
		for step := range 6 {
			if r.IntN(8) == 0 {
				dataflow = !dataflow
			}
			f := &relax.Function{
				Params: g.vars[:1], Pure: true, Ret: &relax.ObjectStructInfo{}, Attrs: ir.NewAttrs(),
				Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{{Bindings: slices.Clone(g.list), Dataflow: dataflow}}, Body: g.vars[0]},
			}
			for _, b := range g.list {
				if b, ok := b.(*relax.VarBinding); ok {
					if _, ok := s.memory.was.lines.Get(b); ok {
						kept++
					}
				}
			}
			got, want := Function("f", f, Options{Scratch: &s}), Function("f", f, Options{})
			if got.Source != want.Source || !slices.Equal(got.Lines, want.Lines) {
				t.Fatalf("seed %d, step %d: printed with the lines of the last time:\n%s\nwithout:\n%s", seed, step, got.Source, want.Source)
			}
			again += s.memory.was.lines.Len()
			for range r.IntN(4) {
				g.edit()
			}
		}
	}
	if again < 10_000 || kept < 10_000 {
		t.Errorf("only %d lines were kept, and %d bindings met whose line was", again, kept)
	}
}

// lineEditor makes bindings and changes a list of them.
type lineEditor struct {
	r    *rand.Rand
	vars []*relax.Var
	list []relax.Binding
}

func (g *lineEditor) any() *relax.Var { return g.vars[g.r.IntN(len(g.vars))] }

// info is the struct info of a variable: most often a shape of numbers, seldom of a variable.
func (g *lineEditor) info() relax.StructInfo {
	switch g.r.IntN(400) {
	case 0, 3, 4:
		return relax.TensorOf(dtype.Float32T, tir.NewVar("n", dtype.Int64T))
	case 1:
		return &relax.TensorStructInfo{DType: dtype.Float32T, Shape: g.any(), NDim: -1}
	case 2:
		return &relax.TupleStructInfo{}
	}
	return relax.StaticTensor(dtype.Float32T, 4)
}

func (g *lineEditor) value() relax.Expr {
	switch g.r.IntN(6) {
	case 0:
		return &relax.Tuple{Fields: []relax.Expr{g.any(), g.any()}}
	case 1:
		return &relax.TupleGetItem{Tuple: g.any(), Index: 1}
	case 2:
		return g.any()
	}
	c := &relax.Call{Op: &ir.Op{Name: "relax.add"}, Args: []relax.Expr{g.any(), g.any()}, Attrs: ir.NewAttrs()}
	switch g.r.IntN(8) {
	case 0:
		c.Attrs = c.Attrs.With("of", g.any())
	case 1:
		c.Op = g.any()
	case 2:
		c.SInfoArgs = []relax.StructInfo{g.info()}
	}
	return c
}

// insert adds a binding. There are few names, so that most have a suffix.
func (g *lineEditor) insert(at int) {
	v := &relax.Var{Name: fmt.Sprint("lv", g.r.IntN(12)), SInfo: g.info()}
	g.list = slices.Insert(g.list, at, relax.Binding(&relax.VarBinding{Var: v, Value: g.value()}))
	g.vars = append(g.vars, v)
}

// edit changes the list; what uses a variable may come to stand without it, or in front of it.
func (g *lineEditor) edit() {
	i := g.r.IntN(len(g.list))
	switch b := g.list[i].(*relax.VarBinding); g.r.IntN(5) {
	case 0:
		g.insert(i)
	case 1:
		g.list = slices.Delete(g.list, i, i+1)
	case 2:
		g.list[i] = &relax.VarBinding{Var: b.Var, Value: g.value()}
	case 3:
		v := &relax.Var{Name: "lv3", SInfo: b.Var.SInfo}
		g.list[i] = &relax.VarBinding{Var: v, Value: b.Value}
	case 4:
		k := g.r.IntN(len(g.list))
		g.list[i], g.list[k] = g.list[k], g.list[i]
	}
}
