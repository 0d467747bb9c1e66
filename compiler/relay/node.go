package relay

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// kind says what a node of the graph is.
type kind uint8

const (
	kConst  kind = iota // blob, or a reference to a table of constants
	kVar                // v
	kGlobal             // name
	kCall               // op or fn, args, attrs
	kTuple              // args
	kGet                // field index of args[0]
	kIf                 // args: condition, then, else
	kFn                 // fn
	kLet                // v bound to args[0] in args[1]
)

// node is an expression of Relay. A node that is referred to twice is one pointer.
type node struct {
	kind  kind
	span  *ir.Span
	name  string // of an operator or a global function
	v     *variable
	op    *node // what is called, nil for an operator
	args  []*node
	index int
	blob  *ir.Blob
	attrs []attr
	fn    *function

	// Of the building: how often it is used, the scope it stands in, the scopes inside it and its value.
	uses  int
	scope *scope
	inner [2]*scope
	value relax.Expr
}

// attr is an attribute of a call or a function.
type attr struct {
	name  string
	value ir.Value
	span  *ir.Span
}

// variable is what a parameter or a let binds.
type variable struct {
	name   string
	span   *ir.Span
	info   relax.StructInfo // as written, nil if not
	device string           // the entry of the table of virtual devices, "" for none

	// What its uses say where nothing is written: that it is an operand, the function of a call, a tuple of so many fields.
	operand, called bool
	fields          int

	value *node // what a let binds it to
	rv    *relax.Var
	scope *scope
}

// function is a function before it is built.
type function struct {
	params []*variable
	ret    relax.StructInfo
	attrs  []attr
	body   *node
	calls  [][]*node // arguments of calls of it, as far as they are plain
}

// fault is an error at a place.
type fault struct {
	span *ir.Span
	msg  string
}

func (f *fault) Error() string { return f.span.String() + ": " + f.msg }
