package relaypass

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
)

// FuseOps groups operators that should run as one kernel. The graph is that of TVM v0.18 (src/relay/transforms/fuse_ops.cc), where scalar
// constants, tuples and fields are nodes; the partition is that of transform.FuseOps.
var FuseOps = &pass.Pass{
	Name: "relay.FuseOps", Kind: pass.Function, Required: []string{inferType}, Breaks: []*pass.Form{pass.NoDataflow},
	Doc: "Makes each operator a local function marked Primitive, and puts operators into one where nothing else needs the values between them: elementwise ones join what they follow, injective ones and tuples join each other. Nothing joins across a let, a branch or a function. At fuse_opt_level 0 each function has one operator.",
	Options: []pass.Option{
		{Name: "fuse_opt_level", Default: -1, Doc: "level of fusion; -1 takes opt_level"},
	},
	Config: []string{"relay.FuseOps.max_depth", "relay.FuseOps.link_params"}, ReadsLevel: true,
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		if isPrimitive(f) || f.Attrs.Has("Compiler") {
			return f, nil
		}
		mod := c.Step().Input
		level := c.Arg("fuse_opt_level").(int64)
		if level < 0 {
			level = int64(c.Level())
		}
		g := &fusing{
			c: c, mod: mod, ctx: op.NewBlockBuilder(mod).Context(), patterns: patternTable(), apart: level == 0,
			maxDepth: int(c.ConfigInt("relay.FuseOps.max_depth")), link: c.ConfigBool("relay.FuseOps.link_params"),
		}
		body, err := g.sequence(f.Body)
		if err != nil || !g.changed {
			return f, err
		}
		return withLocals(mod, f.WithBody(body))
	}),
}

// fusing is the fusion of one function.
type fusing struct {
	c        *pass.Context
	mod      *ir.Module
	ctx      *relax.InferContext
	patterns map[string]op.Pattern
	apart    bool // nothing is put together
	maxDepth int
	link     bool
	changed  bool
}

// fuseScope is the graph of one sequence. Scalar constants and tuples that are written as operands are nodes too.
type fuseScope struct {
	nodes    []transform.FuseNode
	of       map[*relax.Var]int    // the node that binds a variable of the graph
	at       map[relax.Binding]int // the node of a binding
	operands [][]int               // by node: the nodes of its operands, -1 for what is none
}

// sequence returns s with its operators fused, those of inner sequences first.
func (g *fusing) sequence(s *relax.SeqExpr) (*relax.SeqExpr, error) {
	sc := g.graph(s)
	var last []int
	if g.apart {
		last = make([]int, len(sc.nodes))
		for i := range last {
			last[i] = i
		}
	} else {
		last = transform.Partition(g.c, sc.nodes, g.maxDepth)
	}
	groups := map[int]*relayGroup{}
	made := &relax.SeqExpr{Base: s.Base, Body: s.Body}
	stopped := map[*relax.Var]relax.Expr{} // results of stop_fusion
	for _, b := range s.Blocks {
		for _, bind := range b.Bindings {
			vb, ok := bind.(*relax.VarBinding)
			if !ok {
				place(made, bind, b.Dataflow)
				continue
			}
			switch e := vb.Value.(type) {
			case *relax.If:
				then, err := g.sequence(e.Then)
				if err != nil {
					return nil, err
				}
				otherwise, err := g.sequence(e.Else)
				if err != nil {
					return nil, err
				}
				bind = vb.WithValue(e.WithThen(then).WithElse(otherwise))
			case *relax.Function:
				if !isPrimitive(e) && !e.Attrs.Has("Compiler") {
					body, err := g.sequence(e.Body)
					if err != nil {
						return nil, err
					}
					bind = vb.WithValue(e.WithBody(body))
				}
			case *relax.Call:
				if isCall(e, "relay.annotation.stop_fusion") {
					stopped[vb.Var], g.changed = e.Args[0], true
					g.c.Rewrite("drop a mark that stops fusion", vb, e.Args[0])
					continue
				}
			}
			i, isNode := sc.at[bind]
			if !isNode {
				place(made, bind, b.Dataflow)
				continue
			}
			gr := groups[last[i]]
			if gr == nil {
				gr = &relayGroup{g: g, sc: sc, last: last, inner: map[*relax.Var]*relax.Var{}}
				groups[last[i]] = gr
			}
			gr.add(vb, i)
			if last[i] != i {
				continue
			}
			function, rest := gr.finish()
			if function != nil {
				place(made, function, true)
			}
			for _, x := range rest {
				place(made, x, b.Dataflow)
			}
		}
	}
	if len(stopped) > 0 {
		return relax.Bind(made, relax.Subst{Vars: stopped}).(*relax.SeqExpr), nil
	}
	return made, nil
}

