package fromir

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments/flow"
)

// call adds the node of a call, bound to v or to nothing.
//
// A tensor that was allocated holds nothing until a call writes to it. So the first call that
// returns nothing and is handed the tensor is what makes its value: that node has the id of
// the variable, as it had when it still returned the value, and what uses the variable later
// uses the node.
func (b *builder) call(c *relax.Call, v *relax.Var, line int) int {
	n := flow.Node{Line: line, Info: info(c.SInfo)}
	if v != nil {
		n.ID, n.Name = v.Name, v.Name
		if v.SInfo != nil {
			n.Info = info(v.SInfo)
		}
	}
	args := b.classify(&n, c)
	void := n.Info == ""
	if v == nil || void && n.ID == "_" {
		n.ID, n.Name = n.Label, ""
	}
	allocates := n.Kind == flow.Memory && strings.HasSuffix(n.Label, "alloc_tensor")
	switch {
	case allocates && v != nil:
		n.ID += ":alloc"
		b.unwritten[v] = true
	case strings.HasSuffix(n.Label, "alloc_storage") && len(args) > 0:
		if s, ok := args[0].(*relax.ShapeExpr); ok && len(s.Values) == 1 {
			n.Info = scalar(s.Values[0]) + " bytes"
		}
	case void && n.Kind == flow.Memory && len(args) > 0:
		if x, ok := args[0].(*relax.Var); ok {
			n.ID = x.Name + ":kill"
		}
	}
	var written []*relax.Var
	if void && n.Kind != flow.Memory {
		eachVar(args, func(x *relax.Var) {
			if b.unwritten[x] {
				written = append(written, x)
				delete(b.unwritten, x)
			}
		})
		if len(written) > 0 {
			n.ID, n.Name, n.Info = written[0].Name, written[0].Name, info(written[0].SInfo)
		}
	}
	i := b.add(n)
	b.arguments(i, args)
	for _, x := range written {
		b.def[x] = i
	}
	if v != nil {
		b.def[v] = i
	}
	node := &b.g.Nodes[i]
	if a := attrs(c.Attrs, " = ", "\n"); a != "" {
		node.Detail = strings.TrimPrefix(node.Detail+"\n"+a, "\n")
	}
	node.Detail = cut(node.Detail, maxDetail)
	return i
}

// classify fills in what is called and returns the arguments that it is called with.
func (b *builder) classify(n *flow.Node, c *relax.Call) []relax.Expr {
	op, ok := c.Op.(*ir.Op)
	if !ok {
		n.Label = calleeName(c.Op)
		n.Kind = flow.Call
		switch c.Op.(type) {
		case *relax.ExternFunc:
			n.Kind = packedKind(n.Label)
		case *ir.GlobalVar:
			if n.Info == "" { // only PrimFuncs return nothing
				n.Kind = flow.Kernel
			}
		}
		n.Group = n.Label
		args := c.Args
		if _, ok := c.Op.(*relax.Var); ok {
			args = append([]relax.Expr{c.Op}, args...)
		}
		return args
	}
	name := strings.TrimPrefix(op.Name, "relax.")
	n.Label, n.Kind, n.Group = name, opKind(name), name
	switch name {
	case "call_tir", "call_tir_inplace", "call_tir_with_grad", "vm.call_tir_dyn", "dist.call_tir_local_view":
		if len(c.Args) > 0 {
			n.Kind, n.Label = flow.Kernel, calleeName(c.Args[0])
			n.Group = n.Label
			if name != "call_tir" {
				n.Detail = name
			}
			return c.Args[1:]
		}
	case "call_dps_packed", "call_pure_packed", "call_builtin_with_ctx", "call_inplace_packed":
		if len(c.Args) > 0 {
			n.Label = calleeName(c.Args[0])
			n.Kind, n.Group, n.Detail = packedKind(n.Label), n.Label, name
			return c.Args[1:]
		}
	}
	return c.Args
}

// opKind tells operators on shapes and memory from others.
func opKind(name string) flow.Kind {
	switch name {
	case "shape_of", "tensor_to_shape", "shape_to_tensor", "size":
		return flow.Shape
	case "null_value", "builtin.alloc_tensor":
		return flow.Memory
	}
	if strings.HasPrefix(name, "memory.") || strings.HasPrefix(name, "vm.alloc_") || strings.HasPrefix(name, "vm.kill_") {
		return flow.Memory
	}
	return flow.Op
}

