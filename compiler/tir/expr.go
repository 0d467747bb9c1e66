package tir

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Expr is a scalar or vector expression.
type Expr interface {
	ir.Node
	// DType is the type of the value; Void for calls made for their effect.
	DType() dtype.DType
	mapChildren(*Mapper) Expr
}

// Var is a variable, equal only to itself. Type says what it holds: a PrimType or, for
// pointers to data, a PointerType.
type Var struct {
	ir.Base
	Name string
	Type ir.Type
	Size bool // a SizeVar: known to be non-negative, as tensor extents are
}

// IntImm is an integer (or bool) constant.
type IntImm struct {
	ir.Base
	Type  dtype.DType
	Value int64
}

// FloatImm is a floating-point constant, rounded to its type when it is computed with.
type FloatImm struct {
	ir.Base
	Type  dtype.DType
	Value float64
}

// StringImm is a string constant, of type handle.
type StringImm struct {
	ir.Base
	Value string
}

// Cast converts a value to another type: float to int truncates, int to bool tests for zero.
type Cast struct {
	ir.Base
	Type  dtype.DType
	Value Expr
}

// BinaryOp names the operation of a Binary. Each is a node kind of its own in TVM.
type BinaryOp uint8

// The binary operations. Div and Mod truncate towards zero for integers; FloorDiv and
// FloorMod round towards minus infinity. Min and Max of floats are NaN where an operand is, and
// either zero where both are zeros. From EQ on the result is bool.
const (
	OpAdd BinaryOp = iota
	OpSub
	OpMul
	OpDiv
	OpMod
	OpFloorDiv
	OpFloorMod
	OpMin
	OpMax
	OpEQ
	OpNE
	OpLT
	OpLE
	OpGT
	OpGE
	OpAnd
	OpOr
)

var binaryNames = [...]string{
	"Add", "Sub", "Mul", "Div", "Mod", "FloorDiv", "FloorMod", "Min", "Max",
	"EQ", "NE", "LT", "LE", "GT", "GE", "And", "Or",
}

// String returns TVM's name of the node kind, e.g. "FloorDiv".
func (op BinaryOp) String() string { return binaryNames[op] }

// IsCompare reports whether op is one of EQ, NE, LT, LE, GT, GE.
func (op BinaryOp) IsCompare() bool { return op >= OpEQ && op <= OpGE }

// Binary applies Op to two values of the same type (and lanes). NewBinary and BinaryAt make one.
type Binary struct {
	ir.Base
	Op      BinaryOp
	operand dtype.DType // type of A, where a constructor made the node
	A, B    Expr
}

// Not is the logical negation of a bool.
type Not struct {
	ir.Base
	A Expr
}

// Select chooses by Cond; both values may be computed.
type Select struct {
	ir.Base
	Cond, True, False Expr
}

// BufferLoad reads Buffer at Indices. The last index may be a vector, which makes the
// result one. Predicate, if not nil, masks the lanes.
type BufferLoad struct {
	ir.Base
	Buffer    *Buffer
	Indices   []Expr
	Predicate Expr
}

// ProducerLoad reads the result of a tensor-expression producer; it exists only inside
// te computations, before create_prim_func.
type ProducerLoad struct {
	ir.Base
	Producer Producer
	Indices  []Expr
}

// Producer is what a ProducerLoad reads: a tensor of package te.
type Producer interface {
	ir.Node
	ProducerName() string
	ProducerDType() dtype.DType
	ProducerShape() []Expr
}

// Ramp is the vector Start, Start+Stride, ... of Lanes lanes.
type Ramp struct {
	ir.Base
	Start, Stride Expr
	Lanes         int
	Scalable      bool // Lanes times what vscale() returns
}

// Broadcast repeats Value in Lanes lanes.
type Broadcast struct {
	ir.Base
	Value    Expr
	Lanes    int
	Scalable bool // Lanes times what vscale() returns
}

// Let binds Var to Value in Body.
type Let struct {
	ir.Base
	Var   *Var `ir:"def"`
	Value Expr
	Body  Expr
}

// Call calls an intrinsic or a function of the module.
type Call struct {
	ir.Base
	Type dtype.DType
	Op   ir.Callee
	Args []Expr
}

// Shuffle picks the lanes Indices (constants) from the concatenation of Vectors.
type Shuffle struct {
	ir.Base
	Vectors []Expr
	Indices []Expr
}

// CommReducer is a commutative reduction: Result combines the variables LHS and RHS,
// starting from Identity. The four lists have one entry for each value reduced.
type CommReducer struct {
	ir.Base
	LHS      []*Var `ir:"def"`
	RHS      []*Var `ir:"def"`
	Result   []Expr
	Identity []Expr
}

