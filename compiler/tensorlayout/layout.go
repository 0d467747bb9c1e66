package tensorlayout

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxRank is the largest number of axes that Initial has letters for.
const MaxRank = 26

// maxFactor bounds the extent of a part of an axis.
const maxFactor = 1 << 20

// Axis is one dimension of a tensor: an axis, or a part of one.
type Axis struct {
	// Letter names the axis, in upper case also for a part of it.
	Letter byte
	// Factor is the extent of a part, 0 for what is left of the axis itself.
	Factor int64
}

// String returns the axis as it stands in the name of a layout.
func (a Axis) String() string {
	if a.Factor == 0 {
		return string(rune(a.Letter))
	}
	return strconv.FormatInt(a.Factor, 10) + string(rune(a.Letter-'A'+'a'))
}

// Layout is the order of the dimensions of a tensor. Its zero value is that of a scalar. It is not changed.
type Layout []Axis

// Parse reads the name of a layout. Each axis stands in it once, and a part only beside its axis.
func Parse(name string) (Layout, error) {
	bad := func(format string, args ...any) (Layout, error) {
		return nil, fmt.Errorf("invalid layout %q: %s", name, fmt.Sprintf(format, args...))
	}
	var out Layout
	var whole [26]bool
	var factor int64
	number := false
	for i := range len(name) {
		switch c := name[i]; {
		case c >= '0' && c <= '9':
			number = true
			if factor = factor*10 + int64(c-'0'); factor > maxFactor {
				return bad("a factor is larger than %d", maxFactor)
			}
		case c >= 'A' && c <= 'Z':
			if number {
				return bad("a number stands before %c, expected the letter of a part, in lower case", c)
			}
			if whole[c-'A'] {
				return bad("axis %c stands in it twice", c)
			}
			whole[c-'A'] = true
			out = append(out, Axis{Letter: c})
		case c >= 'a' && c <= 'z':
			if factor == 0 {
				return bad("expected a number above zero before %c, which is a part of an axis", c)
			}
			out = append(out, Axis{Letter: c - 'a' + 'A', Factor: factor})
			factor, number = 0, false
		default:
			return bad("expected letters and numbers, as in NCHW16c")
		}
	}
	if number {
		return bad("a number stands at the end, expected the letter of a part after it")
	}
	for _, a := range out {
		if !whole[a.Letter-'A'] {
			return bad("it has a part of axis %c, but not the axis", a.Letter)
		}
	}
	return out, nil
}

// Initial returns the layout ABCD... of a tensor of ndim dimensions, at most MaxRank, in the order in which they are numbered.
func Initial(ndim int) Layout {
	out := make(Layout, ndim)
	for i := range out {
		out[i].Letter = byte('A' + i)
	}
	return out
}

// String returns the name.
func (l Layout) String() string {
	var s strings.Builder
	for _, a := range l {
		s.WriteString(a.String())
	}
	return s.String()
}

// Equal reports whether two layouts are the same.
func (l Layout) Equal(m Layout) bool {
	if len(l) != len(m) {
		return false
	}
	for i := range l {
		if l[i] != m[i] {
			return false
		}
	}
	return true
}

// Rank is the number of axes, without parts.
func (l Layout) Rank() int {
	n := 0
	for _, a := range l {
		if a.Factor == 0 {
			n++
		}
	}
	return n
}

// Blocked reports whether an axis is split.
func (l Layout) Blocked() bool { return l.Rank() != len(l) }

// Pos returns where the axis stands, -1 if it does not.
func (l Layout) Pos(letter byte) int {
	for i, a := range l {
		if a == (Axis{Letter: letter}) {
			return i
		}
	}
	return -1
}

// Factor is the product of the extents of the parts of an axis, 1 if it is not split.
func (l Layout) Factor(letter byte) int64 {
	f := int64(1)
	for _, a := range l {
		if a.Letter == letter && a.Factor > 0 {
			f *= a.Factor
		}
	}
	return f
}

// Letters returns the letters of the axes in their order.
func (l Layout) Letters() string {
	var s strings.Builder
	for _, a := range l {
		if a.Factor == 0 {
			s.WriteByte(a.Letter)
		}
	}
	return s.String()
}

// Rename returns l, in which each letter of from stands for the axis at the same place of to: the layout NHWC4c renamed from NCHW to ABCD
// is ACDB4b. Both are layouts without parts, of the axes of l.
func (l Layout) Rename(from, to Layout) (Layout, error) {
	out := make(Layout, len(l))
	for i, a := range l {
		p := from.Pos(a.Letter)
		if p < 0 || p >= len(to) || l.Rank() != len(from) || len(from) != len(to) || from.Blocked() || to.Blocked() {
			return nil, fmt.Errorf("layout %s does not have the axes of %s", l, from)
		}
		out[i] = Axis{Letter: to[p].Letter, Factor: a.Factor}
	}
	return out, nil
}
