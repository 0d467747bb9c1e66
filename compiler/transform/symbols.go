package transform

import (
	"strconv"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// symbols numbers the variables of extents, so that struct infos and extents can be written as keys of maps: what is written alike is
// equal, and of the same variables.
type symbols struct {
	numbers map[*tir.Var]int64
	written int // how many uses of variables were written
}

func newSymbols() *symbols { return &symbols{numbers: map[*tir.Var]int64{}} }

// appendInfo writes a tensor whose shape and type are known, or a tuple of such; false for anything else.
func (s *symbols) appendInfo(b []byte, info relax.StructInfo) ([]byte, bool) {
	switch t := info.(type) {
	case *relax.TensorStructInfo:
		dims, known := t.Dims()
		if !known || t.VDevice != nil || t.DType.IsVoid() {
			return b, false
		}
		return s.appendExtents(append(append(b, ' '), t.DType.String()...), dims)
	case *relax.TupleStructInfo:
		ok := true
		b = append(b, '(')
		for i := 0; i < len(t.Fields) && ok; i++ {
			b, ok = s.appendInfo(b, t.Fields[i])
		}
		return append(b, ')'), ok
	}
	return b, false
}

func (s *symbols) appendExtents(b []byte, extents []tir.Expr) ([]byte, bool) {
	ok := true
	for i := 0; i < len(extents) && ok; i++ {
		b, ok = s.appendExtent(append(b, ','), extents[i])
	}
	return append(b, ';'), ok
}

func (s *symbols) appendExtent(b []byte, e tir.Expr) ([]byte, bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		b = strconv.AppendInt(b, e.Value, 10)
		if e.Type != dtype.Int64T {
			b = append(append(b, ':'), e.Type.String()...)
		}
		return b, true
	case *tir.Var:
		n, known := s.numbers[e]
		if !known {
			n = int64(len(s.numbers))
			s.numbers[e] = n
		}
		s.written++
		return strconv.AppendInt(append(b, 'v'), n, 10), true
	case *tir.Binary:
		b = strconv.AppendInt(append(b, '['), int64(e.Op), 10)
		b, ok := s.appendExtent(append(b, ' '), e.A)
		if ok {
			b, ok = s.appendExtent(append(b, ' '), e.B)
		}
		return append(b, ']'), ok
	}
	return b, false
}
