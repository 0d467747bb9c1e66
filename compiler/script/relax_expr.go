package script

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// constKeyLen is the number of hexadecimal digits of a constant's digest that key it.
const constKeyLen = 12

// maxScalarText bounds the elements of a constant that is written out: only scalars are.
const maxScalarText = 1

// rexpr prints a graph-level expression on the current line.
func (p *printer) rexpr(e relax.Expr) {
	switch e := e.(type) {
	case *relax.Var:
		p.str(p.name(e))
	case *ir.GlobalVar:
		p.str(p.cls + "." + identifier(e.Name))
	case *ir.Op:
		p.str("R." + strings.TrimPrefix(e.Name, "relax."))
	case *relax.Call:
		p.rcall(e)
	case *relax.Tuple:
		p.rtuple(e.Fields)
	case *relax.TupleGetItem:
		p.rexpr(e.Tuple)
		p.str("[")
		p.int(int64(e.Index))
		p.str("]")
	case *relax.ShapeExpr:
		p.str("R.shape(")
		p.exprList(e.Values, "[", "]")
		p.str(")")
	case *relax.Constant:
		p.constant(e)
	case *relax.PrimValue:
		p.str("R.prim_value(")
		p.expr(e.Value, 0)
		p.str(")")
	case *relax.StringImm:
		p.str("R.str(")
		p.quote(e.Value)
		p.str(")")
	case *relax.DataTypeImm:
		p.str("R.dtype(")
		p.quote(e.Value.String())
		p.str(")")
	case *relax.ExternFunc:
		p.str("R.ExternFunc(")
		p.quote(e.Symbol)
		if e.SInfo != nil {
			p.str(", ")
			p.sinfo(e.SInfo)
		}
		p.str(")")
	case *relax.If, *relax.SeqExpr, *relax.Function:
		// Not in A-normal form: shown, but not as one expression that could be read back.
		p.inlineBlock(e)
	default:
		panic(fmt.Sprintf("script: unknown graph expression %T", e))
	}
}

func (p *printer) inlineBlock(e relax.Expr) {
	p.str("metadata[")
	p.quote(strings.TrimPrefix(typeName(e), "*"))
	p.str("]")
}

func (p *printer) rtuple(fields []relax.Expr) {
	if len(fields) == 0 {
		p.str("R.tuple()")
		return
	}
	p.str("(")
	for i, f := range fields {
		if i > 0 {
			p.str(", ")
		}
		p.rexpr(f)
	}
	if len(fields) == 1 {
		p.str(",")
	}
	p.str(")")
}

func (p *printer) constant(c *relax.Constant) {
	d := c.Data
	if d.NumElements() == maxScalarText && len(d.Shape()) == 0 {
		if text, ok := scalarText(d); ok {
			p.str("R.const(" + text + ", ")
			p.quote(d.DType().String())
			p.str(")")
			return
		}
	}
	p.str(`metadata["relax.expr.Constant"][`)
	p.quote(d.Digest()[:constKeyLen])
	p.str("]")
	p.consts = append(p.consts, c)
}

// scalarText spells the value of a constant with one element.
func scalarText(d *ir.Blob) (string, bool) {
	b := d.Elem(0)
	float := func(v float64) (string, bool) {
		q := newPrinter(Options{})
		q.float(v)
		return string(q.buf), true
	}
	switch d.DType() {
	case dtype.Float32T:
		return float(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	case dtype.Float64T:
		return float(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	case dtype.Int64T:
		return strconv.FormatInt(int64(binary.LittleEndian.Uint64(b)), 10), true
	case dtype.Int32T:
		return strconv.FormatInt(int64(int32(binary.LittleEndian.Uint32(b))), 10), true
	case dtype.Int8T:
		return strconv.FormatInt(int64(int8(b[0])), 10), true
	case dtype.UInt8T:
		return strconv.FormatInt(int64(b[0]), 10), true
	case dtype.BoolT:
		return pyBool(b[0] != 0), true
	}
	return "", false
}
