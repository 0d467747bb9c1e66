package relaypass

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// relayGroup is a group of nodes in the making, which becomes a function marked Primitive and a call of it.
type relayGroup struct {
	g       *fusing
	sc      *fuseScope
	last    []int // of the group of each node
	members []*relax.VarBinding
	inside  []relax.Binding           // what becomes of the members in the function
	inner   map[*relax.Var]*relax.Var // their variables there
	params  []*relax.Var
	args    []relax.Expr // for params
}

// add adds the node i, which vb binds.
func (gr *relayGroup) add(vb *relax.VarBinding, i int) {
	gr.members = append(gr.members, vb)
	var value relax.Expr
	switch e := vb.Value.(type) {
	case *relax.Call:
		value = &relax.Call{Base: e.Base, Op: e.Op, Args: gr.operands(i, e.Args), Attrs: e.Attrs, SInfoArgs: e.SInfoArgs, SInfo: e.SInfo}
	case *relax.Tuple:
		value = &relax.Tuple{Base: e.Base, Fields: gr.operands(i, e.Fields)}
	case *relax.TupleGetItem:
		value = &relax.TupleGetItem{Base: e.Base, Tuple: gr.operands(i, []relax.Expr{e.Tuple})[0], Index: e.Index, SInfo: e.SInfo}
	}
	v := &relax.Var{Base: vb.Var.Base, Name: vb.Var.Name, SInfo: vb.Var.SInfo, Dataflow: gr.last[i] != i}
	gr.inner[vb.Var] = v
	gr.inside = append(gr.inside, &relax.VarBinding{Base: vb.Base, Var: v, Value: value})
}

// operands returns what the node i takes, as the function names it.
func (gr *relayGroup) operands(i int, list []relax.Expr) []relax.Expr {
	out := make([]relax.Expr, len(list))
	for k, a := range list {
		from := gr.sc.operands[i][k]
		same := from >= 0 && gr.last[from] == gr.last[i]
		out[k] = a
		switch e := a.(type) {
		case *relax.Var:
			if same {
				out[k] = gr.inner[e]
			} else {
				out[k] = gr.param(a)
			}
		case *relax.Tuple:
			if ofNumbers(e) {
				continue
			}
			if same {
				out[k] = &relax.Tuple{Base: e.Base, Fields: gr.operands(from, e.Fields)}
			} else {
				out[k] = gr.param(a)
			}
		case *relax.Constant:
			if !same && !gr.g.link {
				out[k] = gr.param(a)
			}
		}
	}
	return out
}

// param returns the parameter for an argument: equal ones are one.
func (gr *relayGroup) param(a relax.Expr) *relax.Var {
	if i := slices.Index(gr.args, a); i >= 0 {
		return gr.params[i]
	}
	p := &relax.Var{Base: ir.Base{Origin: a.Meta().Origin}, Name: fmt.Sprintf("p%d", len(gr.params)), SInfo: gr.g.ctx.SInfoOf(a)}
	gr.params, gr.args = append(gr.params, p), append(gr.args, a)
	return p
}

// finish returns the binding of the function, nil where there is to be none, and what takes the place of the members.
func (gr *relayGroup) finish() (relax.Binding, []relax.Binding) {
	root := gr.members[len(gr.members)-1]
	var before []relax.Binding
	for _, b := range gr.members {
		before = append(before, b)
	}
	calls := slices.ContainsFunc(gr.inside, func(b relax.Binding) bool { _, ok := b.BoundValue().(*relax.Call); return ok })
	if _, tuple := root.Value.(*relax.Tuple); tuple || !calls {
		return nil, before
	}
	result := gr.inside[len(gr.inside)-1].Bound()
	ids := make([]ir.OriginID, len(gr.members))
	for i, b := range gr.members {
		ids[i] = cmp.Or(b.BoundValue().Meta().Origin, b.Origin)
	}
	base := ir.Base{Span: root.Span, Origin: gr.g.mod.Origins().Merge("relay.FuseOps", ids...)}
	attrs := ir.NewAttrs("Primitive", 1)
	if gr.reshapes() {
		attrs = attrs.With("relay.reshape_only", 1)
	}
	fn := &relax.Function{
		Base: base, Params: gr.params, Ret: result.SInfo, Pure: true, Attrs: attrs,
		Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{{Base: base, Bindings: gr.inside, Dataflow: true}}, Body: result},
	}
	if !closed(fn) {
		gr.g.c.Declined("fuse", root, "its parameters do not tell all of its symbolic extents")
		return nil, before
	}
	fn = relax.CopyFunction(fn)
	gr.g.changed = true
	v := &relax.Var{Base: base, Name: root.Var.Name + "_op", SInfo: gr.g.ctx.SInfoOf(fn), Dataflow: true}
	call := root.WithValue(&relax.Call{Base: base, Op: v, Args: gr.args, SInfo: root.Var.SInfo})
	if gr.g.c.Observed() {
		list := make([]ir.Node, len(before))
		for i, b := range before {
			list[i] = b
		}
		gr.g.c.RewriteAll("make operators one function", list, []ir.Node{call})
	}
	return &relax.VarBinding{Base: base, Var: v, Value: fn}, []relax.Binding{call}
}

// reshapes reports whether the function only names the elements of its parameters otherwise.
func (gr *relayGroup) reshapes() bool {
	for _, b := range gr.inside {
		if c, ok := b.BoundValue().(*relax.Call); ok && !reshapeOperators[c.Op.(*ir.Op).Name] {
			return false
		}
	}
	for _, p := range gr.params {
		if _, ok := p.SInfo.(*relax.TensorStructInfo); !ok {
			return false
		}
	}
	return true
}

// reshapeOperators are those that TVM marks as TReshapeOp.
var reshapeOperators = map[string]bool{
	"relax.reshape": true, "relay.reshape": true, "relay.contrib_reverse_reshape": true, "relay.dyn.reshape": true,
	"relax.nn.batch_flatten": true, "relax.expand_dims": true, "relax.squeeze": true, "relay.dyn.squeeze": true,
}

// isNumber reports whether a constant is a scalar of a type that kernels can hold as a number.
func isNumber(k *relax.Constant) bool {
	switch k.Data.DType() {
	case dtype.Int32T, dtype.Int64T, dtype.Float32T, dtype.Float64T, dtype.BoolT:
		return len(k.Data.Shape()) == 0
	}
	return false
}

// symbolic reports whether the operands of a call name symbolic extents.
func symbolic(c *relax.Call) bool {
	found := false
	for _, a := range c.Args {
		if _, ok := a.(*relax.Var); ok {
			continue
		}
		ir.Walk(a, func(n ir.Node) bool {
			if _, ok := n.(*relax.Var); ok {
				return false
			}
			if _, ok := n.(*tir.Var); ok {
				found = true
			}
			return !found
		})
	}
	return found
}

// closed reports whether the parameters of a function define the symbolic variables that it uses.
func closed(f *relax.Function) bool {
	defined := map[*tir.Var]bool{}
	for _, p := range f.Params {
		if t, ok := p.SInfo.(*relax.TensorStructInfo); ok {
			dims, _ := t.Dims()
			for _, d := range dims {
				if v, ok := d.(*tir.Var); ok {
					defined[v] = true
				}
			}
		}
	}
	ok := true
	ir.Walk(f, func(n ir.Node) bool {
		if v, isVar := n.(*tir.Var); isVar && !defined[v] {
			ok = false
		}
		return ok
	})
	return ok
}
