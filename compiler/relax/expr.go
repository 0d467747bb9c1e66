package relax

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Expr is an expression of the graph level: a node of this package, *ir.GlobalVar or *ir.Op.
type Expr interface {
	ir.Node
	IsRelaxExpr()
}

// mapped is what the nodes of this package add to Expr.
type mapped interface {
	mapChildren(*Mapper) Expr
}

// Var is a variable, equal only to itself. SInfo is what is known of its value. A Dataflow
// variable (TVM's DataflowVar) is visible inside its dataflow block only.
type Var struct {
	ir.Base
	Name     string
	SInfo    StructInfo
	Dataflow bool
}

// Call calls Op, which is an *ir.Op, an *ir.GlobalVar, an *ExternFunc or a variable that
// holds a function. SInfo is the struct info of the result; the BlockBuilder infers it.
type Call struct {
	ir.Base
	Op        Expr
	Args      []Expr
	Attrs     *ir.Attrs
	SInfoArgs []StructInfo
	SInfo     StructInfo `ir:"-"`
}

// Tuple groups values.
type Tuple struct {
	ir.Base
	Fields []Expr
}

// TupleGetItem is field Index of Tuple.
type TupleGetItem struct {
	ir.Base
	Tuple Expr
	Index int
	SInfo StructInfo `ir:"-"`
}

// ShapeExpr is a shape: each value is an int64 expression over symbolic variables.
type ShapeExpr struct {
	ir.Base
	Values []tir.Expr
}

// Constant is a tensor whose value is known.
type Constant struct {
	ir.Base
	Data     *ir.Blob
	Sharding *Sharding // that of the tensor; nil where it is not distributed
}

// PrimValue is a scalar.
type PrimValue struct {
	ir.Base
	Value tir.Expr
}

// StringImm is a string.
type StringImm struct {
	ir.Base
	Value string
}

// DataTypeImm is an element type as a value.
type DataTypeImm struct {
	ir.Base
	Value dtype.DType
}

// SeqExpr runs Blocks in order and yields Body.
type SeqExpr struct {
	ir.Base
	Blocks []*BindingBlock `ir:"scope"`
	Body   Expr
}

// If yields one of two sequences by the scalar bool Cond.
type If struct {
	ir.Base
	Cond       Expr
	Then, Else *SeqExpr
	SInfo      StructInfo `ir:"-"`
}

// Function is a Relax function. Ret is the struct info of its result. A function
// that may have side effects is not Pure.
type Function struct {
	ir.Base
	Params []*Var   `ir:"def"`
	Body   *SeqExpr `ir:"open"`
	Ret    StructInfo
	Pure   bool
	Attrs  *ir.Attrs
}

// ExternFunc names a packed function of the runtime.
type ExternFunc struct {
	ir.Base
	Symbol string
	SInfo  StructInfo
	Attrs  *ir.Attrs
}

// Binding binds a variable.
type Binding interface {
	ir.Node
	// Bound returns the variable.
	Bound() *Var
	// BoundValue returns the value it is bound to.
	BoundValue() Expr
	mapChildren(*Mapper) Binding
}

// VarBinding binds Var to Value.
type VarBinding struct {
	ir.Base
	Var   *Var `ir:"bind"`
	Value Expr
}

// MatchCast binds Var to Value after checking at run time that it matches SInfo, which may
// define symbolic variables.
type MatchCast struct {
	ir.Base
	Var   *Var `ir:"bind"`
	Value Expr
	SInfo StructInfo `ir:"bind"`
}

// BindingBlock is a sequence of bindings; a Dataflow block is pure and without control flow.
type BindingBlock struct {
	ir.Base
	Bindings []Binding `ir:"bind"`
	Dataflow bool
}

// Bound returns the variable.
func (b *VarBinding) Bound() *Var { return b.Var }

// BoundValue returns the value.
func (b *VarBinding) BoundValue() Expr { return b.Value }

// Bound returns the variable.
func (b *MatchCast) Bound() *Var { return b.Var }

// BoundValue returns the value.
func (b *MatchCast) BoundValue() Expr { return b.Value }

// FuncAttrs returns the attributes.
func (f *Function) FuncAttrs() *ir.Attrs { return f.Attrs }

// WithFuncAttrs returns the function with other attributes.
func (f *Function) WithFuncAttrs(a *ir.Attrs) ir.Function { return f.WithAttrs(a) }

// FuncAttrs returns the attributes.
func (f *ExternFunc) FuncAttrs() *ir.Attrs { return f.Attrs }

// WithFuncAttrs returns the function with other attributes.
func (f *ExternFunc) WithFuncAttrs(a *ir.Attrs) ir.Function { return f.WithAttrs(a) }

// IsRelaxExpr marks graph-level expressions.
func (*Var) IsRelaxExpr() {}

// IsRelaxExpr marks graph-level expressions.
func (*Call) IsRelaxExpr() {}

// IsRelaxExpr marks graph-level expressions.
func (*Tuple) IsRelaxExpr() {}

// IsRelaxExpr marks graph-level expressions.
func (*TupleGetItem) IsRelaxExpr() {}

// IsRelaxExpr marks graph-level expressions.
func (*ShapeExpr) IsRelaxExpr() {}

// IsRelaxExpr marks graph-level expressions.
func (*Constant) IsRelaxExpr() {}

// IsRelaxExpr marks graph-level expressions.
func (*PrimValue) IsRelaxExpr() {}

// IsRelaxExpr marks graph-level expressions.
func (*StringImm) IsRelaxExpr() {}

// IsRelaxExpr marks graph-level expressions.
func (*DataTypeImm) IsRelaxExpr() {}

// IsRelaxExpr marks graph-level expressions.
func (*SeqExpr) IsRelaxExpr() {}

// IsRelaxExpr marks graph-level expressions.
func (*If) IsRelaxExpr() {}

// IsRelaxExpr marks graph-level expressions.
func (*Function) IsRelaxExpr() {}

// IsRelaxExpr marks graph-level expressions.
func (*ExternFunc) IsRelaxExpr() {}
