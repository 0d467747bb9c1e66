package relaypass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
)

// FoldConstant computes at compile time what depends on constants only. The rules are those of ConstantFolder in TVM v0.18
// (src/relay/transforms/fold_constant.cc): it looks through tuples and lets, takes the branch that a constant condition selects, and skips
// calls without arguments, functions and what has effects.
var FoldConstant = &pass.Pass{
	Name: "relay.FoldConstant", Level: 2, Kind: pass.Function, Breaks: []*pass.Form{pass.NoDataflow},
	Doc:     "Replaces calls of operators on constants by their results, fields of tuples by the values, lets of constants by the constants, shape_of and ndarray_size of known shapes by their values, and an If of a constant by its branch. Calls without arguments, kernels and operators with effects stay; large results are left and reported.",
	Options: []pass.Option{{Name: "fold_qnn", Default: false, Doc: "fold quantized operators too"}},
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		return foldConstants(c, f, c.Arg("fold_qnn").(bool))
	}),
}

// foldConstants folds one function.
func foldConstants(c *pass.Context, f *relax.Function, qnn bool) (*relax.Function, error) {
	if isPrimitive(f) {
		return f, nil
	}
	mod := c.Step().Input
	cf := &constantFolder{
		c: c, folder: transform.NewFolder(c, mod), qnn: qnn, ctx: op.NewBlockBuilder(mod).Context(),
		known: map[*relax.Var]relax.Expr{}, tuples: map[*relax.Var]*relax.Tuple{},
	}
	cf.names.Expr = cf.operand
	body := cf.sequence(f.Body)
	if cf.err != nil || !cf.changed {
		return f, cf.err
	}
	out, err := withLocals(mod, f.WithBody(body))
	if err != nil {
		return f, err
	}
	return dropUnused(out, func(e relax.Expr) bool { return effectless(e, cf.ctx) }), nil
}

// constantFolder folds one function.
type constantFolder struct {
	c      *pass.Context
	folder *transform.Folder
	qnn    bool
	ctx    *relax.InferContext
	// known says what stands for a variable that is gone: a constant, or another variable. tuples are those that stay.
	known   map[*relax.Var]relax.Expr
	tuples  map[*relax.Var]*relax.Tuple
	names   relax.Mapper
	changed bool
	err     error
}

func (cf *constantFolder) sequence(s *relax.SeqExpr) *relax.SeqExpr {
	made := &relax.SeqExpr{Base: s.Base}
	made.Body = cf.into(made, s)
	return made
}

// into places what is left of s in another sequence, and returns its result.
func (cf *constantFolder) into(made *relax.SeqExpr, s *relax.SeqExpr) relax.Expr {
	for _, b := range s.Blocks {
		for _, bind := range b.Bindings {
			if cf.err == nil {
				cf.binding(made, bind, b.Dataflow)
			}
		}
	}
	return cf.operand(s.Body)
}

func (cf *constantFolder) binding(made *relax.SeqExpr, bind relax.Binding, dataflow bool) {
	vb, ok := bind.(*relax.VarBinding)
	if !ok {
		place(made, cf.names.MapBinding(bind), dataflow)
		return
	}
	value := vb.Value
	switch e := value.(type) {
	case *relax.If:
		if k, ok := cf.value(e.Cond).(*relax.Constant); ok {
			taken := e.Else
			if k.Data.Elem(0)[0] != 0 {
				taken = e.Then
			}
			cf.replace("take the branch that a constant selects", vb, cf.into(made, taken))
			return
		}
		value = &relax.If{Base: e.Base, Cond: cf.operand(e.Cond), Then: cf.sequence(e.Then), Else: cf.sequence(e.Else), SInfo: e.SInfo}
	case *relax.Function:
		if !isPrimitive(e) {
			value = e.WithBody(cf.sequence(e.Body))
		}
	default:
		value = cf.operand(value)
	}
	if cf.err != nil {
		return
	}
	switch e := value.(type) {
	case *relax.Constant: // as a let binds it
		cf.replace("put a constant in the place of its name", vb, e)
		return
	case *relax.Tuple:
		cf.tuples[vb.Var] = e
	case *relax.Var:
		if t := cf.tuples[e]; t != nil {
			cf.tuples[vb.Var] = t
		}
	case *relax.TupleGetItem:
		if t, ok := cf.value(e.Tuple).(*relax.Tuple); ok && e.Index < len(t.Fields) {
			cf.replace("take a field of a tuple", vb, t.Fields[e.Index])
			return
		}
	case *relax.Call:
		k, err := cf.call(e, vb)
		if err != nil {
			cf.err = fmt.Errorf("variable %s: %w", vb.Var.Name, err)
			return
		}
		if k != nil {
			cf.replace("fold a call on constants", vb, k)
			return
		}
	}
	if value != vb.Value {
		bind = vb.WithValue(value)
	}
	place(made, bind, dataflow)
}

// replace lets e stand for the variable of a binding, which is gone.
func (cf *constantFolder) replace(rule string, vb *relax.VarBinding, e relax.Expr) {
	if _, isConst := e.(*relax.Constant); isConst && vb.Origin != 0 && e.Meta().Origin == 0 {
		e = ir.WithOrigin(e, vb.Origin)
	}
	cf.changed = true
	cf.known[vb.Var] = e
	cf.c.Rewrite(rule, vb, e)
}

// operand puts in the place of a variable what stands for it.
func (cf *constantFolder) operand(e relax.Expr) relax.Expr {
	switch e := e.(type) {
	case *relax.Var:
		if to, ok := cf.known[e]; ok {
			return to
		}
		return e
	case *relax.Function, *relax.SeqExpr:
		return e
	}
	return cf.names.MapExpr(e)
}

// value looks through a variable to what is known of it.
func (cf *constantFolder) value(e relax.Expr) relax.Expr {
	e = cf.operand(e)
	if v, ok := e.(*relax.Var); ok {
		if t := cf.tuples[v]; t != nil {
			return t
		}
	}
	return e
}
