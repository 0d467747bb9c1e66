package relaypass

import (
	"maps"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ToRelax writes operators of Relay as operators of Relax.
var ToRelax = &pass.Pass{
	Name: "relay.ToRelax", Kind: pass.Function, Lowering: true, Required: []string{inferType, "LambdaLift"},
	Doc: "Writes the operators that only Relay has as operators of Relax, for which there are kernels: nn.dense becomes permute_dims and matmul. The functions that FuseOps makes are functions of the module then, as Relax has them: the pass requires LambdaLift. It is the last step of the pipeline relay that knows Relay.",
	Run: rewriting("write with operators of Relax", toRelax),
}

// relaxForm writes a call of an operator of Relay with those of Relax. It returns nil where it cannot, and says why with declined.
type relaxForm func(s *site, c *relax.Call) relax.Expr

// relaxForms are the forms by Relay's names.
var relaxForms = sync.OnceValue(func() map[string]relaxForm {
	out := map[string]relaxForm{}
	for _, table := range []map[string]relaxForm{nnForms(), windowForms(), shapeForms(), indexForms(), plainForms(), gradientForms()} {
		maps.Copy(out, table)
	}
	return out
})

func toRelax(s *site) relax.Expr {
	c, ok := s.value.(*relax.Call)
	if !ok {
		return nil
	}
	o, ok := c.Op.(*ir.Op)
	if !ok {
		return nil
	}
	name, ok := strings.CutPrefix(o.Name, op.RelayPrefix)
	if !ok {
		return nil
	}
	if f := relaxForms()[name]; f != nil {
		return f(s, c)
	}
	return s.declined("Relax's operators have no form for it here")
}

// extents are those of a tensor, nil where they are not known.
func (s *site) extents(e relax.Expr) []tir.Expr {
	t := s.tensor(e)
	if t == nil {
		return nil
	}
	d, ok := t.Dims()
	if !ok {
		return nil
	}
	if d == nil {
		d = []tir.Expr{}
	}
	return d
}

// result is what is known of the tensor that the call returns; nil, with a reason, where its shape is not.
func (s *site) result() *relax.TensorStructInfo {
	if t := s.tensor(s.value); t != nil && !t.DType.IsVoid() {
		if _, ok := t.Dims(); ok {
			return t
		}
	}
	s.declined("the shape or the element type of the result is not known")
	return nil
}

// shapeOf is a known shape as an expression.
func shapeOf(t *relax.TensorStructInfo) *relax.ShapeExpr {
	d, _ := t.Dims()
	return &relax.ShapeExpr{Values: d}
}

// asType casts where the element type is not dt already.
func (s *site) asType(e relax.Expr, from, dt dtype.DType) relax.Expr {
	if dt.IsVoid() || from == dt {
		return e
	}
	return op.AsType(e, dt)
}

// named is a call of an operator of Relax with attributes given as pairs. Names and types are those of its table.
func named(name string, args []relax.Expr, attrs ...any) relax.Expr {
	return callOf("relax."+name, ir.NewAttrs(attrs...), args...)
}

// values is a list of numbers as the value of an attribute.
func values(list []int64) []ir.Value {
	out := make([]ir.Value, len(list))
	for i, n := range list {
		out[i] = n
	}
	return out
}

// axisOf is an axis of a tensor of ndim dimensions from its start; ok is false where there is no such axis.
func axisOf(axis int64, ndim int) (int, bool) {
	if axis < 0 {
		axis += int64(ndim)
	}
	return int(axis), axis >= 0 && axis < int64(ndim)
}

// axesOf are the axes that an attribute names, those that it does not with exclude, or all where it names none.
func axesOf(c *relax.Call, ndim int) []int64 {
	list := c.Attrs.Ints("axis")
	exclude := c.Attrs.Bool("exclude", false)
	in := make([]bool, ndim)
	for _, a := range list {
		if i, ok := axisOf(a, ndim); ok {
			in[i] = true
		}
	}
	var out []int64
	for i, given := range in {
		if given != exclude || len(list) == 0 && !exclude {
			out = append(out, int64(i))
		}
	}
	return out
}

// argument is the form of an operator that changes nothing when the program runs.
func argument(_ *site, c *relax.Call) relax.Expr { return c.Args[0] }