// packedKind tells the runtime's own functions for shapes from other packed functions.
func packedKind(symbol string) flow.Kind {
	switch strings.TrimPrefix(symbol, "vm.builtin.") {
	case "match_shape", "make_shape", "shape_of", "check_tensor_info", "check_shape_info", "check_prim_value_info",
		"check_tuple_info", "check_func_info", "match_prim_value", "make_prim_value", "tensor_to_shape":
		return flow.Shape
	case "alloc_shape_heap":
		return flow.Memory
	}
	return flow.Packed
}

func calleeName(e relax.Expr) string {
	switch e := e.(type) {
	case *ir.Op:
		return strings.TrimPrefix(e.Name, "relax.")
	case *ir.GlobalVar:
		return e.Name
	case *relax.ExternFunc:
		return e.Symbol
	case *relax.Var:
		return e.Name
	case *relax.StringImm:
		return e.Value
	}
	return "call"
}

// arguments adds edges from the values of args to node n, and notes the constants among them.
func (b *builder) arguments(n int, args []relax.Expr) {
	place := 0
	for _, a := range args {
		place = b.operands(n, place, a)
	}
}

// operands adds the edges for what e uses, from argument place on, and returns the place
// after it. Constants, shapes and literals are told in the node.
func (b *builder) operands(n, place int, e relax.Expr) int {
	switch e := e.(type) {
	case *relax.Tuple:
		for _, f := range e.Fields {
			place = b.operands(n, place, f)
		}
		return place
	case *relax.TupleGetItem:
		if b.g.Nodes[n].Kind != flow.Tuple { // an item in an argument
			b.inline(n, place, "item "+strconv.Itoa(e.Index), "")
		}
		b.edge(b.node(e.Tuple), n, place)
		return place + 1
	case *relax.Constant:
		if b.g.Nodes[n].Kind != flow.Constant {
			b.inline(n, place, constant(e), "constant "+e.Data.Digest()[:12]+" "+info(relax.SInfoOf(e)))
		}
		return place + 1
	case *relax.ShapeExpr:
		if b.g.Nodes[n].Kind != flow.Memory && b.g.Nodes[n].Kind != flow.Shape {
			b.inline(n, place, "shape "+dims(e.Values), "")
		} else {
			b.inline(n, place, "", "shape "+dims(e.Values))
		}
		return place + 1
	case *relax.PrimValue, *relax.StringImm, *relax.DataTypeImm:
		b.inline(n, place, "", literal(e))
		return place + 1
	case *ir.GlobalVar, *ir.Op, *relax.ExternFunc:
		if b.g.Nodes[n].Kind != flow.Constant {
			b.inline(n, place, calleeName(e), "")
		}
		return place + 1
	}
	b.edge(b.node(e), n, place)
	return place + 1
}

// inline notes an argument that has no node of its own: short in the label if it is not
// empty, and in the detail.
func (b *builder) inline(n, place int, short, long string) {
	node := &b.g.Nodes[n]
	if short != "" {
		node.Inline = append(node.Inline, cut(short, maxLabel))
	}
	if long == "" {
		long = short
	}
	if len(node.Detail) < maxDetail {
		node.Detail += fmt.Sprintf("\nargument %d: %s", place, long)
		node.Detail = strings.TrimPrefix(node.Detail, "\n")
	}
}

// literal writes a scalar, a string or an element type.
func literal(e relax.Expr) string {
	switch e := e.(type) {
	case *relax.PrimValue:
		return scalar(e.Value)
	case *relax.StringImm:
		return strconv.Quote(e.Value)
	case *relax.DataTypeImm:
		return e.Value.String()
	}
	return cut(script.Node(e, script.Options{}), maxLabel)
}

// eachVar calls f for the variables that stand among args, tuples included.
func eachVar(args []relax.Expr, f func(*relax.Var)) {
	for _, a := range args {
		switch a := a.(type) {
		case *relax.Var:
			f(a)
		case *relax.Tuple:
			eachVar(a.Fields, f)
		}
	}
}
