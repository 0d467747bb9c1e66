package relaypass

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
)

// minBranches is the option that all passes of this kind have.
var minBranches = pass.Option{Name: "min_num_branches", Default: 3, Doc: "the least number of operators that are combined"}

// branch is an operator with the elementwise and broadcasting ones behind it, each the only one that takes the value before it.
type branch []*relax.VarBinding

func (b branch) call(depth int) *relax.Call { return b[depth].Value.(*relax.Call) }

// combinable says how operators of one kind become one.
type combinable struct {
	operator string
	// compatible says whether two of them can be one.
	compatible func(a, b *relax.Call) bool
	// together is the one operator.
	together func(group []branch) relax.Expr
	// follows says whether what stands at a depth of all branches, which is the same operator, can be one that takes the value before it as its
	// argument number parent.
	follows func(group []branch, depth, parent int) bool
	// joined is what that one takes as another argument.
	joined func(group []branch, depth, parent, arg int) relax.Expr
	// parts is what the results are taken from, given what is behind the last operator; nil where that is it.
	parts func(data relax.Expr, group []branch) relax.Expr
	// outputs takes the results apart.
	outputs func(data relax.Expr, group []branch, depth int) []relax.Expr
}

// combiner makes one operator of several that take the same data, and goes on with what follows them as far as it is the same. After
// ParallelOpCombiner of TVM v0.18 (src/relay/transforms/combine_parallel_op.cc).
type combiner struct {
	*site
	combinable
	least int
}

// combining is the body of a pass that combines in each dataflow block what make describes.
func combining(rule string, make func(s *site) combinable) pass.RunFunc {
	return pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		if isPrimitive(f) {
			return f, nil
		}
		mu := op.NewExprMutator(c.Step().Input)
		s := &site{c: c, rule: rule, bound: dpl.Bindings{}, ctx: mu.Builder().Context()}
		co := &combiner{site: s, combinable: make(s), least: max(2, int(c.Arg("min_num_branches").(int64)))}
		mu.Block = func(b *relax.BindingBlock) {
			var groups []*parallelGroup
			if b.Dataflow {
				groups = co.groups(b)
			}
			if groups == nil {
				mu.VisitBlock(b)
				return
			}
			mu.InBlock(b, func() { newBlockCombiner(co, mu, b, groups).emitAll() })
		}
		out, err := mu.Function(f)
		if err != nil || out == f {
			return f, err
		}
		return dropUnused(out, func(e relax.Expr) bool { return isPure(e, s.ctx) }), nil
	})
}

// parallelGroup is several branches of one value.
type parallelGroup struct {
	branches []branch
	tried    bool
}

// consumers are what takes the values of a block.
type consumers struct {
	uses   map[*relax.Var]int
	takers map[*relax.Var][]*relax.VarBinding
}

// groups returns the groups of a block.
func (co *combiner) groups(b *relax.BindingBlock) []*parallelGroup {
	in := &consumers{uses: map[*relax.Var]int{}, takers: map[*relax.Var][]*relax.VarBinding{}}
	byData := map[*relax.Var][]*relax.VarBinding{}
	var roots []*relax.Var
	for _, x := range b.Bindings {
		ir.Walk(x.BoundValue(), func(n ir.Node) bool {
			v, ok := n.(*relax.Var)
			if ok {
				in.uses[v]++
			}
			return !ok
		})
		vb, ok := x.(*relax.VarBinding)
		call, isCall := x.BoundValue().(*relax.Call)
		if !ok || !isCall {
			continue
		}
		if data, isVar := firstArg(call); isVar && co.call(call, co.operator) != nil {
			if byData[data] == nil {
				roots = append(roots, data)
			}
			byData[data] = append(byData[data], vb)
		}
		for _, a := range call.Args {
			if v, ok := a.(*relax.Var); ok {
				in.takers[v] = append(in.takers[v], vb)
			}
		}
	}
	patterns := &fusing{patterns: patternTable(), ctx: co.ctx}
	var out []*parallelGroup
	for _, data := range roots {
		var groups []*parallelGroup
		for _, vb := range byData[data] {
			br := in.branch(vb, patterns)
			i := slices.IndexFunc(groups, func(g *parallelGroup) bool { return co.compatible(g.branches[0].call(0), br.call(0)) })
			if i < 0 {
				groups = append(groups, &parallelGroup{branches: []branch{br}})
			} else {
				groups[i].branches = append(groups[i].branches, br)
			}
		}
		for _, g := range groups {
			if n := len(g.branches); n >= co.least {
				out = append(out, g)
			} else if n > 1 {
				co.c.Declinedf(co.rule, g.branches[0][0], "%d operators take the data, at least %d are combined", int64(n), int64(co.least))
			}
		}
	}
	return out
}

