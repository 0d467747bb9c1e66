package compact

import (
	"strings"
)

// typeOf returns the short form of a struct info.
func (w *writer) typeOf(s seq) string {
	from, to := s.columns()
	src := w.src[from:to]
	switch {
	case s.is("R", ".", "Object") && len(s) == 3:
		return "object"
	case len(s) == 1 && s[0].text == "[": // of several results
		return w.types(s[0].items)
	case len(s) == 4 && s.is("R", ".") && s[3].text == "(" && s[3].closed:
		return w.typeOfCall("R."+s[2].text, s[3], src)
	}
	return src
}

func (w *writer) types(items []seq) string {
	list := make([]string, len(items))
	for i, x := range items {
		list[i] = w.typeOf(x)
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// typeOfCall returns the short form of R.Tensor(...) and its like: f32[n,4], (f32[4], i64[]), shape[n,4], i64. Unknown extents are
// question marks, an unknown number of them is a star. What has no short form is returned as it is.
func (w *writer) typeOfCall(path string, args node, src string) string {
	var shape *node
	elem, ndim := "", ""
	for _, s := range args.items {
		key := ""
		if len(s) > 2 && s[1].text == "=" {
			key, s = s[0].text, s[2:]
		}
		if len(s) != 1 {
			if path != "R.Tuple" && !(len(s) == 2 && s[0].text == "-") {
				return src
			}
			continue
		}
		n := s[0]
		switch {
		case n.text == "(" || n.text == "[":
			shape = &n
		case key == "ndim":
			ndim = n.text
		case (key == "" || key == "dtype") && n.text[0] == '"':
			elem = elementType(n.text)
		case path != "R.Tuple":
			return src
		}
	}
	switch path {
	case "R.Tuple":
		return w.types(args.items)
	case "R.Prim":
		if elem == "" {
			return src
		}
		return elem
	case "R.Shape":
		elem = "shape"
	default:
		if elem == "" {
			elem = "tensor"
		}
	}
	return elem + w.extents(shape, ndim)
}

// extents returns the extents of a shape in brackets.
func (w *writer) extents(shape *node, ndim string) string {
	if shape == nil {
		n := strings.Repeat("?,", max(0, small(ndim)))
		if ndim == "" {
			return "[*]"
		}
		return "[" + strings.TrimSuffix(n, ",") + "]"
	}
	list := make([]string, len(shape.items))
	for i, s := range shape.items {
		from, to := s.columns()
		list[i] = strings.ReplaceAll(w.src[from:to], " ", "")
	}
	return "[" + strings.Join(list, ",") + "]"
}

// small returns the value of one or two digits, 0 for anything else.
func small(s string) int {
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' || n > 9 {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// elementType returns the short form of a quoted element type: f32, bf16, i64, u8, bool.
func elementType(quoted string) string {
	t := strings.Trim(quoted, `"`)
	for _, kind := range [][2]string{{"bfloat", "bf"}, {"float", "f"}, {"uint", "u"}, {"int", "i"}} {
		if bits, ok := strings.CutPrefix(t, kind[0]); ok {
			return kind[1] + bits
		}
	}
	return t
}
