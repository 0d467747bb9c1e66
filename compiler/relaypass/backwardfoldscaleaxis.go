package relaypass

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// BackwardFoldScaleAxis moves scales along channels into the weights of what computes the scaled value.
var BackwardFoldScaleAxis = &pass.Pass{
	Name: "relay.BackwardFoldScaleAxis", Level: 3, Kind: pass.Function, Required: []string{inferType},
	Doc: "Multiplies the weights of convolutions and products by what their result is multiplied by along its channels, where nothing else takes the result, so that the multiplication of the result goes. It passes relu, where the scale is a positive constant, and additions, whose other operand is scaled instead.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		return backwardFold(c, f)
	}),
}

// FoldScaleAxis is both, and computes what they did to constant weights.
var FoldScaleAxis = &pass.Pass{
	Name: "relay.FoldScaleAxis", Level: 3, Kind: pass.Function, Required: []string{inferType}, Breaks: []*pass.Form{pass.NoDataflow},
	Doc: "Runs BackwardFoldScaleAxis, ForwardFoldScaleAxis and FoldConstant: scales along channels go into constant weights.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		out, err := backwardFold(c, f)
		if err == nil {
			out, err = forwardFold(c, out)
		}
		if err != nil {
			return f, err
		}
		return foldConstants(c, out, false)
	}),
}

const ruleBackward = "fold a scale into the weights before it"

// backward is a function with the bindings that are scaled: their result is to be multiplied already.
type backward struct {
	*scaling
	c       *pass.Context
	mu      *relax.ExprMutator
	uses    map[*relax.Var]int
	values  map[*relax.Var]*relax.Call // of the graph
	home    map[*relax.Var]*relax.BindingBlock
	message map[*relax.Var]*message
	moved   map[*relax.Var]bool                // bindings that stand at their multiplication now
	chains  map[*relax.Var][]*relax.VarBinding // by the multiplication: what it scales, in order
	bind    map[*relax.Var]*relax.VarBinding
	factor  map[*relax.Var]int // of a multiplication: which operand is the scale
}

func backwardFold(c *pass.Context, f *relax.Function) (*relax.Function, error) {
	mu := op.NewExprMutator(c.Step().Input)
	b := &backward{
		scaling: newScaling(site{c: c, rule: ruleBackward, ctx: mu.Builder().Context()}, f), c: c, mu: mu, uses: map[*relax.Var]int{}, values: map[*relax.Var]*relax.Call{},
		home: map[*relax.Var]*relax.BindingBlock{}, message: map[*relax.Var]*message{}, moved: map[*relax.Var]bool{},
		chains: map[*relax.Var][]*relax.VarBinding{}, bind: map[*relax.Var]*relax.VarBinding{}, factor: map[*relax.Var]int{},
	}
	b.plan(f)
	if len(b.chains) == 0 {
		return f, nil
	}
	mu.Binding = b.binding
	out, err := mu.Function(f)
	if err != nil || out == f {
		return f, err
	}
	return dropUnused(out, func(e relax.Expr) bool { return isPure(e, b.ctx) }), nil
}

// plan finds the multiplications that can be folded and what they scale.
func (b *backward) plan(f *relax.Function) {
	ir.Walk(f, func(n ir.Node) bool {
		switch n := n.(type) {
		case *relax.BindingBlock:
			for _, x := range n.Bindings {
				b.home[x.Bound()] = n
				ir.Walk(x.BoundValue(), func(n ir.Node) bool {
					if v, ok := n.(*relax.Var); ok {
						b.uses[v]++
					}
					return true
				})
			}
		case *relax.SeqExpr:
			ir.Walk(n.Body, func(n ir.Node) bool {
				if v, ok := n.(*relax.Var); ok {
					b.uses[v]++
				}
				return true
			})
		}
		return true
	})
	relax.EachBinding(f.Body, func(block *relax.BindingBlock, x relax.Binding) {
		vb, ok := x.(*relax.VarBinding)
		call, isCall := x.BoundValue().(*relax.Call)
		if !ok || !isCall || !block.Dataflow {
			return
		}
		b.values[vb.Var], b.bind[vb.Var] = call, vb
		if b.call(call, "relax.multiply") != nil {
			b.multiplication(vb, call)
			return
		}
		if b.uses[vb.Var] == 1 {
			if m := b.prep(call); m != nil {
				b.message[vb.Var] = m
			}
		}
	})
}

