package script

import (
	"math"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

func (p *printer) intImm(e *tir.IntImm) {
	switch {
	case e.Type.IsBool():
		if e.Value != 0 {
			p.str("T.bool(True)")
		} else {
			p.str("T.bool(False)")
		}
	case e.Type == p.intDType:
		p.int(e.Value)
	default:
		p.str("T." + e.Type.String() + "(")
		if e.Type.IsUInt() {
			p.buf = strconv.AppendUint(p.buf, uint64(e.Value), 10)
		} else {
			p.int(e.Value)
		}
		p.str(")")
	}
}

// float prints v so that it reads back to the same float64.
func (p *printer) float(v float64) {
	switch {
	case math.IsNaN(v):
		p.str(`"nan"`)
	case math.IsInf(v, 1):
		p.str(`"inf"`)
	case math.IsInf(v, -1):
		p.str(`"-inf"`)
	default:
		n := len(p.buf)
		if v == float64(float32(v)) {
			p.buf = strconv.AppendFloat(p.buf, v, 'g', -1, 32)
			if x, err := strconv.ParseFloat(string(p.buf[n:]), 64); err != nil || x != v {
				p.buf = strconv.AppendFloat(p.buf[:n], v, 'g', -1, 64)
			}
		} else {
			p.buf = strconv.AppendFloat(p.buf, v, 'g', -1, 64)
		}
		if !strings.ContainsAny(string(p.buf[n:]), ".en") {
			p.str(".0")
		}
	}
}

// typ prints a type annotation.
func (p *printer) typ(t ir.Type) {
	switch t := t.(type) {
	case *ir.PrimType:
		if t.DType.IsVoid() {
			p.str("None")
			return
		}
		p.str("T." + t.DType.String())
	case *ir.PointerType:
		p.str("T.handle(")
		if e, ok := t.Elem.(*ir.PrimType); ok {
			p.quote(e.DType.String())
		} else {
			p.quote(t.Elem.String())
		}
		if t.Scope != "" {
			p.str(", ")
			p.quote(t.Scope)
		}
		p.str(")")
	case *ir.TupleType:
		if len(t.Fields) == 0 {
			p.str("None")
			return
		}
		p.str("T.Tuple(")
		for i, f := range t.Fields {
			if i > 0 {
				p.str(", ")
			}
			p.typ(f)
		}
		p.str(")")
	default:
		p.str("T.handle")
	}
}
