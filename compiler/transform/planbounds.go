package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// tokenSize is a number of bytes: a constant times an expression, which is nil for a size that is known.
type tokenSize struct {
	bytes  int64
	factor tir.Expr
}

func (s tokenSize) expr() tir.Expr {
	if s.factor == nil {
		return tir.Int(s.bytes)
	}
	return tir.Mul(tir.Int(s.bytes), s.factor)
}

// statedBounds knows what the attributes of f say of the symbolic variables of its signature: tir_var_upper_bound and tir_var_lower_bound
// give the largest and the smallest value by name, tir_non_negative_var lists names of variables that are not negative. Where only a lower bound is stated
// no more is known than that a variable is not negative. The variables whose largest value is stated are returned, too.
func statedBounds(f *relax.Function) (*arith.Analyzer, map[*tir.Var]bool, error) {
	upper, err := boundsAttr(f, "tir_var_upper_bound")
	if err != nil {
		return nil, nil, err
	}
	lower, err := boundsAttr(f, "tir_var_lower_bound")
	if err != nil {
		return nil, nil, err
	}
	positive := map[string]bool{}
	if list, ok := f.Attrs.Get("tir_non_negative_var"); ok {
		names, ok := list.([]any)
		for _, n := range names {
			name, text := n.(string)
			ok = ok && text
			positive[name] = true
		}
		if !ok {
			return nil, nil, fmt.Errorf("attribute tir_non_negative_var is %v, want a list of names of symbolic variables", list)
		}
	}
	a, stated := arith.NewAnalyzer(), map[*tir.Var]bool{}
	for _, v := range relax.FreeSymbolicVars(append(infosOf(f.Params), f.Ret)...) {
		hi, bounded := upper[v.Name]
		lo, least := lower[v.Name]
		switch {
		case bounded && lo > hi:
			return nil, nil, fmt.Errorf("attribute tir_var_lower_bound says that %s is at least %d, tir_var_upper_bound that it is at most %d", v.Name, lo, hi)
		case bounded:
			stated[v] = true
			a.BindRange(v, &tir.Range{Min: tir.Const(v.DType(), lo), Extent: tir.Const(v.DType(), hi-lo+1)})
		case least && lo >= 0 || positive[v.Name]:
			a.UpdateBound(v, arith.Bound{Min: 0, Max: arith.PosInf})
		}
	}
	return a, stated, nil
}

// boundsAttr returns an attribute that gives numbers by the names of symbolic variables.
func boundsAttr(f *relax.Function, key string) (map[string]int64, error) {
	v, ok := f.Attrs.Get(key)
	if !ok {
		return nil, nil
	}
	a, ok := v.(*ir.Attrs)
	if !ok {
		return nil, fmt.Errorf("attribute %s is %v, want numbers by the names of symbolic variables, like {\"n\": 16}", key, v)
	}
	out := map[string]int64{}
	for i := range a.Len() {
		name, x := a.At(i)
		n, ok := x.(int64)
		if !ok {
			return nil, fmt.Errorf("attribute %s: the bound of %s is %#v, want a whole number", key, name, x)
		}
		out[name] = n
	}
	return out, nil
}

// size returns the most bytes that what c allocates can take: extents that have an upper bound are taken as that, others stay symbolic. It is
// false for a shape that is only known at run time and for more bytes than there can be.
func (p *memoryPlanner) size(c *relax.Call) (tokenSize, bool) {
	shape, ok := c.Args[0].(*relax.ShapeExpr)
	dt, isType := c.Args[1].(*relax.DataTypeImm)
	if !ok || !isType {
		return tokenSize{}, false
	}
	known := make([]int64, 0, len(shape.Values))
	var factor tir.Expr
	for _, e := range shape.Values {
		largest := e
		// What only its type bounds, such as a cast from int32, is no size to reserve.
		ofType := arith.UsesVar(e, func(v *tir.Var) bool { return !p.stated[v] })
		if b := p.bounds.ConstIntBound(e); b.Max != arith.PosInf && !ofType {
			largest = tir.Int(b.Max)
		} else if set := p.bounds.IntSet(e); set.HasUpper() {
			if _, constant := tir.AsInt(set.Max); !constant || !ofType {
				largest = set.Max
			}
		}
		n, constant := tir.AsInt(largest)
		switch {
		case constant:
			known = append(known, n)
		case factor == nil:
			factor = largest
		default:
			factor = tir.Mul(factor, largest)
		}
	}
	elems, err := ir.CheckedElements(known)
	if err != nil {
		return tokenSize{}, false
	}
	return tokenSize{elems * int64(dt.Value.Bytes()), factor}, true
}
