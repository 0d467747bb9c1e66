package arith

import (
	"errors"

	"github.com/irscope/irscope/compiler/tir"
)

// A bijective iteration map is inverted by running it backwards: the value of an index is handed down
// from each sum to its terms (v // scale % extent, the place of a digit), from each split to its source
// (times the lower factor), and added up where several digits of one iterator meet again.
//
//	y0 = i // 4, y1 = i % 4      gives      i = y0*4 + y1
//
// Sums are visited users first, so that a value is complete before it is passed on. As in TVM's
// InverseAffineIterMap.

var errNotFused = errors.New("a sum of iterators has scales that are not products of the extents below them, or a scale that is not 1 or -1: expected a bijective iteration map")

// InverseAffineIterMap returns the input iterators as expressions of outputs, the values of
// sums. The map must be bijective (DetectIterMap at that level).
func InverseAffineIterMap(sums []*IterSum, outputs []tir.Expr) (map[*tir.Var]tir.Expr, error) {
	if len(sums) != len(outputs) {
		return nil, errors.New("an iteration map needs one output for each index to be inverted")
	}
	v := &inverter{a: NewAnalyzer(), sums: map[*IterSum]tir.Expr{}, out: map[*tir.Var]tir.Expr{}}
	seen := map[*IterSum]bool{}
	for _, s := range sums {
		v.order(s, seen)
	}
	for i, s := range sums {
		v.sums[s] = addTo(v.sums[s], outputs[i])
	}
	// Values flow from the outputs to the inputs, each sum after all its users.
	for i := len(v.post) - 1; i >= 0; i-- {
		if err := v.visit(v.post[i]); err != nil {
			return nil, err
		}
	}
	return v.out, nil
}

type inverter struct {
	a    *Analyzer
	post []*IterSum // users after what they use
	sums map[*IterSum]tir.Expr
	out  map[*tir.Var]tir.Expr
}

func (v *inverter) order(s *IterSum, seen map[*IterSum]bool) {
	if seen[s] {
		return
	}
	seen[s] = true
	for _, t := range s.Args {
		if t.Source.Sum != nil {
			v.order(t.Source.Sum, seen)
		}
	}
	v.post = append(v.post, s)
}

func addTo(old, e tir.Expr) tir.Expr {
	if old == nil {
		return e
	}
	return tir.Add(old, e)
}

func (v *inverter) visit(s *IterSum) error {
	if v.sums[s] == nil {
		return nil
	}
	value := tir.Sub(v.sums[s], s.Base)
	if len(s.Args) == 1 {
		t := s.Args[0]
		if !isCst(t.Scale, 1) && !isCst(t.Scale, -1) {
			if isCst(t.Extent, 1) {
				return nil // it is 0 whatever the output
			}
			return errNotFused
		}
		return v.give(t, tir.Mul(value, t.Scale))
	}
	if len(s.Args) == 0 {
		return nil
	}
	expected := s.Args[len(s.Args)-1].Scale
	for i := len(s.Args) - 1; i >= 0; i-- {
		t := s.Args[i]
		if !v.a.CanProveEqual(t.Scale, expected) {
			return errNotFused
		}
		expected = tir.Mul(expected, t.Extent)
		part := tir.FloorDiv(value, t.Scale)
		if i > 0 {
			part = tir.FloorMod(part, t.Extent)
		}
		if err := v.give(t, part); err != nil {
			return err
		}
	}
	return nil
}

// give adds value times the lower factor of t to the source of t.
func (v *inverter) give(t *IterSplit, value tir.Expr) error {
	value = tir.Mul(value, t.LowerFactor)
	m := t.Source
	if m.Sum != nil {
		v.sums[m.Sum] = addTo(v.sums[m.Sum], value)
		return nil
	}
	x := m.Var
	if x == nil {
		// The iterator is x - min.
		b := bin(m.Expr)
		y, ok := b.A.(*tir.Var)
		if b.Op != tir.OpSub || !ok {
			return errNotFused
		}
		if v.out[y] == nil {
			value = tir.Add(value, b.B)
		}
		x = y
	}
	v.out[x] = addTo(v.out[x], value)
	return nil
}
