package script

import (
	"bytes"
	"math"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// intImm prints a constant: without its type where every reader gives it the type of the
// option int_dtype.
func (p *printer) intImm(e *tir.IntImm) {
	switch {
	case e.Type.IsBool():
		p.bool(e.Value != 0)
	case e.Type == p.intDType:
		p.int(e.Value)
	default:
		p.t(e.Type.String())
		p.str("(")
		if e.Type.IsUInt() {
			p.buf = strconv.AppendUint(p.buf, uint64(e.Value), 10)
		} else {
			p.int(e.Value)
		}
		p.str(")")
	}
}

// extent prints what stands where every reader takes a number without a type for an int64:
// extents and values of the graph level.
func (p *printer) extent(e tir.Expr) {
	if int64Constant(e) == nil {
		p.expr(e, 0)
		return
	}
	defer func(d dtype.DType) { p.intDType = d }(p.intDType)
	p.intDType = dtype.Int64T
	p.expr(e, 0)
}

// operand prints x, an operand of a sign whose other operand is y. Where numbers have no type
// of their own, one beside an int64 becomes that.
func (p *printer) operand(x, y tir.Expr, prec int) {
	if p.intDType.IsVoid() && int64Constant(x) != nil && int64Constant(y) == nil && y.DType() == dtype.Int64T {
		p.extent(x)
		return
	}
	p.expr(x, prec)
}

// int64Constant returns e if it is a constant of type int64.
func int64Constant(e tir.Expr) *tir.IntImm {
	if i, ok := e.(*tir.IntImm); ok && i.Type == dtype.Int64T {
		return i
	}
	return nil
}

// floatImm prints a constant: without its type where that is the usual one.
func (p *printer) floatImm(e *tir.FloatImm) {
	if e.Type == p.opts.FloatDType && !math.IsNaN(e.Value) && !math.IsInf(e.Value, 0) {
		p.float(e.Value)
		return
	}
	p.typedFloat(e)
}

func (p *printer) typedFloat(e *tir.FloatImm) {
	p.t(e.Type.String() + "(")
	p.float(e.Value)
	p.str(")")
}

func (p *printer) bool(v bool) { p.t("bool(" + pyBool(v) + ")") }

func (p *printer) float(v float64) { p.buf = appendFloat(p.buf, v) }

// appendFloat spells v so that it reads back to the same float64.
func appendFloat(b []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(b, `"nan"`...)
	case math.IsInf(v, 1):
		return append(b, `"inf"`...)
	case math.IsInf(v, -1):
		return append(b, `"-inf"`...)
	}
	n := len(b)
	if v == float64(float32(v)) {
		b = strconv.AppendFloat(b, v, 'g', -1, 32)
		if x, err := strconv.ParseFloat(string(b[n:]), 64); err != nil || x != v {
			b = strconv.AppendFloat(b[:n], v, 'g', -1, 64)
		}
	} else {
		b = strconv.AppendFloat(b, v, 'g', -1, 64)
	}
	if !bytes.ContainsAny(b[n:], ".en") {
		b = append(b, ".0"...)
	}
	return b
}

// typ prints a type annotation.
func (p *printer) typ(t ir.Type) {
	switch t := t.(type) {
	case *ir.PrimType:
		if t.DType.IsVoid() {
			p.str("None")
			return
		}
		p.t(t.DType.String())
	case *ir.PointerType:
		p.t("handle(")
		if e, ok := t.Elem.(*ir.PrimType); ok {
			p.quote(e.DType.String())
		} else {
			p.quote(t.Elem.String())
		}
		if t.Scope != "" {
			p.thenQuoted(t.Scope)
		}
		p.str(")")
	case *ir.TupleType:
		if len(t.Fields) == 0 {
			p.str("None")
			return
		}
		p.t("Tuple(")
		list(p, t.Fields, p.typ)
		p.str(")")
	default:
		p.t("handle")
	}
}

// typeOf prints the type of v as an annotation, and whether it is an extent.
func (p *printer) typeOf(v *tir.Var) {
	p.typ(v.Type)
	if v.Size {
		p.str("(is_size_var=True)")
	}
}