// of returns the message of an argument, nil where it is not of that block or cannot be scaled.
func (b *backward) of(e relax.Expr) *message {
	v, _ := e.(*relax.Var)
	return b.message[v]
}

// prep says how the result of a call may be scaled.
func (b *backward) prep(c *relax.Call) *message {
	switch {
	case len(c.Args) == 0:
	case b.call(c, "relax.nn.relu", "relax.nn.leakyrelu") != nil:
		if m := b.of(c.Args[0]); m != nil {
			return &message{axes: m.axes, positive: true}
		}
	case b.call(c, "relax.add", "relax.subtract") != nil:
		if !b.floats(c.Args[0], c.Args[1]) {
			return nil
		}
		l, r := b.of(c.Args[0]), b.of(c.Args[1])
		switch {
		case l != nil && r != nil && slices.Equal(l.axes, r.axes) && b.alike(c.Args[0], c.Args[1]):
			return &message{axes: l.axes, positive: l.positive || r.positive}
		case l != nil && b.matches(c.Args[0], c.Args[1], l.axes):
			return l
		case r != nil && b.matches(c.Args[1], c.Args[0], r.axes):
			return r
		}
	case b.call(c, "relay.nn.bias_add") != nil:
		m, t := b.of(c.Args[0]), b.tensor(c)
		axis := int(c.Attrs.Int("axis", 1))
		if t != nil && axis < 0 {
			axis += t.NDim
		}
		if m != nil && len(m.axes) == 1 && m.axes[0] == axis && b.floats(c.Args[0], c.Args[1]) {
			return m
		}
	case b.call(c, "relay.nn.dense") != nil:
		if t := b.tensor(c); t != nil && t.NDim == 2 && b.floats(c.Args[0], c.Args[1], c) {
			return &message{axes: []int{1}}
		}
	default:
		if w := b.window(c); w != nil {
			if axes := w.channels(w.out); axes != nil {
				return &message{axes: axes}
			}
		}
	}
	return nil
}

// multiplication notes what a multiplication can be folded into.
func (b *backward) multiplication(vb *relax.VarBinding, c *relax.Call) {
	for i := range 2 {
		m := b.of(c.Args[i])
		if m == nil {
			continue
		}
		scale := b.squeezed(c.Args[i], c.Args[1-i], m.axes)
		switch {
		case scale == nil || !b.floats(c.Args[0], c.Args[1]) || !b.alike(c.Args[i], c):
			b.c.Declined(ruleBackward, vb, "the other operand is no scale along the channels")
		case !b.allows(m, scale):
			b.c.Declined(ruleBackward, vb, "the scale is no positive constant, which an operator on the way needs")
		default:
			var chain []*relax.VarBinding
			if !b.collect(c.Args[i].(*relax.Var), b.home[vb.Var], &chain) {
				b.c.Declined(ruleBackward, vb, "what it scales stands in another block")
				return
			}
			for _, x := range chain {
				b.moved[x.Var] = true
				delete(b.message, x.Var)
			}
			b.chains[vb.Var], b.factor[vb.Var] = chain, 1-i
		}
		return
	}
}

// collect adds what is scaled to a chain, operands first, false where a part of it is in another block.
func (b *backward) collect(v *relax.Var, block *relax.BindingBlock, chain *[]*relax.VarBinding) bool {
	if b.home[v] != block {
		return false
	}
	call := b.values[v]
	for _, a := range b.through(call) {
		if !b.collect(a, block, chain) {
			return false
		}
	}
	*chain = append(*chain, b.bind[v])
	return true
}

// through returns the arguments of a call that are scaled in its place: none for what takes the scale into its weights.
func (b *backward) through(c *relax.Call) []*relax.Var {
	var out []*relax.Var
	if b.call(c, "relax.nn.relu", "relax.nn.leakyrelu", "relay.nn.bias_add") != nil {
		out = append(out, c.Args[0].(*relax.Var))
	}
	if b.call(c, "relax.add", "relax.subtract") != nil {
		l, r := b.of(c.Args[0]), b.of(c.Args[1])
		both := l != nil && r != nil && slices.Equal(l.axes, r.axes) && b.alike(c.Args[0], c.Args[1])
		left := l != nil && (both || b.matches(c.Args[0], c.Args[1], l.axes))
		if left {
			out = append(out, c.Args[0].(*relax.Var))
		}
		if both || !left {
			out = append(out, c.Args[1].(*relax.Var))
		}
	}
	return out
}
