package tir

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Stmt is a statement.
type Stmt interface {
	ir.Node
	mapChildren(*Mapper) Stmt
}

// LetStmt binds Var to Value in Body.
type LetStmt struct {
	ir.Base
	Var   *Var `ir:"def"`
	Value Expr
	Body  Stmt
}

// AttrStmt annotates Body with Key = Value on Node, which may be nil, a Var, an IterVar, a
// Buffer, an Array of such or another node, e.g. "thread_extent" on an IterVar.
type AttrStmt struct {
	ir.Base
	Node  ir.Node `ir:"scope"`
	Key   string
	Value Expr
	Body  Stmt
}

// Array is a list of nodes where one node is expected, such as the two buffers that an AttrStmt
// "buffer_bind_scope" binds to each other.
type Array struct {
	ir.Base
	Items []ir.Node
}

// Keys of the AttrStmts that give the variable of their IterVar node its extent: that of a thread, or
// of a virtual one.
const (
	KeyThreadExtent  = "thread_extent"
	KeyVirtualThread = "virtual_thread"
)

// BoundThread returns the variable to which the statement gives an extent, nil if it gives none.
func (n *AttrStmt) BoundThread() *IterVar {
	if iv, ok := n.Node.(*IterVar); ok && (n.Key == KeyThreadExtent || n.Key == KeyVirtualThread) {
		return iv
	}
	return nil
}

// Keys of the AttrStmts around an assertion that an index is within its bounds, on the data of the
// buffer. Their values are the index and, where it is no constant, the extent, for the error
// that says what they were: simplification may leave neither in the condition.
const (
	KeyBoundIndex  = "bound_index"
	KeyBoundExtent = "bound_extent"
)

// AssertStmt checks Cond before Body.
type AssertStmt struct {
	ir.Base
	Cond    Expr
	Message Expr
	Body    Stmt
}

// BufferStore writes Value to Buffer at Indices; Predicate, if not nil, masks lanes.
type BufferStore struct {
	ir.Base
	Buffer    *Buffer
	Value     Expr
	Indices   []Expr
	Predicate Expr
}

// BufferRealize announces the part Bounds of Buffer that Body uses.
type BufferRealize struct {
	ir.Base
	Buffer    *Buffer `ir:"def"`
	Bounds    []*Range
	Condition Expr
	Body      Stmt
}

// Allocate makes Var point at memory for Extents elements of Type in Body.
type Allocate struct {
	ir.Base
	Var         *Var `ir:"def"`
	Type        dtype.DType
	Extents     []Expr
	Condition   Expr
	Body        Stmt
	Annotations *ir.Attrs
}

// AllocateConst makes Var point at constant data in Body.
type AllocateConst struct {
	ir.Base
	Var         *Var `ir:"def"`
	Type        dtype.DType
	Extents     []Expr
	Data        *ir.Blob
	Body        Stmt
	Annotations *ir.Attrs
}

// DeclBuffer makes Buffer usable in Body, over memory that exists already.
type DeclBuffer struct {
	ir.Base
	Buffer *Buffer `ir:"def"`
	Body   Stmt
}

// SeqStmt runs Seq in order. It has at least two statements and none of them is a SeqStmt:
// build it with Seq.
type SeqStmt struct {
	ir.Base
	Seq []Stmt
}

// Evaluate computes Value for its effect.
type Evaluate struct {
	ir.Base
	Value Expr
}

// IfThenElse branches on Cond; Else may be nil.
type IfThenElse struct {
	ir.Base
	Cond       Expr
	Then, Else Stmt
}

// ForKind says how the iterations of a loop run.
type ForKind uint8

// The kinds of loop.
const (
	Serial ForKind = iota
	Parallel
	Vectorized
	Unrolled
	ThreadBinding
)

var forKindNames = [...]string{"serial", "parallel", "vectorized", "unroll", "thread_binding"}

// String returns the name in T, e.g. "vectorized".
func (k ForKind) String() string { return forKindNames[k] }

// For runs Body for LoopVar = Min, Min+Step, ... below Min+Extent. Step nil is 1. Thread is
// the thread variable of a ThreadBinding loop.
type For struct {
	ir.Base
	LoopVar     *Var `ir:"def"`
	Min, Extent Expr
	Kind        ForKind
	Body        Stmt
	Thread      *IterVar
	Annotations *ir.Attrs
	Step        Expr
}

// While runs Body as long as Cond holds.
type While struct {
	ir.Base
	Cond Expr
	Body Stmt
}

// Block is a unit of scheduling: its iteration variables, what it reads and writes, its
// buffers, an Init that starts reductions (nil if none) and its Body.
type Block struct {
	ir.Base
	IterVars     []*IterVar `ir:"def"`
	Reads        []*BufferRegion
	Writes       []*BufferRegion
	Name         string    `ir:"name"`
	AllocBuffers []*Buffer `ir:"def"`
	MatchBuffers []*MatchBufferRegion
	Annotations  *ir.Attrs
	Init         Stmt
	Body         Stmt
}

// BlockRealize runs Block with its iteration variables set to Values where Predicate holds.
type BlockRealize struct {
	ir.Base
	Values    []Expr
	Predicate Expr
	Block     *Block
}

// PrimFunc is a PrimFunc. Buffers holds, for each parameter, the buffer that
// the parameter's handle is matched to, or nil.
type PrimFunc struct {
	ir.Base
	Params  []*Var    `ir:"def"`
	Buffers []*Buffer `ir:"def"`
	RetType ir.Type
	Body    Stmt
	Attrs   *ir.Attrs
}

// FuncAttrs returns the attributes.
func (f *PrimFunc) FuncAttrs() *ir.Attrs { return f.Attrs }

// SameCode reports whether f and g share all that they consist of but their attributes and origins.
func (f *PrimFunc) SameCode(g *PrimFunc) bool {
	return f.Body == g.Body && f.RetType == g.RetType && same(f.Params, g.Params) && same(f.Buffers, g.Buffers)
}

// WithFuncAttrs returns the function with other attributes.
func (f *PrimFunc) WithFuncAttrs(a *ir.Attrs) ir.Function { return f.WithAttrs(a) }

// BufferOf returns the buffer that parameter p is matched to, nil if there is none.
func (f *PrimFunc) BufferOf(p *Var) *Buffer {
	for i, q := range f.Params {
		if q == p && i < len(f.Buffers) {
			return f.Buffers[i]
		}
	}
	return nil
}

// Seq runs the statements in order: nested sequences are spliced in, nil and empty ones
// dropped. Of one statement it is that statement, of none a no-op.
func Seq(stmts ...Stmt) Stmt {
	var flat []Stmt
	for _, s := range stmts {
		switch s := s.(type) {
		case nil:
		case *SeqStmt:
			flat = append(flat, s.Seq...)
		default:
			if !IsNoOp(s) {
				flat = append(flat, s)
			}
		}
	}
	switch len(flat) {
	case 0:
		return NoOp()
	case 1:
		return flat[0]
	}
	return &SeqStmt{Seq: flat}
}

// NoOp returns the statement that does nothing: Evaluate(0).
func NoOp() Stmt { return &Evaluate{Value: Const(dtype.Int32T, 0)} }

// IsNoOp reports whether s evaluates a constant for nothing.
func IsNoOp(s Stmt) bool {
	e, ok := s.(*Evaluate)
	if !ok {
		return false
	}
	_, ok = e.Value.(*IntImm)
	return ok
}
