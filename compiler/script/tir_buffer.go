package script

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// isSimple reports whether T.Buffer(shape, dtype) says all of b.
func (p *printer) isSimple(b *tir.Buffer) bool {
	for _, e := range b.Shape {
		if p.unnamed(e) {
			return false
		}
	}
	return len(b.Strides) == 0 && (b.ElemOffset == nil || tir.IsConst(b.ElemOffset, 0)) && b.Scope() == "global" &&
		b.DataAlignment == tir.DefaultAlignment && b.OffsetFactor <= 1 && b.Kind == tir.BufferDefault && len(b.AxisSeparators) == 0
}

// views declares the undeclared buffers for which v, which has just been defined, is the last that describes them: most often their pointer.
func (p *printer) views(v *tir.Var) {
	for _, b := range p.undeclared[v] {
		if p.names.ofBuffer(b) != "" {
			continue
		}
		p.declareParts(b)
		p.bufferLine("Buffer", b, true)
	}
}

// declaredLater reports whether b is declared where what describes it is defined.
func (p *printer) declaredLater(b *tir.Buffer) bool {
	later := false
	walkParts(b, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok {
			later = later || slices.Contains(p.undeclared[v], b)
		}
		return true
	})
	return later
}

// declareParts declares the variables that are extents, strides or the offset of b, where nothing
// else defines them.
func (p *printer) declareParts(b *tir.Buffer) {
	b.EachExpr(func(e tir.Expr) {
		if v, ok := e.(*tir.Var); ok && v != b.Data && p.names.ofVar(v) == "" {
			p.declare(v)
		}
	})
}

// pointer prints the data pointer v: by its own name, or as the data of a buffer that is in scope.
func (p *printer) pointer(v *tir.Var, not *tir.Buffer) {
	name, owner := p.names.ofVar(v), ""
	if name == "" {
		owner = p.dataOwner(v, not)
	}
	switch {
	case name != "":
		p.str(name)
	case owner != "":
		p.str(owner)
		p.str(".data")
	default:
		p.str(p.name(v))
	}
}

// dataOwner returns the name of a buffer in scope, other than not, whose data v is.
func (p *printer) dataOwner(v *tir.Var, not *tir.Buffer) string {
	for i := len(p.names.order) - 1; i >= 0; i-- {
		if b, ok := p.names.order[i].obj.(*tir.Buffer); ok && b != not && b.Data == v {
			return p.names.ofBuffer(b)
		}
	}
	return ""
}

// bufferDecl prints the constructor call of b. With data, the pointer is written. The type is
// always written in T.Buffer(shape, type).
func (p *printer) bufferDecl(fn string, b *tir.Buffer, data bool) {
	p.t(fn)
	p.str("(")
	p.bufferType(b, fn == "Buffer" && !data)
	if data {
		p.str(", data=")
		p.open(b.Data)
		p.pointer(b.Data, b)
		p.shut()
	}
	p.bufferRest(b)
	p.str(")")
}

// bufferLine prints a line that defines b by bufferDecl.
func (p *printer) bufferLine(fn string, b *tir.Buffer, data bool) {
	p.begin(b)
	p.def(b)
	p.str(" = ")
	p.bufferDecl(fn, b, data)
	p.end()
}

// bufferType prints shape and type, the latter always or where it is not the usual one.
func (p *printer) bufferType(b *tir.Buffer, always bool) {
	p.tuple(b.Shape)
	if always || b.DType != p.bufferDType {
		p.thenQuoted(b.DType.String())
	}
}

// matchBuffer prints the declaration of b over what source prints, and defines b.
func (p *printer) matchBuffer(b *tir.Buffer, source func()) {
	at := len(p.buf)
	source()
	mid := len(p.buf)
	p.def(b)
	p.str(" = ")
	p.t("match_buffer(")
	p.moveFront(at, mid)
	p.str(", ")
	p.bufferType(b, false)
	if owner := p.dataOwner(b.Data, b); owner != "" { // another parameter
		p.str(", data=")
		p.tracked(b.Data, owner+".data")
	}
	p.bufferRest(b)
	p.str(")")
}

func (p *printer) bufferRest(b *tir.Buffer) {
	if len(b.Strides) > 0 {
		p.str(", strides=")
		p.tuple(b.Strides)
	}
	switch {
	case b.ElemOffset != nil && !tir.IsConst(b.ElemOffset, 0):
		p.str(", elem_offset=")
		p.expr(b.ElemOffset, 0)
	case b.OffsetFactor > 1: // left out it would be a new variable
		p.str(", elem_offset=0")
	}
	if s := b.Scope(); s != "global" {
		p.str(", scope=")
		p.quote(s)
	}
	if b.DataAlignment != tir.DefaultAlignment && b.DataAlignment != 0 {
		p.str(", align=")
		p.int(int64(b.DataAlignment))
	}
	if b.OffsetFactor > 1 {
		p.str(", offset_factor=")
		p.int(int64(b.OffsetFactor))
	}
	if b.Kind == tir.BufferAutoBroadcast {
		p.str(`, buffer_type="auto"`)
	}
	if len(b.AxisSeparators) > 0 {
		p.str(", axis_separators=[")
		list(p, b.AxisSeparators, func(n int) { p.int(int64(n)) })
		p.str("]")
	}
}
