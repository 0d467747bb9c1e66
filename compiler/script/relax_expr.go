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
	p.open(e)
	p.rexprText(e)
	p.shut()
}

func (p *printer) rexprText(e relax.Expr) {
	switch e := e.(type) {
	case *relax.Var:
		p.str(p.name(e))
		if p.memory != nil {
			name, _ := p.names.values.Get(e)
			p.memory.usedIn(e, name)
		}
	case *ir.GlobalVar:
		p.str(p.cls)
		p.str(".")
		p.str(functionName(e.Name))
	case *ir.Op:
		p.r(strings.TrimPrefix(e.Name, "relax."))
	case *relax.Call:
		p.rcall(e)
	case *relax.Tuple:
		p.rtuple(e.Fields)
	case *relax.TupleGetItem:
		if _, ok := e.Tuple.(*relax.Tuple); ok { // Python would take the field out of it
			p.r("TupleGetItem(")
			p.rexpr(e.Tuple)
			p.str(", ")
			p.int(int64(e.Index))
			p.str(")")
			return
		}
		p.rexpr(e.Tuple)
		p.str("[")
		p.int(int64(e.Index))
		p.str("]")
	case *relax.ShapeExpr:
		p.r("shape(")
		p.dims(e.Values, "[", "]")
		p.str(")")
	case *relax.Constant:
		p.constant(e)
	case *relax.PrimValue:
		p.r("prim_value(")
		p.extent(e.Value)
		p.str(")")
	case *relax.StringImm:
		p.r("str(")
		p.quote(e.Value)
		p.str(")")
	case *relax.DataTypeImm:
		p.r("dtype(")
		p.quote(e.Value.String())
		p.str(")")
	case *relax.ExternFunc:
		p.externFuncCall(e)
	case *relax.If, *relax.SeqExpr, *relax.Function:
		// Not in A-normal form: shown, but not as one expression that could be read back.
		p.inlineBlock(e)
	default:
		panic(fmt.Sprintf("script: unknown graph expression %T", e))
	}
}

// externFuncCall prints an external function as a value.
func (p *printer) externFuncCall(e *relax.ExternFunc) {
	p.r("ExternFunc(")
	p.quote(e.Symbol)
	if e.SInfo != nil {
		p.str(", ")
		p.sinfo(e.SInfo)
	}
	p.str(")")
}

func (p *printer) inlineBlock(e relax.Expr) {
	p.str("metadata[")
	p.quote(strings.TrimPrefix(typeName(e), "*"))
	p.str("]")
}

func (p *printer) rtuple(fields []relax.Expr) {
	if len(fields) == 0 {
		p.r("tuple()")
		return
	}
	p.str("(")
	list(p, fields, p.rexpr)
	if len(fields) == 1 {
		p.str(",")
	}
	p.str(")")
}

func (p *printer) constant(c *relax.Constant) {
	d := c.Data
	if c.Sharding != nil {
		p.distributedConst(c)
		return
	}
	if d.NumElements() == maxScalarText && len(d.Shape()) == 0 {
		if text, ok := scalarText(d); ok {
			p.r("const(")
			p.str(text + ", ")
			p.quote(d.DType().String())
			p.str(")")
			return
		}
	}
	p.metaEntry(0, metaConstant, d)
	p.consts = append(p.consts, c)
}

// scalarText spells the value of a constant with one element. Text holds one kind of NaN.
func scalarText(d *ir.Blob) (string, bool) {
	b := d.Elem(0)
	switch d.DType() {
	case dtype.Float32T:
		bits := binary.LittleEndian.Uint32(b)
		v := math.Float32frombits(bits)
		return string(appendFloat(nil, float64(v))), v == v || bits == math.Float32bits(float32(math.NaN()))
	case dtype.Float64T:
		bits := binary.LittleEndian.Uint64(b)
		v := math.Float64frombits(bits)
		return string(appendFloat(nil, v)), v == v || bits == math.Float64bits(math.NaN())
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
