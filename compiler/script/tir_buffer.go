package script

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
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

// prescan finds the buffers that body uses and nothing declares.
func (p *printer) prescan(body tir.Stmt) {
	declared, seen := map[*tir.Buffer]bool{}, map[*tir.Buffer]bool{}
	var used []*tir.Buffer
	use := func(b *tir.Buffer) {
		if !seen[b] {
			seen[b] = true
			used = append(used, b)
		}
	}
	if body != nil {
		ir.Walk(body, func(n ir.Node) bool {
			switch n := n.(type) {
			case *tir.Block:
				for _, b := range n.AllocBuffers {
					declared[b] = true
				}
			case *tir.MatchBufferRegion:
				declared[n.Buffer] = true
			case *tir.DeclBuffer:
				declared[n.Buffer] = true
			case *tir.BufferRealize:
				declared[n.Buffer] = true
			case *tir.Buffer:
				use(n)
			}
			return true
		})
	}
	p.undeclared = map[*tir.Var][]*tir.Buffer{}
	for _, b := range used {
		if !declared[b] {
			p.undeclared[b.Data] = append(p.undeclared[b.Data], b)
		}
	}
}

// views declares the undeclared buffers over data, which has just been defined.
func (p *printer) views(data *tir.Var) {
	for _, b := range p.undeclared[data] {
		if p.names[b] != "" {
			continue
		}
		p.begin(b)
		name := p.define(b, b.Name)
		p.str(name + " = ")
		p.bufferDecl("T.Buffer", b, true)
		p.end()
	}
}

// dataName returns how the data pointer v is written: by its own name, or as the data of a
// buffer that is in scope.
func (p *printer) dataName(v *tir.Var, not *tir.Buffer) string {
	if n, ok := p.names[v]; ok {
		return n
	}
	for i := len(p.order) - 1; i >= 0; i-- {
		if b, ok := p.order[i].obj.(*tir.Buffer); ok && b != not && b.Data == v {
			return p.names[b] + ".data"
		}
	}
	return p.name(v)
}

// bufferDecl prints the constructor call of b. With data, the pointer is written.
func (p *printer) bufferDecl(fn string, b *tir.Buffer, data bool) {
	p.str(fn + "(")
	p.tuple(b.Shape)
	if b.DType != dtype.Float32T || !data {
		p.str(", ")
		p.quote(b.DType.String())
	}
	if data {
		p.str(", data=" + p.dataName(b.Data, b))
	}
	p.bufferRest(b, data)
	p.str(")")
}

func (p *printer) matchBuffer(param string, b *tir.Buffer) {
	p.str("T.match_buffer(" + param + ", ")
	p.tuple(b.Shape)
	if b.DType != dtype.Float32T {
		p.str(", ")
		p.quote(b.DType.String())
	}
	p.bufferRest(b, false)
	p.str(")")
}

func (p *printer) bufferRest(b *tir.Buffer, data bool) {
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
	if s := b.Scope(); s != "global" && !data {
		p.str(", scope=")
		p.quote(s)
	} else if s != "global" {
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
		for i, n := range b.AxisSeparators {
			if i > 0 {
				p.str(", ")
			}
			p.int(int64(n))
		}
		p.str("]")
	}
}

func (p *printer) allocBuffer(b *tir.Buffer) {
	p.begin(b)
	p.str(p.define(b, b.Name) + " = T.alloc_buffer(")
	p.tuple(b.Shape)
	if b.DType != dtype.Float32T {
		p.str(", ")
		p.quote(b.DType.String())
	}
	p.bufferRest(b, false)
	p.str(")")
	p.end()
}
