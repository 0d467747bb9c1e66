package dpl

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Pattern describes expressions. Patterns are compared by identity.
type Pattern interface {
	// matches tells whether e is of the pattern; raw is e before variables were looked through.
	matches(m *matcher, raw, e relax.Expr) bool
}

type (
	wildcard struct{ _ byte } // not empty, so that each has an address of its own
	operator struct{ name string }
	exact    struct{ e relax.Expr }
	variable struct{ name string }
	local    struct{ name string }
	global   struct{ name string }
	extern   struct{ name string }
	constant struct{ _ byte }
	call     struct {
		op      Pattern
		args    []Pattern
		varargs bool
	}
	tuple    struct{ fields []Pattern }
	anyOrder struct{ fields []Pattern }
	getItem  struct {
		tuple Pattern
		index int
	}
	function struct {
		params []Pattern
		body   Pattern
	}
	shapeOf  struct{ dims []tir.Expr }
	hasAttrs struct {
		p     Pattern
		attrs *ir.Attrs
	}
	hasShape struct {
		p    Pattern
		dims []tir.Expr
	}
	hasDType struct {
		p  Pattern
		dt dtype.DType
	}
	hasInfo struct {
		p    Pattern
		info relax.StructInfo
	}
	or  struct{ left, right Pattern }
	and struct{ left, right Pattern }
	not struct{ p Pattern }
)

// Wildcard matches everything.
func Wildcard() Pattern { return &wildcard{} }

// IsOp matches the operator of that name, as what a call calls.
func IsOp(name string) Pattern { return &operator{name} }

// Op matches calls of the named operator with these operands.
func Op(name string, args ...Pattern) Pattern { return &call{op: IsOp(name), args: args} }

// OpVarArgs is Op for calls that may have more operands.
func OpVarArgs(name string, args ...Pattern) Pattern {
	return &call{op: IsOp(name), args: args, varargs: true}
}

// Call matches calls of what op matches with these operands.
func Call(op Pattern, args ...Pattern) Pattern { return &call{op: op, args: args} }

// CallVarArgs is Call for calls that may have more operands.
func CallVarArgs(op Pattern, args ...Pattern) Pattern {
	return &call{op: op, args: args, varargs: true}
}

// CallTIR matches calls of the kernel that callee matches by call_tir, with these operands; nil is any.
func CallTIR(callee Pattern, args []Pattern) Pattern {
	if args == nil {
		return OpVarArgs("relax.call_tir", callee)
	}
	return OpVarArgs("relax.call_tir", callee, Tuple(args...))
}

// IsExpr matches what is structurally equal to e.
func IsExpr(e relax.Expr) Pattern { return &exact{e} }

// IsVar matches variables of that name, "" any.
func IsVar(name string) Pattern { return &variable{name} }

// IsDataflowVar matches variables of that name that are local to a dataflow block, "" any.
func IsDataflowVar(name string) Pattern { return &local{name} }

// IsGlobalVar matches functions of the module whose name contains name.
func IsGlobalVar(name string) Pattern { return &global{name} }

// IsExtern matches external functions of that symbol, "" any.
func IsExtern(symbol string) Pattern { return &extern{symbol} }

// IsConst matches constants.
func IsConst() Pattern { return &constant{} }

// Tuple matches tuples of these fields.
func Tuple(fields ...Pattern) Pattern { return &tuple{fields} }

// UnorderedTuple matches tuples whose fields match these in some order.
func UnorderedTuple(fields ...Pattern) Pattern { return &anyOrder{fields} }

// GetItem matches field index of what t matches, -1 any field.
func GetItem(t Pattern, index int) Pattern { return &getItem{t, index} }

// Function matches local functions; nil params are any.
func Function(params []Pattern, body Pattern) Pattern { return &function{params, body} }

// IsShape matches shapes with these extents.
func IsShape(dims ...tir.Expr) Pattern { return &shapeOf{dims} }

// HasAttrs matches what p does if it is a call or a function with these attributes.
func HasAttrs(p Pattern, attrs *ir.Attrs) Pattern { return &hasAttrs{p, attrs} }

// HasShape matches what p does if it is a tensor of these extents.
func HasShape(p Pattern, dims ...tir.Expr) Pattern { return &hasShape{p, dims} }

// HasDType matches what p does if it is a tensor of that element type.
func HasDType(p Pattern, dt dtype.DType) Pattern { return &hasDType{p, dt} }

// HasSInfo matches what p does if each of its values is a value of info.
func HasSInfo(p Pattern, info relax.StructInfo) Pattern { return &hasInfo{p, info} }

// Or matches what one of the patterns matches; the first that does counts.
func Or(first Pattern, rest ...Pattern) Pattern {
	for _, p := range rest {
		first = &or{first, p}
	}
	return first
}

// And matches what all of the patterns match.
func And(first Pattern, rest ...Pattern) Pattern {
	for _, p := range rest {
		first = &and{first, p}
	}
	return first
}

// Not matches what p does not.
func Not(p Pattern) Pattern { return &not{p} }

// Optional matches p, or a call by wrap of p: Optional(p, func(x) { return Op("relax.nn.relu", x) }).
func Optional(p Pattern, wrap func(Pattern) Pattern) Pattern { return Or(wrap(p), p) }

// Computes tells whether p itself is a pattern of a call or of a field of a tuple: what is to be computed where it matches. Others describe what is
// there, or hold such patterns.
func Computes(p Pattern) bool {
	switch p.(type) {
	case *call, *getItem:
		return true
	}
	return false
}

// Fields returns the number of fields of p if it is a pattern of a tuple whose fields are in order, else -1.
func Fields(p Pattern) int {
	if t, ok := p.(*tuple); ok {
		return len(t.fields)
	}
	return -1
}
