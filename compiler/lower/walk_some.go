package lower

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Where known lanes of a vector are read, and the others are a constant, as at the edge of an image, an instruction reads these lanes alone if they lie side by side:
//
//	Select([0, 1, ...] < 14, X[i + min([0, 1, ...], 13)], 0)   reads   X[i : i+14]

// loadSome reads the lanes of a selection's first value that are taken; the others are its second one, a constant. ok is false where that is no read of elements side by side, or the target has no instruction for it.
func (w *Walker) loadSome(e *tir.Select, lanes []bool) (v Value, ok bool) {
	load, isLoad := e.True.(*tir.BufferLoad)
	other, isConst := constantOf(e.False)
	if !isLoad || !isConst || load.Predicate != nil || load.DType().Lanes == 1 || load.Buffer.DType.Lanes != 1 || w.inRegisters(load.Buffer) {
		return Value{}, false
	}
	what := named(w.loads, load.Buffer, load)
	a := w.access(load.Buffer, w.Place(load.Buffer, load.Indices, what), load.DType(), nil, what)
	first, ok := sideBySide(a.place, lanes)
	if !ok || a.part == 0 {
		return Value{}, false
	}
	op, _ := w.gen.MaskedMem(a.part, int(a.elem.Bits))
	if op == 0 {
		return Value{}, false
	}
	a.place = Place{At: a.place.At.Add(Lin{C: first}, 1), Stride: 1}
	v = Each(load.DType(), 0, a.lanes/a.part, func(i int) *Node {
		some := lanes[i*a.part : (i+1)*a.part]
		if !slices.Contains(some, true) {
			return w.gen.SplatPart(load.DType(), w.Number(a.elem, 0, ""), a.part)
		}
		return w.Load(w.at(a, i*a.part, op), w.maskOf(some, int(a.elem.Bits)), a.v.Name+"_some")
	})
	if other {
		return v, true
	}
	return w.Select(w.known(lanes), v, w.Expr(e.False)), true
}

// constantOf reports whether an expression is the same constant in all lanes, and whether that is 0 to the bit.
func constantOf(e tir.Expr) (zero, ok bool) {
	if b, spread := e.(*tir.Broadcast); spread {
		e = b.Value
	}
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Value == 0, true
	case *tir.FloatImm:
		return tir.Equal(e, tir.FloatConst(e.Type, 0)), true
	}
	return false, false
}

// sideBySide returns how far from its place the first lane of an access would be, if the lanes that are taken lie side by side.
func sideBySide(p Place, lanes []bool) (first int64, ok bool) {
	if p.Apart == nil {
		return 0, p.Each == nil && p.Stride == 1
	}
	some := slices.Index(lanes, true)
	first = p.Apart[some] - int64(some)
	for i, taken := range lanes {
		if taken && p.Apart[i] != first+int64(i) {
			return 0, false
		}
	}
	return first, true
}

// known is a condition whose lanes are known.
func (w *Walker) known(lanes []bool) Value {
	v := Value{DType: dtype.BoolT.WithLanes(len(lanes)), Parts: make([]*Node, len(lanes))}
	for i, yes := range lanes {
		v.Parts[i] = w.Int(32, 0)
		if yes {
			v.Parts[i] = w.Int(32, 1)
		}
	}
	return v
}

// maskOf is the mask of known lanes of so many bits in a part.
func (w *Walker) maskOf(lanes []bool, bits int) *Node {
	return w.ToMask(w.known(lanes), bits).Parts[0]
}
