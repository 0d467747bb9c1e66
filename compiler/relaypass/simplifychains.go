package relaypass

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// order returns the axes of its input that a transpose, or a layout_transform that only permutes axes, puts in a row.
func (s *site) order(c *relax.Call) ([]int64, bool) {
	t := s.tensor(c)
	switch {
	case t == nil:
	case isCall(c, "relax.permute_dims"):
		axes := slices.Clone(c.Attrs.Ints("axes"))
		if axes == nil {
			for i := t.NDim - 1; i >= 0; i-- {
				axes = append(axes, int64(i))
			}
		}
		for i, a := range axes {
			if a < 0 {
				axes[i] += int64(t.NDim)
			}
		}
		return axes, len(axes) == t.NDim
	case isCall(c, "relay.layout_transform"):
		from, to := c.Attrs.Str("src_layout", ""), c.Attrs.Str("dst_layout", "")
		if len(from) != t.NDim || len(to) != t.NDim {
			return nil, false
		}
		var axes []int64
		for _, l := range to {
			i := strings.IndexRune(from, l)
			if i < 0 {
				return nil, false
			}
			axes = append(axes, int64(i))
		}
		return axes, true
	}
	return nil, false
}

// transposes makes one of two permutations of axes, and none of one that keeps them. A blocked layout stays.
func transposes(s *site, c *relax.Call) relax.Expr {
	names := []string{"relax.permute_dims", "relay.layout_transform"}
	if s.call(c, names...) == nil {
		return nil
	}
	outer, ok := s.order(c)
	if !ok {
		return nil
	}
	if slices.IsSorted(outer) {
		return c.Args[0]
	}
	first := s.call(c.Args[0], names...)
	if first == nil {
		return nil
	}
	inner, ok := s.order(first)
	if !ok || len(inner) != len(outer) {
		return nil
	}
	axes := make([]int64, len(outer))
	for i, a := range outer {
		axes[i] = inner[a]
	}
	return op.PermuteDims(first.Args[0], axes...)
}

// casts drops a cast to the type that is there, and a cast before another one that loses nothing.
func casts(s *site, c *relax.Call) relax.Expr {
	if !isCall(c, "relax.astype") {
		return nil
	}
	from, to := s.tensor(c.Args[0]), s.tensor(c)
	if from == nil || to == nil {
		return nil
	}
	if from.DType == to.DType {
		return c.Args[0]
	}
	inner := s.call(c.Args[0], "relax.astype")
	if inner == nil {
		return nil
	}
	t := s.tensor(inner.Args[0])
	if t == nil || !widens(t.DType, from.DType) {
		return nil
	}
	// Floats that an integer type does not hold become something else in it than integers do, which wrap.
	if t.DType.IsInteger() && from.DType.IsFloat() && to.DType.IsInteger() && !widens(t.DType, to.DType) {
		return nil
	}
	return op.AsType(inner.Args[0], to.DType)
}

// widens reports whether every value of one type is a value of the other.
func widens(from, to dtype.DType) bool {
	if from.IsBool() || to.IsBool() || from == dtype.BFloat16T || to == dtype.BFloat16T || from.Lanes != to.Lanes {
		return from == to
	}
	switch {
	case from.Code == to.Code:
		return from.Bits <= to.Bits
	case from.Code == dtype.UInt && to.Code == dtype.Int:
		return from.Bits < to.Bits
	case from.IsInteger() && to.Code == dtype.Float:
		mantissa := map[uint8]uint8{16: 11, 32: 24, 64: 53}[to.Bits]
		if from.Code == dtype.Int {
			return from.Bits <= mantissa+1
		}
		return from.Bits <= mantissa
	}
	return false
}

