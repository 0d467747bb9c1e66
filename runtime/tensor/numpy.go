package tensor

import (
	"math"
	"strconv"
	"strings"

	"github.com/irscope/irscope/runtime/dtype"
)

// How numpy prints by default: digits behind the point, elements beyond which only the first
// and last of each dimension show, how many those are, and the width of a line.
const (
	numpyDigits    = 8
	numpyThreshold = 1000
	numpyEdge      = 3
	numpyWidth     = 75
)

// NumPy returns the tensor as numpy's str prints the array.
func (t *Tensor) NumPy() string {
	p := &numpyPrinter{t: t, short: t.Len() > numpyThreshold}
	if t.Len() == 0 {
		return "[]"
	}
	p.each(0, 0, func(i int) { p.shown = append(p.shown, i) })
	p.words()
	if len(t.Shape) == 0 {
		return strings.TrimSpace(p.text[0])
	}
	return p.array(0, 0, " ")
}

// numpyPrinter prints one tensor.
type numpyPrinter struct {
	t     *Tensor
	short bool     // elements in the middle are left out
	shown []int    // the elements that show
	text  []string // of each of them
	next  int      // the element of text that comes next
}

// indices calls f with the indices of a dimension that show, and -1 for those left out.
func (p *numpyPrinter) indices(dim int, f func(i int)) {
	n := int(p.t.Shape[dim])
	for i := 0; i < n; i++ {
		if p.short && n > 2*numpyEdge && i == numpyEdge {
			f(-1)
			i = n - numpyEdge
		}
		f(i)
	}
}

// each calls f with the places of the elements that show.
func (p *numpyPrinter) each(dim, at int, f func(at int)) {
	if dim == len(p.t.Shape) {
		f(at)
		return
	}
	p.indices(dim, func(i int) {
		if i >= 0 {
			p.each(dim+1, at*int(p.t.Shape[dim])+i, f)
		}
	})
}

// words formats the elements that show, all of one width.
func (p *numpyPrinter) words() {
	d := p.t.DType
	for _, i := range p.shown {
		switch {
		case d.IsBool():
			p.text = append(p.text, [...]string{"False", "True"}[min(p.t.Int(i)&1, 1)])
		case d.IsFloat():
		case d.IsUInt():
			p.text = append(p.text, strconv.FormatUint(uint64(p.t.Int(i)), 10))
		default:
			p.text = append(p.text, strconv.FormatInt(p.t.Int(i), 10))
		}
	}
	if d.IsFloat() {
		p.floats()
	}
	width := 0
	for _, s := range p.text {
		width = max(width, len(s))
	}
	for i, s := range p.text {
		p.text[i] = strings.Repeat(" ", width-len(s)) + s
	}
}

// floats formats as numpy does: in the shortest digits, at most eight behind the point, the
// same number for all, and with exponents where numbers are very large, small or far apart.
func (p *numpyPrinter) floats() {
	least, most := math.Inf(1), 0.0
	for _, i := range p.shown {
		if v := math.Abs(p.t.Float(i)); v != 0 && !math.IsInf(v, 0) && v == v {
			least, most = min(least, v), max(most, v)
		}
	}
	form := byte('f')
	if most >= 1e8 || most > 0 && (least < 1e-4 || most/least > 1000) {
		form = 'e'
	}
	digits := func(v float64) string {
		s := p.shortest(v, form)
		if mantissa, _, _ := strings.Cut(s, "e"); len(mantissa)-strings.IndexByte(mantissa+".", '.')-1 > numpyDigits {
			s = strconv.FormatFloat(v, form, numpyDigits, 64)
		}
		return s
	}
	parts := make([][3]string, len(p.shown)) // before and behind the point, exponent
	behind := 0
	for k, i := range p.shown {
		v := p.t.Float(i)
		if math.IsInf(v, 0) || v != v {
			continue
		}
		mantissa, exp, hasExp := strings.Cut(digits(v), "e")
		whole, frac, _ := strings.Cut(mantissa, ".")
		if frac = strings.TrimRight(frac, "0"); hasExp {
			exp = "e" + exp
		}
		parts[k] = [3]string{whole, frac, exp}
		behind = max(behind, len(frac))
	}
	for k, i := range p.shown {
		switch v := p.t.Float(i); {
		case v != v:
			p.text = append(p.text, "nan")
		case math.IsInf(v, 1):
			p.text = append(p.text, "inf")
		case math.IsInf(v, -1):
			p.text = append(p.text, "-inf")
		case len(p.t.Shape) == 0: // a scalar prints as a number of Python
			frac := parts[k][1]
			if frac == "" {
				frac = "0"
			}
			p.text = append(p.text, parts[k][0]+"."+frac+parts[k][2])
		default:
			fill := "0"
			if form == 'f' {
				fill = " "
			}
			p.text = append(p.text, parts[k][0]+"."+parts[k][1]+strings.Repeat(fill, behind-len(parts[k][1]))+parts[k][2])
		}
	}
}

// shortest writes v in the fewest digits that tell it from the other values of its type.
func (p *numpyPrinter) shortest(v float64, form byte) string {
	switch p.t.DType {
	case dtype.Float64T:
		return strconv.FormatFloat(v, form, -1, 64)
	case dtype.Float32T:
		return strconv.FormatFloat(v, form, -1, 32)
	}
	one := MustNew(p.t.DType, 1)
	for digits := 0; ; digits++ {
		s := strconv.FormatFloat(v, form, digits, 64)
		back, err := strconv.ParseFloat(s, 64)
		if one.SetFloat(0, back); err != nil || one.Float(0) == v || digits > numpyDigits {
			return s
		}
	}
}

// array prints the dimensions from dim on. indent stands before further lines.
func (p *numpyPrinter) array(dim, at int, indent string) string {
	var b strings.Builder
	b.WriteString("[")
	last := dim == len(p.t.Shape)-1
	first, width := true, len(indent)
	p.indices(dim, func(i int) {
		word := "..."
		switch {
		case i >= 0 && last:
			word = p.text[p.next]
			p.next++
		case i >= 0:
			word = p.array(dim+1, i, indent+" ")
		}
		switch {
		case !last && !first:
			b.WriteString(strings.Repeat("\n", len(p.t.Shape)-dim-1) + indent)
		case last && !first && width+1+len(word) > numpyWidth-len(p.t.Shape):
			b.WriteString("\n" + indent)
			width = len(indent)
		case last && !first:
			b.WriteString(" ")
			width++
		}
		b.WriteString(word)
		width += len(word)
		first = false
	})
	b.WriteString("]")
	return b.String()
}
