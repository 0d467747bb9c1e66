package relaypass

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// ForwardFoldScaleAxis moves scales along channels into the weights of what takes the scaled value.
var ForwardFoldScaleAxis = &pass.Pass{
	Name: "relay.ForwardFoldScaleAxis", Level: 3, Kind: pass.Function, Required: []string{inferType},
	Doc: "Multiplies the weights of convolutions and products by what their data is multiplied by along its channels, so that the multiplication of the data goes. It passes relu, where the scale is a positive constant, and additions, where it is a constant that is not zero.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		return forwardFold(c, f)
	}),
}

const ruleForward = "fold a scale into the weights behind it"

// scaledValue says that a value times a scale along axes is what stood here.
type scaledValue struct {
	value, scale relax.Expr
	axes         []int
}

// forwardFold folds in two sweeps: backwards, what each value may be scaled by; forwards, what is left.
func forwardFold(c *pass.Context, f *relax.Function) (*relax.Function, error) {
	mu := op.NewExprMutator(c.Step().Input)
	s := newScaling(site{c: c, rule: ruleForward, ctx: mu.Builder().Context()}, f)
	wanted := s.forwardMessages(f)
	if len(wanted) == 0 {
		return f, nil
	}
	scaled := map[*relax.Var]scaledValue{}
	scaledOf := func(e relax.Expr) (scaledValue, bool) {
		v, ok := e.(*relax.Var)
		if !ok {
			return scaledValue{}, false
		}
		x, ok := scaled[v]
		return x, ok
	}
	now := func(e relax.Expr) relax.Expr {
		if v, ok := e.(*relax.Var); ok {
			return mu.Lookup(v)
		}
		return e
	}
	mu.Binding = func(b relax.Binding) {
		vb, ok := b.(*relax.VarBinding)
		call, isCall := b.BoundValue().(*relax.Call)
		if !ok || !isCall || len(call.Args) == 0 {
			mu.VisitBinding(b)
			return
		}
		emit := func(args ...relax.Expr) {
			out := &relax.VarBinding{Base: vb.Base, Var: vb.Var, Value: &relax.Call{Base: call.Base, Op: call.Op, Args: args, Attrs: call.Attrs}}
			c.Rewrite(ruleForward, vb, out)
			mu.Reemit(out)
		}
		switch {
		case s.call(call, "relax.multiply") != nil:
			m := wanted[vb.Var]
			if m == nil {
				break
			}
			for i := range 2 {
				scale := s.squeezed(call.Args[i], call.Args[1-i], m.axes)
				if scale == nil || !s.floats(call.Args[0], call.Args[1]) || !s.alike(call.Args[i], call) {
					continue
				}
				if !s.allows(m, scale) {
					s.c.Declined(ruleForward, vb, "the scale is no constant of the sign that the operators on the way need")
					continue
				}
				if k, ok := scale.(*relax.Call); ok {
					k.Args[0] = now(k.Args[0])
					scale = mu.Emit(k, "scale")
				} else {
					scale = now(scale)
				}
				scaled[vb.Var] = scaledValue{now(call.Args[i]), scale, m.axes}
				c.Rewrite(ruleForward, vb, nil)
				return
			}
			s.c.Declined(ruleForward, vb, "neither operand is a scale along the channels")
		case s.call(call, "relax.nn.relu", "relax.nn.leakyrelu") != nil:
			if x, ok := scaledOf(call.Args[0]); ok {
				emit(append([]relax.Expr{x.value}, call.Args[1:]...)...)
				scaled[vb.Var] = scaledValue{now(vb.Var), x.scale, x.axes}
				return
			}
		case s.call(call, "relax.add", "relax.subtract") != nil:
			for i := range 2 {
				if x, ok := scaledOf(call.Args[i]); ok {
					args := []relax.Expr{x.value, x.value}
					args[1-i] = op.Divide(now(call.Args[1-i]), s.spread(x.scale, call.Args[i], x.axes))
					emit(args...)
					scaled[vb.Var] = scaledValue{now(vb.Var), x.scale, x.axes}
					return
				}
			}
		case s.call(call, "relay.nn.dense") != nil:
			if x, ok := scaledOf(call.Args[0]); ok {
				emit(x.value, op.Multiply(now(call.Args[1]), x.scale))
				return
			}
		default:
			x, ok := scaledOf(call.Args[0])
			if !ok {
				break
			}
			w, letter := s.window(call), byte('I')
			if w.depthwise {
				letter = 'O'
			}
			emit(x.value, s.scaledWeight(now(call.Args[1]), x.scale, w, letter))
			return
		}
		mu.VisitBinding(b)
	}
	out, err := mu.Function(f)
	if err != nil || out == f {
		return f, err
	}
	return dropUnused(out, func(e relax.Expr) bool { return isPure(e, s.ctx) }), nil
}

