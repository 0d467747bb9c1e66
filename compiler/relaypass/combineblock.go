package relaypass

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// blockCombiner emits the bindings of a dataflow block with its groups combined. A combined operator stands where the first of its branches does:
// what it takes besides is computed before, and what depends on one of the branches cannot be.
type blockCombiner struct {
	*combiner
	mu       *relax.ExprMutator
	block    *relax.BindingBlock
	bindings map[*relax.Var]relax.Binding
	groupOf  map[*relax.Var]*parallelGroup // by the results of the operators
	done     map[*relax.Var]bool           // emitted, or being emitted
	open     map[*relax.Var]bool           // results of operators that are being combined
	results  map[*relax.Var]relax.Expr     // what stands for the last values of branches
}

func newBlockCombiner(co *combiner, mu *relax.ExprMutator, b *relax.BindingBlock, groups []*parallelGroup) *blockCombiner {
	bc := &blockCombiner{
		combiner: co, mu: mu, block: b, bindings: map[*relax.Var]relax.Binding{}, groupOf: map[*relax.Var]*parallelGroup{},
		done: map[*relax.Var]bool{}, open: map[*relax.Var]bool{}, results: map[*relax.Var]relax.Expr{},
	}
	for _, x := range b.Bindings {
		bc.bindings[x.Bound()] = x
	}
	for _, g := range groups {
		for _, br := range g.branches {
			bc.groupOf[br[0].Var] = g
		}
	}
	return bc
}

func (bc *blockCombiner) emitAll() {
	for _, x := range bc.block.Bindings {
		bc.emit(x)
	}
}

// waiting calls visit for the bindings of the block that e uses and that are not emitted yet.
func (bc *blockCombiner) waiting(e relax.Expr, visit func(relax.Binding)) {
	ir.Walk(e, func(n ir.Node) bool {
		v, ok := n.(*relax.Var)
		if x := bc.bindings[v]; ok && x != nil && (!bc.done[v] || bc.open[v]) {
			visit(x)
		}
		return !ok
	})
}

// emit emits a binding behind those that it uses, and before it the group that it begins.
func (bc *blockCombiner) emit(x relax.Binding) {
	v := x.Bound()
	if bc.done[v] {
		return
	}
	bc.done[v] = true
	bc.waiting(x.BoundValue(), bc.emit)
	if g := bc.groupOf[v]; g != nil && !g.tried {
		g.tried = true
		bc.combine(g.branches)
	}
	if out := bc.results[v]; out != nil {
		bc.mu.Reemit(&relax.VarBinding{Base: x.Meta(), Var: v, Value: out})
		return
	}
	bc.mu.VisitBindings(&relax.BindingBlock{Base: bc.block.Base, Bindings: []relax.Binding{x}, Dataflow: true})
}

// depends reports whether e uses, through bindings that are not emitted yet, what is being combined. What is known not to is in clean.
func (bc *blockCombiner) depends(e relax.Expr, clean map[*relax.Var]bool) bool {
	found := false
	bc.waiting(e, func(x relax.Binding) {
		v := x.Bound()
		if found || clean[v] {
			return
		}
		if found = bc.open[v] || bc.depends(x.BoundValue(), clean); !found {
			clean[v] = true
		}
	})
	return found
}

// ready computes what the operators at a depth take besides the value at the place parent. It reports false, and does nothing, if some of that depends on
// what is being combined.
func (bc *blockCombiner) ready(g []branch, depth, parent int) bool {
	clean := map[*relax.Var]bool{}
	each := func(visit func(a relax.Expr) bool) bool {
		for _, br := range g {
			for i, a := range br.call(depth).Args {
				if i != parent && !visit(a) {
					return false
				}
			}
		}
		return true
	}
	if !each(func(a relax.Expr) bool { return !bc.depends(a, clean) }) {
		return false
	}
	return each(func(a relax.Expr) bool {
		bc.waiting(a, bc.emit)
		return true
	})
}

// combine emits one operator for a group and what follows, and notes what stands for the branches.
func (bc *blockCombiner) combine(g []branch) {
	for _, br := range g {
		bc.open[br[0].Var] = true
	}
	defer func() {
		for _, br := range g {
			delete(bc.open, br[0].Var)
		}
	}()
	if !bc.ready(g, 0, 0) {
		bc.c.Declined(bc.rule, g[0][0], "what one of the operators takes depends on the result of another")
		return
	}
	shortest := len(g[0])
	for _, br := range g {
		shortest = min(shortest, len(br))
	}
	data := bc.bind(g, 0, bc.together(bc.now(g, 0)))
	depth := 1
	for ; depth < shortest; depth++ {
		c := g[0].call(depth)
		parent := slices.IndexFunc(c.Args, func(a relax.Expr) bool { return a == g[0][depth-1].Var })
		if parent < 0 || !bc.sameLevel(g, depth, parent) || !bc.follows(g, depth, parent) || !bc.ready(g, depth, parent) {
			break
		}
		now := bc.now(g, depth)
		args := make([]relax.Expr, len(c.Args))
		for i, a := range c.Args {
			switch {
			case i == parent:
				args[i] = data
			case bc.tensor(a) != nil:
				args[i] = bc.joined(now, depth, parent, i)
			default:
				args[i] = a
			}
		}
		data = bc.bind(g, depth, &relax.Call{Op: c.Op, Args: args, Attrs: c.Attrs})
	}
	if bc.parts != nil {
		data = bc.bind(g, depth-1, bc.parts(data, g))
	}
	for i, out := range bc.outputs(data, g, depth-1) {
		last := g[i][depth-1]
		bc.c.Rewrite(bc.rule, last, out)
		bc.results[last.Var] = out
	}
}

// bind emits what is combined of the operators at a depth, from which it comes.
func (bc *blockCombiner) bind(g []branch, depth int, e relax.Expr) relax.Expr {
	ids := make([]ir.OriginID, len(g))
	for i, br := range g {
		ids[i] = br.call(depth).Origin
	}
	old := bc.mu.Builder().SetOrigin(bc.c.Step().Input.Origins().Merge(bc.c.Step().Pass.Name, ids...))
	defer bc.mu.Builder().SetOrigin(old)
	return bc.mu.Emit(e, "combined")
}

// now is a group with the operands at a depth as they are now.
func (bc *blockCombiner) now(g []branch, depth int) []branch {
	out := make([]branch, len(g))
	for i, br := range g {
		c := br.call(depth)
		args := make([]relax.Expr, len(c.Args))
		for k, a := range c.Args {
			args[k] = a
			if v, ok := a.(*relax.Var); ok {
				args[k] = bc.mu.Lookup(v)
			}
		}
		out[i] = slices.Clone(br)
		out[i][depth] = br[depth].WithValue(&relax.Call{Base: c.Base, Op: c.Op, Args: args, Attrs: c.Attrs, SInfo: c.SInfo})
	}
	return out
}