// meetingConstants multiplies or adds constants that follow each other, and multiplies before it adds.
func meetingConstants(s *site, c *relax.Call) relax.Expr {
	mul := isCall(c, "relax.multiply")
	if !mul && !isCall(c, "relax.add") {
		return nil
	}
	split := func(c *relax.Call) (x, k relax.Expr) {
		for i := range 2 {
			if s.constant(c.Args[i]) != nil && s.constant(c.Args[1-i]) == nil {
				return c.Args[1-i], c.Args[i]
			}
		}
		return nil, nil
	}
	x, k2 := split(c)
	if x == nil {
		return nil
	}
	inner := s.call(x, "relax.multiply", "relax.add")
	if inner == nil {
		return nil
	}
	x, k1 := split(inner)
	innerMul := isCall(inner, "relax.multiply")
	switch {
	case x == nil:
	case mul && !innerMul: // (x + k1) * k2
		if k := s.combined("multiply", k1, k2); k != nil {
			return op.Add(op.Multiply(x, k2), k)
		}
	case mul && innerMul:
		if k := s.combined("multiply", k1, k2); k != nil {
			return op.Multiply(x, k)
		}
	case !mul && !innerMul:
		if k := s.combined("add", k1, k2); k != nil {
			return op.Add(x, k)
		}
	}
	return nil
}

// combined computes with two constants, at once where they are scalars.
func (s *site) combined(name string, a, b relax.Expr) relax.Expr {
	x, ok := s.number(a)
	y, ok2 := s.number(b)
	k := s.constant(a)
	if !ok || !ok2 || len(k.Data.Shape()) > 0 || len(s.constant(b).Data.Shape()) > 0 {
		return op.Binary(name, a, b)
	}
	v := x + y
	if name == "multiply" {
		v = x * y
	}
	if out, ok := numberOf(k.Data.DType(), v); ok {
		return out
	}
	return nil
}

// bounds are typeBounds of an integer type of at most 32 bits.
func bounds(dt dtype.DType) (lo, hi float64, ok bool) {
	lo, hi = typeBounds(dt)
	return lo, hi, dt.IsInteger() && dt.Bits <= 32
}

// typeBounds are the least and the greatest value of an integer type.
func typeBounds(dt dtype.DType) (lo, hi float64) {
	l, h := dt.IntLimits()
	return float64(l), float64(h)
}

// clipRange returns the bounds of a clip.
func clipRange(c *relax.Call) (lo, hi float64, ok bool) {
	value := func(e relax.Expr) (float64, bool) {
		p, ok := e.(*relax.PrimValue)
		if !ok {
			return 0, false
		}
		switch v := p.Value.(type) {
		case *tir.FloatImm:
			return v.Value, true
		case *tir.IntImm:
			return float64(v.Value), true
		}
		return 0, false
	}
	lo, ok = value(c.Args[1])
	hi, ok2 := value(c.Args[2])
	return lo, hi, ok && ok2
}

// clipsAndCasts drops a clip that the element type makes anyway, and the casts behind a clip to types of integers that hold what it
// leaves.
func clipsAndCasts(s *site, c *relax.Call) relax.Expr {
	t := s.tensor(c)
	if t == nil {
		return nil
	}
	if isCall(c, "relax.clip") {
		lo, hi, ok := clipRange(c)
		from, to, typed := bounds(t.DType)
		if ok && typed && lo <= from && hi >= to {
			return c.Args[0]
		}
		return nil
	}
	if !isCall(c, "relax.astype") {
		return nil
	}
	fits := func(dt dtype.DType, lo, hi float64) bool {
		from, to, ok := bounds(dt)
		return ok && lo >= from && hi <= to
	}
	// Of a row of casts behind a clip, those to types that hold all of its values do nothing.
	clip, between := c.Args[0], []*relax.Call(nil)
	for cast := s.call(clip, "relax.astype"); cast != nil; cast = s.call(clip, "relax.astype") {
		between, clip = append(between, cast), cast.Args[0]
	}
	call := s.call(clip, "relax.clip")
	if call == nil {
		return nil
	}
	clipped := s.tensor(clip)
	lo, hi, ok := clipRange(call)
	if clipped == nil || !ok || !fits(t.DType, lo, hi) {
		return nil
	}
	for _, x := range between {
		if u := s.tensor(x); u == nil || !fits(u.DType, lo, hi) {
			return nil
		}
	}
	switch {
	case t.DType == clipped.DType:
		return clip
	case between == nil:
		return nil // one cast is as few as can be
	}
	return op.AsType(clip, t.DType)
}