// Reduce combines Source over Axis where Condition holds; it yields entry ValueIndex.
// It exists only inside te computations, before create_prim_func.
type Reduce struct {
	ir.Base
	Combiner   *CommReducer
	Source     []Expr
	Init       []Expr
	Axis       []*IterVar `ir:"def"`
	Condition  Expr
	ValueIndex int
}

// Range is [Min, Min+Extent).
type Range struct {
	ir.Base
	Min, Extent Expr
}

// IterKind says what an iteration variable may be used for.
type IterKind uint8

// The kinds, with TVM's names; the short forms S, R, O stand in T.axis.remap.
const (
	DataPar     IterKind = iota // spatial
	ThreadIndex                 // bound to a thread of an accelerator
	CommReduce                  // reduction
	Ordered                     // scan
	Opaque
)

var iterKindNames = [...]string{"spatial", "thread", "reduce", "scan", "opaque"}

// String returns the name in T.axis, e.g. "spatial".
func (k IterKind) String() string { return iterKindNames[k] }

// IterVar is an iteration variable over a domain. ThreadTag names the thread of a
// ThreadIndex, e.g. "threadIdx.x".
type IterVar struct {
	ir.Base
	Dom       *Range
	Var       *Var `ir:"bind"`
	Kind      IterKind
	ThreadTag string
}

// DType returns the type of the variable.
func (v *Var) DType() dtype.DType { return ir.TypeDType(v.Type) }

// DType returns the type of the constant.
func (i *IntImm) DType() dtype.DType { return i.Type }

// DType returns the type of the constant.
func (f *FloatImm) DType() dtype.DType { return f.Type }

// DType returns handle.
func (*StringImm) DType() dtype.DType { return dtype.HandleT }

// DType returns the target type.
func (c *Cast) DType() dtype.DType { return c.Type }

// DType returns bool with the operands' lanes for comparisons and logic, else the operands' type.
func (b *Binary) DType() dtype.DType {
	d := b.OperandType()
	if b.Op >= OpEQ {
		return dtype.BoolT.LikeVector(d)
	}
	return d
}

// OperandType returns the type of the operands.
func (b *Binary) OperandType() dtype.DType {
	if b.operand != dtype.Void {
		return b.operand
	}
	return b.A.DType()
}

// EachChild calls f for each direct child.
func (b *Binary) EachChild(f func(ir.Node)) {
	if b.A != nil {
		f(b.A)
	}
	if b.B != nil {
		f(b.B)
	}
}

// mapChildren is written by hand because the type of the operands follows from them.
func (b *Binary) mapChildren(m *Mapper) Expr {
	x, y := m.expr(b.A), m.expr(b.B)
	if x == b.A && y == b.B {
		return b
	}
	return BinaryAt(b.Base, b.Op, x, y)
}

// DType returns bool with the operand's lanes.
func (n *Not) DType() dtype.DType { return n.A.DType() }

// DType returns the type of the values.
func (s *Select) DType() dtype.DType { return s.True.DType() }

// DType returns the buffer's element type times the lanes of the last index.
func (l *BufferLoad) DType() dtype.DType { return accessDType(l.Buffer.DType, l.Indices) }

func accessDType(d dtype.DType, indices []Expr) dtype.DType {
	if n := len(indices); n > 0 {
		v := indices[n-1].DType()
		v.Lanes, v.Scalable = v.Lanes*d.Lanes, v.Scalable || d.Scalable
		return d.LikeVector(v)
	}
	return d
}

// DType returns the producer's element type.
func (l *ProducerLoad) DType() dtype.DType { return l.Producer.ProducerDType() }

// DType returns the type of Start with Lanes lanes.
func (r *Ramp) DType() dtype.DType {
	d := r.Start.DType()
	return d.LikeVector(dtype.DType{Lanes: d.Lanes * uint16(r.Lanes), Scalable: r.Scalable})
}

// DType returns the type of Value with Lanes lanes.
func (b *Broadcast) DType() dtype.DType {
	d := b.Value.DType()
	return d.LikeVector(dtype.DType{Lanes: d.Lanes * uint16(b.Lanes), Scalable: b.Scalable})
}

// DType returns the type of the body.
func (l *Let) DType() dtype.DType { return l.Body.DType() }

// DType returns the type of the result.
func (c *Call) DType() dtype.DType { return c.Type }

// DType returns the element type of the vectors with one lane for each index.
func (s *Shuffle) DType() dtype.DType {
	return s.Vectors[0].DType().WithLanes(len(s.Indices))
}

// DType returns the type of the entry that is yielded.
func (r *Reduce) DType() dtype.DType { return r.Source[r.ValueIndex].DType() }