func firstArg(c *relax.Call) (*relax.Var, bool) {
	if len(c.Args) == 0 {
		return nil, false
	}
	v, ok := c.Args[0].(*relax.Var)
	return v, ok
}

// branch follows an operator as far as one call alone takes the value, which computes element by element.
func (in *consumers) branch(vb *relax.VarBinding, patterns *fusing) branch {
	br := branch{vb}
	for v := vb.Var; v.Dataflow && in.uses[v] == 1 && len(in.takers[v]) == 1; v = br[len(br)-1].Var {
		next := in.takers[v][0]
		if patterns.fusePattern(next.Value.(*relax.Call)) > op.Broadcast {
			break
		}
		br = append(br, next)
	}
	return br
}

// sameLevel reports whether all branches go on with the same operator, which takes the value before it at the same place.
func (co *combiner) sameLevel(g []branch, depth, parent int) bool {
	first := g[0].call(depth)
	for _, br := range g {
		c := br.call(depth)
		if len(c.Args) != len(first.Args) || c.Args[parent] != br[depth-1].Var ||
			!ir.StructuralEqual(&relax.Call{Op: c.Op, Attrs: c.Attrs}, &relax.Call{Op: first.Op, Attrs: first.Attrs}, ir.EqualOpts{}) {
			return false
		}
		for i, a := range c.Args {
			if i == parent {
				continue
			}
			t, u := co.tensor(a), co.tensor(first.Args[i])
			if t == nil || u == nil {
				if t != u || !ir.StructuralEqual(a, first.Args[i], ir.EqualOpts{}) {
					return false
				}
			} else if t.DType != u.DType || t.NDim != u.NDim {
				return false
			}
		}
	}
	return true
}

// operands are the arguments at a place of all branches.
func operands(g []branch, depth, i int) []relax.Expr {
	out := make([]relax.Expr, len(g))
	for k, br := range g {
		out[k] = br.call(depth).Args[i]
	}
	return out
}

// anywhere reports whether an operator computes each element alike, wherever it stands: it is told no axes and no shape.
func (s *site) anywhere(c *relax.Call) bool {
	if c.Attrs.Has("axis") || c.Attrs.Has("axes") || c.Attrs.Has("shape") || strings.HasPrefix(operatorOf(c), op.RelayPrefix+"dyn.") {
		return false
	}
	for _, a := range c.Args {
		if _, ok := s.ctx.SInfoOf(a).(*relax.ShapeStructInfo); ok {
			return false
		}
	}
	return true
}

// biasAlong reports whether a call adds a bias along an axis of a value of ndim axes.
func biasAlong(c *relax.Call, axis, ndim int) bool {
	k := int(c.Attrs.Int("axis", 1))
	return isCall(c, "relay.nn.bias_add") && (k == axis || k+ndim == axis)
}

// sameType reports whether two values are tensors of one element type.
func (s *site) sameType(a, b relax.Expr) bool {
	x, y := s.tensor(a), s.tensor(b)
	return x != nil && y != nil && x.DType == y.DType
}

// sameDims reports whether two values are tensors of the same known extents.
func (s *site) sameDims(a, b relax.Expr) bool {
	x, ok := s.dims(a)
	y, ok2 := s.dims(b)
	return ok && ok2 && slices.Equal(x, y)
}

// sameBut reports whether two shapes are equal but for an axis.
func sameBut(a, b []int64, axis int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if i != axis && a[i] != b[i] {
			return false
		}
	}
	return true
}

// sizedSlice is the part of extent size along an axis that begins at begin, in the spelling of Relay's combining passes, for the first ndim axes.
func sizedSlice(data relax.Expr, axis, ndim int, begin, size int64) relax.Expr {
	from, extent, step := make([]int64, ndim), make([]int64, ndim), make([]int64, ndim)
	for i := range ndim {
		extent[i], step[i] = -1, 1
	}
	from[axis], extent[axis] = begin, size
	return callOf("relay.strided_slice", ir.NewAttrs("begin", from, "end", extent, "strides", step, "slice_mode", "size"), data)
}