// graph makes the graph of a sequence. What a let binds, and what an inner scope uses, is used from outside.
func (g *fusing) graph(s *relax.SeqExpr) *fuseScope {
	sc := &fuseScope{of: map[*relax.Var]int{}, at: map[relax.Binding]int{}}
	extern := func(n ir.Node) {
		ir.Walk(n, func(n ir.Node) bool {
			v, ok := n.(*relax.Var)
			if i, here := sc.of[v]; ok && here {
				sc.nodes[i].Extern = true
			}
			return !ok
		})
	}
	for _, b := range s.Blocks {
		for _, bind := range b.Bindings {
			vb, ok := bind.(*relax.VarBinding)
			var pattern op.Pattern
			var operands []relax.Expr
			if ok {
				pattern, operands, ok = g.node(vb.Value)
			}
			if !ok {
				extern(bind.BoundValue())
				continue
			}
			i := g.add(sc, vb, vb.Var, pattern, operands)
			sc.nodes[i].Extern = !b.Dataflow
			sc.at[bind] = i
			if b.Dataflow { // no edge leads to what a let binds
				sc.of[vb.Var] = i
			}
		}
	}
	extern(s.Body)
	return sc
}

// add adds a node behind those of its operands, and returns its number. result is what it computes.
func (g *fusing) add(sc *fuseScope, vb *relax.VarBinding, result relax.Expr, pattern op.Pattern, operands []relax.Expr) int {
	from := make([]int, len(operands))
	for k, a := range operands {
		from[k] = -1
		switch a := a.(type) {
		case *relax.Var:
			if i, ok := sc.of[a]; ok {
				from[k] = i
			}
		case *relax.Constant:
			if isNumber(a) {
				from[k] = g.add(sc, nil, a, op.ElemWise, nil)
			}
		case *relax.Tuple:
			if !ofNumbers(a) {
				from[k] = g.add(sc, nil, a, op.TuplePattern, a.Fields)
			}
		}
	}
	self := len(sc.nodes)
	for k, a := range operands {
		if from[k] < 0 {
			continue
		}
		use := transform.FuseUse{Node: self, Pattern: pattern}
		switch {
		case pattern == op.Broadcast && g.sameShape(a, result):
			use.Pattern = op.ElemWise
		case pattern == op.TuplePattern:
			use.Pattern = op.Injective
		}
		sc.nodes[from[k]].Users = append(sc.nodes[from[k]].Users, use)
	}
	sc.nodes = append(sc.nodes, transform.FuseNode{Binding: vb, Pattern: pattern})
	sc.operands = append(sc.operands, from)
	return self
}

// ofNumbers reports whether a tuple holds numbers alone, such as the axes of a slice: kernels are made for what they are.
func ofNumbers(t *relax.Tuple) bool {
	return !slices.ContainsFunc(t.Fields, func(f relax.Expr) bool { _, number := f.(*relax.PrimValue); return !number })
}

// node returns how a value fuses and what it takes, ok false where it is no node.
func (g *fusing) node(e relax.Expr) (pattern op.Pattern, operands []relax.Expr, ok bool) {
	tensors := func(list []relax.Expr) bool {
		for _, a := range list {
			if _, ok := g.ctx.SInfoOf(a).(*relax.TensorStructInfo); !ok {
				return false
			}
		}
		return true
	}
	switch e := e.(type) {
	case *relax.Call:
		if operatorOf(e) == "" {
			return op.Opaque, nil, false
		}
		if symbolic(e) {
			g.c.Declined("fuse", e, "it names symbolic extents, which a function has no names for")
			return op.Opaque, nil, false
		}
		return g.fusePattern(e), e.Args, true
	case *relax.Tuple:
		return op.TuplePattern, e.Fields, tensors(e.Fields)
	case *relax.TupleGetItem:
		t, ok := g.ctx.SInfoOf(e.Tuple).(*relax.TupleStructInfo)
		for i := 0; ok && i < len(t.Fields); i++ {
			_, ok = t.Fields[i].(*relax.TensorStructInfo)
		}
		return op.Injective, []relax.Expr{e.Tuple}, ok
	}
	return op.Opaque, nil, false
}

func (g *fusing) sameShape(a, b relax.Expr) bool {
	x, ok := g.ctx.SInfoOf(a).(*relax.TensorStructInfo)
	y, ok2 := g.ctx.SInfoOf(b).(*relax.TensorStructInfo)
	return ok && ok2 && x.Shape != nil && y.Shape != nil && ir.StructuralEqual(x.Shape, y.Shape, ir.EqualOpts{})
}
