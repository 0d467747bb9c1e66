package tirpass

import "github.com/irscope/irscope/compiler/tir"

// digits is the values 0, scale, 2*scale, ... of a variable or part of one, extent in number.
type digits struct{ extent, scale int64 }

// spacesOf returns for each index the values that it takes while the variables run through their extents. A constant has none; nor has an index that is no
// sum of digits, and those after it (as in TVM, whose paddings these are).
func spacesOf(indices []tir.Expr, extent map[*tir.Var]int64) [][]int64 {
	out := make([][]int64, len(indices))
	for i, e := range indices {
		if _, ok := tir.AsInt(e); ok {
			continue
		}
		parts, ok := digitsOf(e, extent)
		if !ok {
			break
		}
		out[i] = valuesOf(parts)
	}
	return out
}

// valuesOf counts through parts, the last one fastest.
func valuesOf(parts []digits) []int64 {
	total := int64(1)
	for _, d := range parts {
		if total *= d.extent; total > 1<<14 {
			return nil
		}
	}
	out := make([]int64, total)
	for i := range out {
		n := int64(i)
		for j := len(parts) - 1; j >= 0; j-- {
			out[i] += n % parts[j].extent * parts[j].scale
			n /= parts[j].extent
		}
	}
	return out
}

// digitsOf writes e as digits.
func digitsOf(e tir.Expr, extent map[*tir.Var]int64) ([]digits, bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		return nil, true
	case *tir.Cast:
		return digitsOf(e.Value, extent)
	case *tir.Var:
		n, ok := extent[e]
		if !ok || n < 1 || n > 1<<14 {
			return nil, false
		}
		if n == 1 {
			return nil, true
		}
		return []digits{{n, 1}}, true
	case *tir.Binary:
		a, ok := digitsOf(e.A, extent)
		if !ok {
			return nil, false
		}
		if e.Op == tir.OpAdd {
			b, ok := digitsOf(e.B, extent)
			return joined(append(a[:len(a):len(a)], b...)), ok
		}
		n, ok := tir.AsInt(e.B)
		if !ok || n < 1 {
			return nil, false
		}
		return rescaled(a, e.Op, n)
	}
	return nil, false
}

// joined makes one digit of neighbours whose scales fit.
func joined(all []digits) []digits {
	if len(all) == 0 {
		return nil
	}
	last := all[0]
	for _, d := range all {
		if d.extent*d.scale == last.scale {
			last = digits{last.extent * d.extent, d.scale}
		}
	}
	return []digits{last}
}

// rescaled applies op by n to digits.
func rescaled(all []digits, op tir.BinaryOp, n int64) (out []digits, ok bool) {
	for _, d := range all {
		reach := d.extent * d.scale
		switch op {
		case tir.OpMul:
			if d.scale > 1<<40/n {
				return nil, false
			}
			out = append(out, digits{d.extent, d.scale * n})
		case tir.OpFloorDiv:
			switch {
			case d.scale >= n && d.scale%n == 0:
				out = append(out, digits{d.extent, d.scale / n})
			case d.scale < n && reach > n && reach%n == 0:
				out = append(out, digits{reach / n, 1})
			case d.scale >= n || reach > n:
				return nil, false
			}
		case tir.OpFloorMod:
			switch {
			case d.scale < n && n%d.scale == 0:
				out = append(out, digits{min(d.extent, n/d.scale), d.scale})
			case d.scale < n:
				return nil, false
			}
		default:
			return nil, false
		}
	}
	return out, true
}
