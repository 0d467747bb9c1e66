package relay

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// Signature says what the operator that Relay knows by a name takes: the names of its operands and of its attributes, in order. ok is false where there is none.
func Signature(name string) (operands, attrs []string, ok bool) {
	switch name {
	case "clip":
		return []string{"a"}, []string{"a_min", "a_max"}, true
	case "expand_dims":
		return []string{"data"}, []string{"axis", "num_newaxis"}, true
	}
	r := rows()[name]
	if r == nil {
		return nil, nil, false
	}
	for _, a := range r.op.Args {
		operands = append(operands, a.Name)
	}
	for _, a := range r.attrs {
		attrs = append(attrs, a.name)
	}
	if readerOf(name) != nil && strings.Contains(" sum mean max min prod ", " "+name+" ") {
		attrs = append(attrs, "exclude")
	}
	return operands, attrs, true
}

// Names returns the operators that begin with a prefix, without it.
func Names(prefix string) []string {
	var out []string
	for name := range rows() {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			out = append(out, rest)
		}
	}
	for _, name := range []string{"clip", "expand_dims", "where", "reshape"} {
		if prefix == "" && rows()[name] == nil {
			out = append(out, name)
		}
	}
	return out
}

// Make returns the call of the operator that Relay knows by a name, with its struct info, as a text says it. A variable among the operands of which
// nothing is known (ObjectStructInfo) gets the type that the operator asks for. With loose the call has no struct info: its operands are not yet what
// it takes.
func Make(name string, args []relax.Expr, attrs *ir.Attrs, loose bool) (*relax.Call, error) {
	b := newBuilder(nil, nil)
	for _, a := range args {
		if v, ok := a.(*relax.Var); ok {
			if _, open := v.SInfo.(*relax.ObjectStructInfo); open {
				b.open[v] = true
			}
		}
	}
	var list []attr
	for i := range attrs.Len() {
		key, v := attrs.At(i)
		list = append(list, attr{name: key, value: v})
	}
	r := rows()[name]
	if !loose || r == nil || readerOf(name) != nil {
		return b.operator(&node{kind: kCall, name: name}, name, args, list)
	}
	read, err := r.read(list)
	if err != nil {
		return nil, err
	}
	return op.New(r.op.Name, args, read)
}

// Attributes returns the name that Relay has for the operator that is called, and all attributes under Relay's names; "" if Relay has no such operator.
func Attributes(c *relax.Call) (string, *ir.Attrs) {
	o, ok := c.Op.(*ir.Op)
	if !ok {
		return "", nil
	}
	switch o.Name {
	case "relax.clip":
		lo, _ := bound(c, 1)
		hi, _ := bound(c, 2)
		return "clip", ir.NewAttrs("a_min", lo, "a_max", hi)
	case "relax.reshape":
		var dims []int64
		if s, ok := c.Args[1].(*relax.ShapeExpr); ok {
			for _, d := range s.Values {
				n, known := tir.AsInt(d)
				if !known {
					n = -1
				}
				dims = append(dims, n)
			}
		}
		return "reshape", ir.NewAttrs("newshape", dims, "allowzero", false)
	case "relax.expand_dims":
		axes := c.Attrs.Ints("axis")
		axis := int64(0)
		if len(axes) > 0 {
			axis = axes[0]
		}
		return "expand_dims", ir.NewAttrs("axis", axis, "num_newaxis", int64(len(axes)))
	case "relax.where":
		return "where", ir.NewAttrs()
	}
	r := byOp()[o.Name]
	if r == nil {
		return "", nil
	}
	out := ir.NewAttrs()
	for _, a := range r.attrs {
		v, ok := c.Attrs.Get(a.to)
		switch {
		case a.to == "":
			v = windowAttr(a.name, o.Name, c)
		case !ok:
			v = a.def
		}
		if a.name == "out_layout" && (v == c.Attrs.Str("layout", "") || v == c.Attrs.Str("data_layout", "")) {
			v = "" // as the call said it
		}
		out = out.With(a.name, v)
	}
	return r.name, out
}

// Graph returns the function of an expression, in which calls may be operands of others: each node of it is bound once, in the order in which it is needed.
func Graph(params []*relax.Var, body relax.Expr, ret relax.StructInfo, attrs *ir.Attrs) (*relax.Function, error) {
	g := &graphMaker{bb: op.NewBlockBuilder(nil), done: map[relax.Expr]relax.Expr{}}
	g.bb.BeginFunction("", params, relax.FuncOpts{Attrs: attrs, Private: true})
	result, err := g.expr(body)
	if err != nil {
		return nil, err
	}
	f, err := g.bb.EndLocalFunction(result)
	if err != nil {
		return nil, err
	}
	if ret != nil {
		f = f.WithRet(ret)
	}
	made := &relax.SeqExpr{Body: f.Body.Body}
	for _, blk := range f.Body.Blocks {
		for _, bind := range blk.Bindings {
			c, isCall := bind.BoundValue().(*relax.Call)
			_, branches := bind.BoundValue().(*relax.If)
			flows := !branches && (!isCall || relax.CallIsPure(c, op.Table(), g.bb.Context()))
			if n := len(made.Blocks); n == 0 || made.Blocks[n-1].Dataflow != flows {
				made.Blocks = append(made.Blocks, &relax.BindingBlock{Dataflow: flows})
			}
			last := made.Blocks[len(made.Blocks)-1]
			bind.Bound().Dataflow = flows
			last.Bindings = append(last.Bindings, bind)
		}
	}
	f = f.WithBody(made)
	settleDataflow(f)
	return f, nil
}

// graphMaker binds the nodes of expressions.
type graphMaker struct {
	bb   *relax.BlockBuilder
	done map[relax.Expr]relax.Expr
}

func (g *graphMaker) expr(e relax.Expr) (relax.Expr, error) {
	if to := g.done[e]; to != nil {
		return to, nil
	}
	var made relax.Expr
	switch e := e.(type) {
	case *relax.Call:
		args, err := g.list(e.Args)
		if err != nil {
			return nil, err
		}
		callee, err := g.expr(e.Op)
		if err != nil {
			return nil, err
		}
		made = e.WithOp(callee).WithArgs(args).WithSInfo(nil)
	case *relax.Tuple:
		fields, err := g.list(e.Fields)
		if err != nil {
			return nil, err
		}
		t := e.WithFields(fields)
		g.done[e] = t
		return t, nil
	case *relax.TupleGetItem:
		t, err := g.expr(e.Tuple)
		if err != nil {
			return nil, err
		}
		made = e.WithTuple(t).WithSInfo(nil)
	case *relax.Function:
		made = e
	case *relax.If, *relax.SeqExpr:
		return nil, fmt.Errorf("a function of Relay made in a script has no branches and no lets: write it as a text of Relay")
	default:
		return e, nil
	}
	v, err := g.bb.Emit(made, "")
	if err != nil {
		return nil, err
	}
	g.done[e] = v
	return v, nil
}

func (g *graphMaker) list(args []relax.Expr) ([]relax.Expr, error) {
	out := make([]relax.Expr, len(args))
	for i, a := range args {
		var err error
		if out[i], err = g.expr(a); err != nil {
			return nil, err
		}
	}
	return out, nil
}
