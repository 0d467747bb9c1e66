package codegen

import (
	"strconv"

	"github.com/irscope/irscope/compiler/tir"
)

// factOf writes a condition on integers with $0 and $1 for the values that vary, so that an
// error can say what they were. It is empty for a condition that says more than that.
func factOf(cond tir.Expr) (string, []tir.Expr) {
	f := fact{ok: true}
	text := f.text(cond)
	if !f.ok || len(f.values) == 0 {
		return "", nil
	}
	return text + " is false", f.values
}

type fact struct {
	values []tir.Expr
	ok     bool
}

var factOps = map[tir.BinaryOp]string{
	tir.OpEQ: " == ", tir.OpNE: " != ", tir.OpLT: " < ", tir.OpLE: " <= ", tir.OpGT: " > ", tir.OpGE: " >= ",
	tir.OpAnd: " and ", tir.OpOr: " or ",
}

func (f *fact) text(e tir.Expr) string {
	b, ok := e.(*tir.Binary)
	op := factOps[binaryOp(b)]
	if !ok || op == "" {
		f.ok = false
		return ""
	}
	if b.Op.IsCompare() {
		return f.value(b.A) + op + f.value(b.B)
	}
	if inner, ok := b.A.(*tir.Binary); ok && inner.Op != b.Op && !inner.Op.IsCompare() {
		f.ok = false // needs parentheses
	}
	if inner, ok := b.B.(*tir.Binary); ok && !inner.Op.IsCompare() {
		f.ok = false
	}
	return f.text(b.A) + op + f.text(b.B)
}

func binaryOp(b *tir.Binary) tir.BinaryOp {
	if b == nil {
		return tir.OpAdd // which states nothing
	}
	return b.Op
}

func (f *fact) value(e tir.Expr) string {
	d := e.DType()
	if k, ok := tir.AsInt(e); ok {
		return strconv.FormatInt(k, 10)
	}
	if !d.IsInteger() || d.IsBool() || d.Lanes != 1 || d.Bits > 64 || d.IsUInt() && d.Bits == 64 {
		f.ok = false
		return ""
	}
	for i, v := range f.values {
		if tir.Equal(v, e) {
			return "$" + strconv.Itoa(i)
		}
	}
	if len(f.values) == 2 {
		f.ok = false
		return ""
	}
	f.values = append(f.values, e)
	return "$" + strconv.Itoa(len(f.values)-1)
}

// FailureOf is what is said where the condition of an assertion does not hold: its message, and the fact behind it over values. bound, if there is
// any, is the index that it checks, and the extent.
func FailureOf(s *tir.AssertStmt, bound []tir.Expr) (text, fact string, values []tir.Expr) {
	text = "assertion failed"
	if m, ok := s.Message.(*tir.StringImm); ok {
		text = m.Value
	}
	switch len(bound) {
	case 1:
		return text, "it is $0", bound
	case 2:
		return text, "it is $0, the extent $1", bound
	}
	fact, values = factOf(s.Cond)
	return text, fact, values
}
