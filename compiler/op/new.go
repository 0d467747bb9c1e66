package op

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// New returns a call of the operator called name with all its attributes: those given and
// the defaults of the others. Struct info is inferred when the call is emitted.
func New(name string, args []relax.Expr, attrs *ir.Attrs) (*relax.Call, error) {
	o := byName()[name]
	if o == nil {
		return nil, unknownOp(name)
	}
	if err := o.checkAttrs(attrs); err != nil {
		return nil, err
	}
	return o.call(args, attrs), nil
}

// call builds a call, filling in defaults.
func (o *Op) call(args []relax.Expr, attrs *ir.Attrs) *relax.Call {
	if o.complete != nil {
		attrs = o.complete(attrs)
	}
	if attrs.Len() < len(o.Attrs) {
		full := o.defaults
		for i := range attrs.Len() {
			name, v := attrs.At(i)
			full = full.With(name, v)
		}
		attrs = full
	}
	return &relax.Call{Op: o.ref, Args: args, Attrs: attrs}
}

// build is for the typed constructors: name is in the table and the attributes fit by type.
func build(name string, attrs *ir.Attrs, args ...relax.Expr) *relax.Call {
	return byName()[name].call(args, attrs)
}

// NewBlockBuilder returns a builder that adds to mod, which may be nil, with this package's
// operators and an analyzer of its own.
func NewBlockBuilder(mod *ir.Module) *relax.BlockBuilder {
	return relax.NewBlockBuilder(mod, Table(), arith.NewAnalyzer())
}

// Is reports whether e is a call of the operator called name, and returns the call.
func Is(e relax.Expr, name string) (*relax.Call, bool) {
	c, ok := e.(*relax.Call)
	if !ok {
		return nil, false
	}
	o, ok := c.Op.(*ir.Op)
	return c, ok && o.Name == name
}

// Of returns the operator that e calls, nil if e is no call of an operator that is known.
func Of(e relax.Expr) *Op {
	if c, ok := e.(*relax.Call); ok {
		if o, ok := c.Op.(*ir.Op); ok {
			return OfRef(o)
		}
	}
	return nil
}

// OfRef returns the operator that a node stands for: the one that it was defined by, or the one of the table; nil if there is none.
func OfRef(ref *ir.Op) *Op {
	if o, ok := ref.Def().(*Op); ok {
		return o
	}
	return byName()[ref.Name]
}

// NewExprMutator returns a mutator for the functions of mod, with this package's operators and
// an analyzer of its own.
func NewExprMutator(mod *ir.Module) *relax.ExprMutator {
	return relax.NewExprMutator(NewBlockBuilder(mod))
}