// forwardMessages returns along which axes each value may be scaled, as far as all that takes it can take a scaled one.
func (s *scaling) forwardMessages(f *relax.Function) map[*relax.Var]*message {
	out := map[*relax.Var]*message{}
	var sequences []*relax.SeqExpr
	ir.Walk(f, func(n ir.Node) bool {
		if q, ok := n.(*relax.SeqExpr); ok {
			sequences = append(sequences, q)
		}
		return true
	})
	seen, found := map[*relax.Var]bool{}, false
	update := func(e relax.Expr, m *message) {
		if v, ok := e.(*relax.Var); ok {
			if seen[v] {
				m = meet(out[v], m)
			}
			seen[v], out[v] = true, m
			found = found || m != nil
			return
		}
		ir.Walk(e, func(n ir.Node) bool {
			if v, ok := n.(*relax.Var); ok {
				seen[v], out[v] = true, nil
			}
			return true
		})
	}
	for _, q := range slices.Backward(sequences) { // inner ones first
		update(q.Body, nil)
		for _, b := range slices.Backward(q.Blocks) {
			for _, bind := range slices.Backward(b.Bindings) {
				if !bind.Bound().Dataflow { // no scale leaves a let or the graph
					seen[bind.Bound()], out[bind.Bound()] = true, nil
				}
				call, ok := bind.BoundValue().(*relax.Call)
				if !ok {
					switch e := bind.BoundValue().(type) {
					case *relax.Var:
						update(e, nil)
					case *relax.If, *relax.Function: // its sequences were visited
						ir.Walk(e, func(n ir.Node) bool {
							if v, ok := n.(*relax.Var); ok && out[v] != nil {
								out[v] = nil
							}
							return true
						})
					default:
						update(&relax.Tuple{Fields: []relax.Expr{e}}, nil)
					}
					continue
				}
				in := s.forwardPrep(call, out[bind.Bound()])
				for i, a := range call.Args {
					update(a, in[i])
				}
			}
		}
	}
	if !found {
		return nil
	}
	return out
}

// forwardPrep says how the arguments of a call may be scaled, if its result may be as m says.
func (s *scaling) forwardPrep(c *relax.Call, m *message) []*message {
	in := make([]*message, len(c.Args))
	switch {
	case len(c.Args) == 0:
	case s.call(c, "relax.nn.relu", "relax.nn.leakyrelu") != nil:
		if m != nil {
			in[0] = &message{m.axes, true, m.divides}
		}
	case s.call(c, "relax.add", "relax.subtract") != nil:
		if m == nil {
			break
		}
		for i := range 2 {
			if s.matches(c.Args[i], c.Args[1-i], m.axes) && s.floats(c.Args[0], c.Args[1]) {
				in[i] = &message{m.axes, m.positive, true}
				break
			}
		}
	case s.call(c, "relay.nn.dense") != nil:
		if t := s.tensor(c.Args[0]); t != nil && t.NDim == 2 && s.floats(c.Args[0], c.Args[1], c) {
			in[0] = &message{axes: []int{1}}
		}
	default:
		if w := s.window(c); w != nil {
			if axes := w.channels(w.data); axes != nil {
				in[0] = &message{axes: axes}
			}
		}
	}
	return in
}

// meet is what two users of a value both can take.
func meet(a, b *message) *message {
	if a == nil || b == nil || !slices.Equal(a.axes, b.axes) {
		return nil
	}
	return &message{a.axes, a.positive || b.positive, a.divides || b.divides}
}
