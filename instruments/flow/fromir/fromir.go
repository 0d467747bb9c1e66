// Package fromir makes the graphs of package flow from functions of the IR.
//
// The command line and the runner of the web import it; it knows no passes.
package fromir

import (
	"fmt"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/flow"
	"github.com/irscope/irscope/runtime/dtype"
)

// Of returns the graph of a function: dataflow for the graph level, the loop nest for a
// PrimFunc, one node for an external function. text is how the function was printed, alone or
// with its module, and gives the nodes their lines; it may be nil.
func Of(name string, fn ir.Function, text *script.Text) *flow.Graph {
	b := &builder{g: &flow.Graph{Name: name}, lines: linesOf(text), ids: map[string]int{}}
	switch f := fn.(type) {
	case *relax.Function:
		b.g.Form = flow.Dataflow
		b.def, b.unwritten, b.shared = map[*relax.Var]int{}, map[*relax.Var]bool{}, map[relax.Expr]int{}
		b.function(f, "return")
	case *tir.PrimFunc:
		b.g.Form = flow.Loops
		b.primFunc(name, f)
	case *relax.ExternFunc:
		b.g.Form = flow.Dataflow
		b.add(flow.Node{ID: name, Name: name, Label: f.Symbol, Kind: flow.Packed, Group: f.Symbol, Line: b.lines.next(f)})
	default:
		panic(fmt.Sprintf("fromir: unknown kind of function %T", fn))
	}
	return b.g
}

// builder collects nodes and edges.
type builder struct {
	g     *flow.Graph
	lines lines
	ids   map[string]int // how often an id was asked for

	// Of dataflow:
	cluster   int
	def       map[*relax.Var]int  // the node that made the current value of a variable
	unwritten map[*relax.Var]bool // allocated tensors that nothing has written to
	shared    map[relax.Expr]int  // values that stand in arguments and have nodes

	// Of loop nests:
	parent []int
	scope  []string // the first block or buffer below a node
	ints   dtype.DType
}

// unique returns id, with a number if it was asked for before.
func (b *builder) unique(id string) string {
	for {
		b.ids[id]++
		n := b.ids[id]
		if n == 1 {
			return id
		}
		id += "#" + strconv.Itoa(n)
	}
}

func (b *builder) add(n flow.Node) int {
	n.ID = b.unique(n.ID)
	n.Cluster = b.cluster
	b.g.Nodes = append(b.g.Nodes, n)
	return len(b.g.Nodes) - 1
}

func (b *builder) edge(from, to, arg int) {
	b.g.Edges = append(b.g.Edges, flow.Edge{From: from, To: to, Arg: arg})
}

// lines knows the lines on which nodes are printed, from 1. What is printed more than once
// is asked for in the same order.
type lines map[ir.Node][]int

func linesOf(text *script.Text) lines {
	if text == nil {
		return nil
	}
	out := make(lines, len(text.Lines))
	for i, n := range text.Lines {
		if n != nil {
			out[n] = append(out[n], i+1)
		}
	}
	return out
}

// next returns the line of n, 0 if it has none. The same n gets its next line when asked again.
func (l lines) next(n ir.Node) int {
	list := l[n]
	switch len(list) {
	case 0:
		return 0
	case 1:
	default:
		l[n] = list[1:]
	}
	return list[0]
}

// last returns the last line of n.
func (l lines) last(n ir.Node) int {
	list := l[n]
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1]
}
