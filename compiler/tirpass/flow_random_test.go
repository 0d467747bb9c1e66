package tirpass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// flowGen writes random functions in which elements of few small buffers are stored, read, compared and
// overwritten by loops that touch them once, several times, or never.
type flowGen struct {
	r    *rand.Rand
	vars []string
	ext  []int // one more than the largest value of a variable
	out  strings.Builder
	next int
}

func (g *flowGen) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *flowGen) index() string {
	if len(g.vars) == 0 || g.r.IntN(5) == 0 {
		return fmt.Sprint(g.r.IntN(8))
	}
	k := g.r.IntN(len(g.vars))
	v, n := g.vars[k], g.ext[k]
	switch g.r.IntN(7) {
	case 0:
		if n < 8 {
			return fmt.Sprintf("%s + %d", v, 1+g.r.IntN(8-n))
		}
	case 1:
		return "7 - " + v
	case 2:
		if n <= 4 {
			return v + " * 2"
		}
	case 3:
		j := g.r.IntN(len(g.vars))
		if j != k && n+g.ext[j]-1 <= 8 {
			return v + " + " + g.vars[j]
		}
		if j != k && g.ext[j] <= 2 && n <= 4 {
			return v + " * 2 + " + g.vars[j]
		}
	case 4:
		if n > 4 {
			return v + " // 2"
		}
	}
	return v
}

func (g *flowGen) load() string { return g.pick("A", "B", "C") + "[" + g.index() + "]" }

func (g *flowGen) value() string {
	switch g.r.IntN(8) {
	case 0, 1, 2:
		return fmt.Sprint(g.r.IntN(3))
	case 3:
		if len(g.vars) > 0 {
			return g.pick(g.vars...)
		}
	case 4:
		return g.load() + " + 1"
	case 5:
		return g.load() + " + " + g.load()
	case 6:
		return g.load() + " * " + g.load()
	}
	return g.load()
}

func (g *flowGen) cond() string {
	n := fmt.Sprint(g.r.IntN(5))
	if len(g.vars) > 0 {
		switch g.r.IntN(6) {
		case 0:
			return g.pick(g.vars...) + g.pick(" < ", " <= ", " == ", " != ", " >= ") + n
		case 1:
			return g.pick(g.vars...) + " + " + g.pick(g.vars...) + g.pick(" < ", " == ") + n
		case 2:
			return g.pick(g.vars...) + " < " + n + g.pick(" and ", " or ") + g.load() + " == " + g.pick("0", "1")
		}
	}
	if g.r.IntN(4) == 0 {
		return "n" + g.pick(" < ", " == ", " > ") + n
	}
	return g.load() + g.pick(" == ", " == ", " != ", " < ") + g.pick("0", "1", "2")
}

func (g *flowGen) line(depth int, s string) {
	g.out.WriteString(strings.Repeat("    ", depth) + s + "\n")
}

func (g *flowGen) stmts(depth int) {
	for range 1 + g.r.IntN(3) {
		g.stmt(depth)
	}
}

func (g *flowGen) stmt(depth int) {
	kind := g.r.IntN(6)
	if depth > 4 {
		kind = 0
	}
	switch kind {
	case 0, 1, 2:
		g.line(depth, g.pick("A", "B", "C")+"["+g.index()+"] = "+g.value())
	case 3, 4:
		v := fmt.Sprintf("i%d", g.next)
		g.next++
		e := []int{1, 2, 3, 4, 8, 8}[g.r.IntN(6)]
		switch g.r.IntN(8) {
		case 0:
			g.line(depth, fmt.Sprintf("for %s in range(T.min(n, %d)):", v, e))
		case 1:
			g.line(depth, fmt.Sprintf("for %s in range(1, %d):", v, e))
		case 2:
			if k := len(g.vars); k > 0 {
				e = g.ext[k-1]
				g.line(depth, fmt.Sprintf("for %s in range(%s):", v, g.vars[k-1]))
				break
			}
			fallthrough
		default:
			g.line(depth, fmt.Sprintf("for %s in range(%d):", v, e))
		}
		g.vars, g.ext = append(g.vars, v), append(g.ext, e)
		g.stmts(depth + 1)
		g.vars, g.ext = g.vars[:len(g.vars)-1], g.ext[:len(g.ext)-1]
	default:
		g.line(depth, "if "+g.cond()+":")
		g.stmts(depth + 1)
		if g.r.IntN(2) == 0 {
			g.line(depth, "else:")
			g.stmts(depth + 1)
		}
	}
}

// flowText returns a random function as text. Its buffer C is its own, and starts as zeros.
func flowText(r *rand.Rand) string {
	g := &flowGen{r: r}
	g.out.WriteString(`@T.prim_func
def kernel(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32"), n: T.int32):
    C = T.decl_buffer((8,), "int32")
    for c in range(8):
        C[c] = 0
`)
	g.stmts(1)
	g.stmts(1)
	return g.out.String()
}

// flowConfig turns on everything that follows what buffers hold.
var flowConfig = pass.Configure(map[string]any{
	"tir.Simplify":   map[string]any{"propagate_knowns_to_prove_conditional": true, "propagate_knowns_to_simplify_expressions": true},
	"tir.RemoveNoOp": map[string]any{"use_dataflow_analysis": true},
})

func countStores(f *tir.PrimFunc) (n int) {
	ir.Walk(f.Body, func(x ir.Node) bool {
		switch x.(type) {
		case *tir.BufferStore, *tir.BufferLoad:
			n++
		}
		return true
	})
	return n
}

// smallTensor returns eight numbers from 0 to 2.
func smallTensor(r *rand.Rand) *tensor.Tensor {
	t := tensor.MustNew(dtype.Int32T, 8)
	for k := range t.Len() {
		t.SetInt(k, r.Int64N(3))
	}
	return t
}

// TestFlowKeepsMeaning runs random functions before and after what follows the contents of buffers changed
// them, with counts of iterations from less than zero on.
func TestFlowKeepsMeaning(t *testing.T) {
	plain, flow := 0, 0
	seed.Each(t, 40, func(t *testing.T, r *rand.Rand) {
		f := parseFunc(t, flowText(r))
		for _, p := range []*pass.Pass{tirpass.RemoveNoOp, tirpass.Simplify} {
			out := apply(t, passtest.NewContext(flowConfig), p, f)
			plain += countStores(apply(t, passtest.NewContext(), p, f))
			flow += countStores(out)
			for n := int64(-1); n < 4; n++ {
				args := []any{smallTensor(r), smallTensor(r), n}
				sameMeaning(t, p, f, out, args, mustRun(t, f, args))
			}
		}
	})
	if flow >= plain {
		t.Errorf("%d accesses are left where contents are followed, %d where they are not", flow, plain)
	}
	t.Logf("%d of %d accesses are left", flow, plain)
}
