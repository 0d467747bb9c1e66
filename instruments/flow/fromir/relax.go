package fromir

import (
	"fmt"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/instruments/flow"
)

// function adds the parameters, the body and the return of a function, which has the given id.
func (b *builder) function(f *relax.Function, id string) int {
	line := b.lines.next(f)
	for _, v := range f.Params {
		n := flow.Node{ID: v.Name, Name: v.Name, Label: v.Name, Info: info(v.SInfo), Kind: flow.Param, Line: b.lines.next(v)}
		if n.Line == 0 && line > 0 {
			n.Line = line + 1 // the signature is one line, after the decorator
		}
		b.def[v] = b.add(n)
	}
	b.blocks(f.Body)
	body := f.Body.Body
	ret := b.add(flow.Node{ID: id, Label: "return", Info: info(relax.SInfoOf(body)), Kind: flow.Return, Line: b.lines.last(body)})
	b.operands(ret, 0, body)
	return ret
}

func (b *builder) blocks(s *relax.SeqExpr) {
	for _, block := range s.Blocks {
		for _, x := range block.Bindings {
			b.binding(x)
		}
	}
}

func (b *builder) binding(x relax.Binding) {
	v, line := x.Bound(), b.lines.next(x)
	if m, ok := x.(*relax.MatchCast); ok {
		n := b.add(flow.Node{ID: v.Name, Name: v.Name, Label: "match_cast", Info: info(m.SInfo), Kind: flow.Shape, Line: line})
		b.operands(n, 0, m.Value)
		b.def[v] = n
		return
	}
	switch e := x.BoundValue().(type) {
	case *relax.Var: // another name of the same value
		b.def[v] = b.node(e)
		b.unwritten[v] = b.unwritten[e]
	case *relax.Call:
		b.call(e, v, line)
	case *relax.If:
		b.branches(e, v, line)
	case *relax.Function:
		leave := b.enter(v.Name, "function "+v.Name)
		ret := b.function(e, v.Name+":return")
		leave()
		n := b.add(flow.Node{ID: v.Name, Name: v.Name, Label: "function", Info: info(v.SInfo), Kind: flow.Control, Line: line})
		b.edge(ret, n, 0)
		b.def[v] = n
	case *relax.SeqExpr:
		b.blocks(e)
		b.def[v] = b.node(e.Body)
	default:
		b.def[v] = b.plain(e, v.Name, line)
	}
}

// enter begins a cluster and returns what ends it.
func (b *builder) enter(id, label string) func() {
	outer := b.cluster
	b.g.Clusters = append(b.g.Clusters, flow.Cluster{ID: b.unique("cluster:" + id), Label: label, Parent: outer})
	b.cluster = len(b.g.Clusters)
	return func() { b.cluster = outer }
}

// branches adds an If: a node for the condition, a cluster for each branch and a node that
// takes the result of either. What uses nothing of its own branch runs after the condition.
func (b *builder) branches(e *relax.If, v *relax.Var, line int) {
	head := b.add(flow.Node{ID: v.Name + ":if", Label: "if", Kind: flow.Control, Line: line})
	b.operands(head, 0, e.Cond)
	results := [2]int{}
	for i, s := range []*relax.SeqExpr{e.Then, e.Else} {
		word := [...]string{"then", "else"}[i]
		leave := b.enter(v.Name+":"+word, word)
		node, edge := len(b.g.Nodes), len(b.g.Edges)
		b.blocks(s)
		results[i] = b.node(s.Body)
		inner := make([]bool, len(b.g.Nodes)-node)
		for _, x := range b.g.Edges[edge:] {
			if x.From >= node {
				inner[x.To-node] = true
			}
		}
		for k, used := range inner {
			if !used {
				b.g.Edges = append(b.g.Edges, flow.Edge{From: head, To: node + k, Order: true})
			}
		}
		if results[i] < node { // the branch yields a value from outside
			b.g.Edges = append(b.g.Edges, flow.Edge{From: head, To: b.pass(v, word, results[i]), Order: true})
			results[i] = len(b.g.Nodes) - 1
		}
		leave()
	}
	n := b.add(flow.Node{ID: v.Name, Name: v.Name, Label: "end if", Info: info(v.SInfo), Kind: flow.Control, Line: line})
	for i, r := range results {
		b.edge(r, n, i)
	}
	b.def[v] = n
}

// pass adds a node to a branch that hands on a value from outside.
func (b *builder) pass(v *relax.Var, word string, from int) int {
	n := b.add(flow.Node{ID: v.Name + ":" + word + " value", Label: "pass", Info: b.g.Nodes[from].Info, Kind: flow.Tuple})
	b.edge(from, n, 0)
	return n
}

// plain adds a node for a value that is no call and returns it.
func (b *builder) plain(e relax.Expr, name string, line int) int {
	n := flow.Node{ID: name, Name: name, Info: info(relax.SInfoOf(e)), Line: line}
	switch e := e.(type) {
	case *relax.Constant:
		n.Kind, n.Label, n.Detail = flow.Constant, constant(e), "constant "+e.Data.Digest()[:12]
	case *relax.Tuple:
		n.Kind, n.Label = flow.Tuple, "tuple"
	case *relax.TupleGetItem:
		n.Kind, n.Label = flow.Tuple, "["+strconv.Itoa(e.Index)+"]"
	case *relax.ShapeExpr:
		n.Kind, n.Label = flow.Shape, "shape "+dims(e.Values)
	case *relax.PrimValue, *relax.StringImm, *relax.DataTypeImm:
		n.Kind, n.Label = flow.Constant, literal(e)
	case *ir.GlobalVar, *ir.Op, *relax.ExternFunc:
		n.Kind, n.Label = flow.Constant, calleeName(e)
	default:
		panic(fmt.Sprintf("fromir: unknown value %T", e))
	}
	i := b.add(n)
	b.operands(i, 0, e)
	return i
}

// node returns the node that makes the value of an expression in an argument.
func (b *builder) node(e relax.Expr) int {
	if v, ok := e.(*relax.Var); ok {
		i, ok := b.def[v]
		if !ok { // of another function, or nothing defines it
			i = b.add(flow.Node{ID: v.Name, Name: v.Name, Label: v.Name, Info: info(v.SInfo), Kind: flow.Param, Detail: "defined outside"})
			b.def[v] = i
		}
		return i
	}
	if i, ok := b.shared[e]; ok {
		return i
	}
	before := len(b.g.Nodes)
	var i int
	switch e := e.(type) {
	case *relax.Call:
		i = b.call(e, nil, 0)
	case *relax.SeqExpr:
		b.blocks(e)
		i = b.node(e.Body)
	case *relax.If:
		v := &relax.Var{Name: "if", SInfo: e.SInfo}
		b.branches(e, v, 0)
		i = b.def[v]
	case *relax.Function:
		leave := b.enter("function", "function")
		i = b.function(e, "function:return")
		leave()
	default:
		i = b.plain(e, "value", 0)
	}
	if len(b.g.Nodes) > before {
		b.shared[e] = i
	}
	return i
}
