package script

import (
	"bytes"
	"strconv"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// sinfo prints struct info.
func (p *printer) sinfo(s relax.StructInfo) {
	if s == nil {
		p.str("None")
		return
	}
	p.open(s)
	p.sinfoText(s)
	p.shut()
}

func (p *printer) sinfoText(s relax.StructInfo) {
	switch s := s.(type) {
	case *relax.PrimStructInfo:
		if s.Value != nil {
			p.r("Prim(value=")
			p.dim(s.Value)
			p.str(")")
			return
		}
		p.r("Prim(")
		p.quote(s.DType.String())
		p.str(")")
	case *relax.ShapeStructInfo:
		p.r("Shape(")
		if s.Values != nil || s.NDim == 0 {
			p.dims(s.Values, "[", "]")
		} else {
			p.str("ndim=")
			p.int(int64(s.NDim))
		}
		p.str(")")
	case *relax.TensorStructInfo:
		p.tensorInfo(s)
	case *relax.TupleStructInfo:
		p.r("Tuple")
		if len(s.Fields) == 0 {
			return
		}
		p.str("(")
		list(p, s.Fields, p.sinfo)
		p.str(")")
	case *relax.FuncStructInfo:
		p.funcInfo(s)
	default:
		p.r("Object")
	}
}

func (p *printer) funcInfo(s *relax.FuncStructInfo) {
	if s.Opaque {
		p.r("Callable")
		if _, obj := s.Ret.(*relax.ObjectStructInfo); s.Ret != nil && !obj || s.Pure || s.Derive != "" {
			p.str("(ret=")
			p.sinfo(s.Ret)
			p.str(", purity=" + pyBool(s.Pure))
			if s.Derive != "" {
				p.str(", derive_func=")
				p.quote(s.Derive)
			}
			p.str(")")
		}
		return
	}
	p.r("Callable((")
	list(p, s.Params, p.sinfo)
	if len(s.Params) == 1 {
		p.str(",")
	}
	p.str("), ")
	p.sinfo(s.Ret)
	p.str(", " + pyBool(s.Pure) + ")")
}

func pyBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

func (p *printer) tensorInfo(s *relax.TensorStructInfo) {
	if s.Sharding != nil {
		p.distributedInfo(s)
		return
	}
	p.r("Tensor")
	sep := "("
	switch shape := s.Shape.(type) {
	case *relax.ShapeExpr:
		p.str("(")
		p.dims(shape.Values, "(", ")")
		sep = ", "
	case nil:
	default:
		p.str("(")
		p.rexpr(shape)
		sep = ", "
	}
	if !s.DType.IsVoid() {
		p.str(sep)
		p.str("dtype=")
		p.quote(s.DType.String())
		sep = ", "
	}
	if s.Shape == nil && s.NDim >= 0 {
		p.str(sep + "ndim=")
		p.int(int64(s.NDim))
		sep = ", "
	}
	if s.VDevice != nil {
		p.str(sep + "vdevice=")
		p.quote(vdeviceName(s.VDevice))
		sep = ", "
	}
	if sep != "(" {
		p.str(")")
	}
}

func vdeviceName(d *relax.VDevice) string {
	return d.Target + ":" + strconv.Itoa(d.ID) + ":" + d.Scope
}

func (p *printer) dims(extents []tir.Expr, open, closing string) {
	p.str(open)
	list(p, extents, p.dim)
	if len(extents) == 1 && open == "(" {
		p.str(",")
	}
	p.str(closing)
}

// dim prints an extent; in signatures, one that is not a constant is a string.
func (p *printer) dim(e tir.Expr) {
	if _, ok := e.(*tir.IntImm); ok || !p.inSignature {
		p.extent(e)
		return
	}
	at := len(p.buf)
	p.str(`"`)
	p.expr(e, 0)
	if bytes.ContainsAny(p.buf[at+1:], "\"\\") {
		text := string(p.buf[at+1:])
		p.cut(at)
		p.quote(text)
		return
	}
	p.str(`"`)
}
