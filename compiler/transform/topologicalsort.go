package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// TopologicalSort orders the bindings of dataflow blocks.
var TopologicalSort = &pass.Pass{
	Name: "TopologicalSort", Kind: pass.Function,
	Doc: "Orders the bindings of dataflow blocks by a walk over their dependencies, depth-first or breadth-first, from the inputs of the function or from its outputs.",
	Options: []pass.Option{
		{Name: "order", Default: "depth-first", Choices: []ir.Value{"depth-first", "breadth-first"}, Doc: "which binding comes next of those whose operands are bound"},
		{Name: "direction", Default: "from-inputs", Choices: []ir.Value{"from-inputs", "from-outputs"}, Doc: "where the walk begins"},
	},
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		g := dependenciesOf(f)
		depth, back := c.Arg("order") == "depth-first", c.Arg("direction") == "from-outputs"
		place := g.walk(depth, back)
		return sortBlocks(c, f, func(a, b relax.Binding) int {
			x, y := place[g.index[a.Bound()]], place[g.index[b.Bound()]]
			if back {
				x, y = y, x
			}
			return x - y
		}), nil
	}),
}

// dependencies is the graph of the variables of a function. Node 0 is where inputs come from, and node 1 where outputs go.
type dependencies struct {
	index    map[*relax.Var]int
	symbols  map[*tir.Var]int // by which binding a symbolic variable is defined
	users    [][]int
	requires [][]int
}

const (
	inputNode  = 0
	outputNode = 1
)

func dependenciesOf(f *relax.Function) *dependencies {
	g := &dependencies{index: map[*relax.Var]int{}, symbols: map[*tir.Var]int{}, users: make([][]int, 2), requires: make([][]int, 2)}
	g.function(f, outputNode)
	if over := overwritesOf(f); over != nil {
		var last *relax.BindingBlock
		relax.EachBinding(f.Body, func(b *relax.BindingBlock, _ relax.Binding) {
			if b != last {
				over.order(b, func(x, y relax.Binding) { g.edge(g.index[x.Bound()], g.index[y.Bound()]) })
			}
			last = b
		})
	}
	for v := 2; v < len(g.users); v++ {
		if len(g.requires[v]) == 0 {
			g.edge(inputNode, v)
		}
	}
	var unused []int
	for v := 2; v < len(g.users); v++ {
		if len(g.users[v]) == 0 {
			unused = append(unused, v)
		}
	}
	g.requires[outputNode] = append(unused, g.requires[outputNode]...)
	for _, v := range unused {
		g.users[v] = []int{outputNode}
	}
	return g
}

func (g *dependencies) edge(from, to int) {
	g.users[from] = append(g.users[from], to)
	g.requires[to] = append(g.requires[to], from)
}

func (g *dependencies) node(v *relax.Var) int {
	n := len(g.users)
	g.index[v] = n
	g.users, g.requires = append(g.users, nil), append(g.requires, nil)
	return n
}

// function adds a function whose result user needs.
func (g *dependencies) function(f *relax.Function, user int) {
	for _, p := range f.Params {
		g.edge(inputNode, g.node(p))
	}
	g.sequence(f.Body, user)
}

// sequence adds the bindings of s, whose result user needs.
func (g *dependencies) sequence(s *relax.SeqExpr, user int) {
	for _, blk := range s.Blocks {
		for _, b := range blk.Bindings {
			g.binding(b)
		}
	}
	g.value(s.Body, user)
}

func (g *dependencies) binding(b relax.Binding) {
	n := g.node(b.Bound())
	if mc, ok := b.(*relax.MatchCast); ok {
		for _, v := range relax.DefinableVars(mc.SInfo) {
			if _, known := g.symbols[v]; !known {
				g.symbols[v] = n
			}
		}
		g.uses(mc.SInfo, n)
	}
	if info := b.Bound().SInfo; info != nil && len(g.symbols) > 0 {
		g.uses(info, n)
	}
	g.value(b.BoundValue(), n)
}

// value adds what an expression needs on behalf of a user.
func (g *dependencies) value(e relax.Expr, user int) {
	switch e := e.(type) {
	case *relax.If:
		g.uses(e.Cond, user)
		g.sequence(e.Then, user)
		g.sequence(e.Else, user)
	case *relax.Function:
		g.function(e, user)
		for _, v := range relax.FreeVars(e) {
			if n, ok := g.index[v]; ok {
				g.edge(n, user)
			}
		}
	default:
		g.uses(e, user)
	}
}

// uses adds the variables in a node, in order.
func (g *dependencies) uses(n ir.Node, user int) {
	ir.Walk(n, func(x ir.Node) bool {
		switch x := x.(type) {
		case *relax.Var:
			if from, ok := g.index[x]; ok {
				g.edge(from, user)
			}
		case *tir.Var:
			if from, ok := g.symbols[x]; ok && from != user {
				g.edge(from, user)
			}
		}
		return true
	})
}

// walk visits all nodes, each behind those that it needs, and returns when each was visited. Backward it begins at the outputs, and a node
// comes behind those that need it.
func (g *dependencies) walk(depth, back bool) []int {
	ahead, behind, start := g.users, g.requires, inputNode
	if back {
		ahead, behind, start = g.requires, g.users, outputNode
	}
	waits := make([]int, len(ahead))
	for n := range behind {
		waits[n] = len(unique(behind[n]))
	}
	place := make([]int, len(ahead))
	next := []int{start}
	visited := 0
	for len(next) > 0 {
		var n int
		if depth {
			n, next = next[len(next)-1], next[:len(next)-1]
		} else {
			n, next = next[0], next[1:]
		}
		if place[n] > 0 {
			continue
		}
		visited++
		place[n] = visited
		list := ahead[n]
		if depth && !back {
			list = slices.Clone(list)
			slices.Reverse(list)
		}
		for _, m := range unique(list) {
			waits[m]--
		}
		for _, m := range list {
			if waits[m] == 0 && place[m] == 0 {
				next = append(next, m)
			}
		}
	}
	return place
}

// unique returns the numbers of a list, each once.
func unique(list []int) []int {
	if len(list) < 2 {
		return list
	}
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}

// sortBlocks orders the bindings of all dataflow blocks of f.
func sortBlocks(c *pass.Context, f *relax.Function, order func(a, b relax.Binding) int) *relax.Function {
	m := &relax.Mapper{}
	m.Block = func(b *relax.BindingBlock) *relax.BindingBlock {
		out := m.MapBlock(b)
		if !b.Dataflow || slices.IsSortedFunc(out.Bindings, order) {
			return out
		}
		out = out.WithBindings(slices.SortedFunc(slices.Values(out.Bindings), order))
		c.Rewrite("order the bindings of a block", b, out)
		return out
	}
	m.Expr = func(e relax.Expr) relax.Expr {
		switch e.(type) {
		case *relax.SeqExpr, *relax.If, *relax.Function:
			return m.MapExpr(e)
		}
		return e
	}
	return m.MapFunction(f)
}
