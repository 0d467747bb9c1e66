package compact

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// names are the short names of values, functions and constants.
type names struct {
	values, functions, keys map[string]string
}

func namesOf(lines []string) *names {
	return &names{shortNames(values(lines)), shortNames(functions(lines)), shortKeys(lines)}
}

// writer writes lines of functions, one after the other.
type writer struct {
	*names
	reader
	src   string // the line
	text  []byte
	parts []Part
	typ   string // of what the line binds
}

// typesOfConstants is the comment that the printer puts behind constants: their types, which the compact form leaves out.
var typesOfConstants = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^# \w+\[[^\]]*\](, \w+\[[^\]]*\])*$`) })

// line returns the compact form of a line of a function whose decorator is indented by base.
func (w *writer) line(src string, base int) Line {
	in := indent(src)
	if in == len(src) || src[in] == '@' || src[in] == '#' {
		return Line{Text: src}
	}
	w.src, w.text, w.parts, w.typ = src, w.text[:0], w.parts[:0], ""
	// A level takes two columns.
	out := min(base, in) + (max(in-base, 0)+1)/2
	w.put(src[:out], 0, in)
	s, end := w.parse(src, in)
	w.statement(s)
	if rest := src[end:]; rest != "" && !typesOfConstants().MatchString(rest) {
		w.put("  "+rest, max(end-2, w.parts[len(w.parts)-1].To), len(src))
	}
	return Line{string(w.text), w.typ, slices.Clone(w.parts)}
}

// put writes text that stands for columns from to of the line.
func (w *writer) put(text string, from, to int) {
	if text == "" {
		return
	}
	at := len(w.text)
	w.text = append(w.text, text...)
	if n := len(w.parts); n > 0 {
		if p := &w.parts[n-1]; p.To == from && p.End-p.At == p.To-p.From && len(text) == to-from {
			p.End, p.To = len(w.text), to
			return
		}
	}
	w.parts = append(w.parts, Part{at, len(w.text), from, to})
}

// statement writes a line.
func (w *writer) statement(s seq) {
	if len(s) > 1 && s[0].text == "def" {
		w.put("def ", s[0].from, s[1].from)
		w.short(w.functions, s[1].text, s[1].from)
		w.seq(s[2:])
		return
	}
	if len(s) > 2 && word(s[0].text[0]) && (s[1].text == ":" || s[1].text == "=") {
		for i, n := range s {
			if n.text != "=" {
				continue
			}
			w.seq(s[:1])
			if i > 2 {
				w.typ = w.typeOf(s[2:i])
			}
			w.put(" = ", s[0].to, s[i+1:].start(n.to))
			w.value(s[i+1:])
			return
		}
	}
	w.value(s)
}

// start returns the column where s starts, or that of nothing.
func (s seq) start(nothing int) int {
	if len(s) == 0 {
		return nothing
	}
	return s[0].from
}

// value writes the right side of a binding, or a statement without one. What says its type says it in the column of types.
func (w *writer) value(s seq) {
	if len(s) == 4 && s.is("R", ".") && s[3].text == "(" && s[3].closed {
		args := s[3].items
		switch s[2].text {
		case "call_tir":
			if len(args) >= 3 && len(args[1]) == 1 && args[1][0].text == "(" && args[2].is("out_sinfo", "=") {
				if w.typ == "" {
					w.typ = w.typeOf(args[2][2:])
				}
				w.seq(args[0])
				w.put("(", args[1][0].from, args[1][0].from+1)
				w.list(slices.Concat(args[1][0].items, args[3:]), ", ", "")
				w.put(")", s[3].to-1, s[3].to)
				return
			}
		case "match_cast":
			if len(args) == 2 && w.typ != "" && w.typ == w.typeOf(args[1]) {
				w.put("match_cast(", s[0].from, args[0].start(s[3].from))
				w.seq(args[0])
				w.put(")", s[3].to-1, s[3].to)
				return
			}
		}
	}
	w.seq(s)
}

// seq writes tokens and brackets.
func (w *writer) seq(s seq) {
	for i := 0; i < len(s); {
		if n := s[i]; i > 0 && n.spaced {
			w.put(" ", n.from-1, n.from)
		}
		i += w.term(s[i:])
	}
}

// term writes what s begins with: a name with its path and what it is called with, or a token. It returns how many nodes that was.
func (w *writer) term(s seq) int {
	n := s[0]
	switch {
	case n.bracket():
		w.group(n, "")
		return 1
	case !word(n.text[0]) || '0' <= n.text[0] && n.text[0] <= '9':
		w.put(float(n.text, false), n.from, n.to)
		return 1
	}
	k := 1 // the nodes of the path
	for k+1 < len(s) && s[k].text == "." && word(s[k+1].text[0]) {
		k += 2
	}
	path := w.src[n.from:s[k-1].to]
	if k+1 < len(s) && path == "metadata" && s[k].text == "[" && s[k+1].text == "[" && len(s[k+1].items) == 1 {
		if key := w.keys[strings.Trim(s[k+1].items[0][0].text, `"`)]; key != "" {
			w.put(key, n.from, s[k+1].to)
			return k + 2
		}
	}
	if k < len(s) && s[k].text == "(" && !s[k].spaced {
		w.call(path, n.from, s[k])
		return k + 1
	}
	if path == "R.Object" {
		w.put("object", n.from, s[k-1].to)
	} else {
		w.name(path, n.from)
	}
	return k
}

// name writes a path that is no operator at a column: the name of a function of the module behind cls., or of a value.
func (w *writer) name(path string, from int) {
	if name, ok := strings.CutPrefix(path, ofModule); ok {
		w.put(ofModule, from, from+len(ofModule))
		w.short(w.functions, name, from+len(ofModule))
	} else {
		w.short(w.values, path, from)
	}
}

// short writes a name at a column, by its short form if it has one.
func (w *writer) short(names map[string]string, name string, from int) {
	short, ok := names[name]
	if !ok {
		short = name
	}
	w.put(short, from, from+len(name))
}

// call writes a call of path at a column.
func (w *writer) call(path string, from int, args node) {
	to := args.to
	switch path {
	case "R.Tensor", "R.Tuple", "R.Shape", "R.Prim":
		if args.closed {
			w.put(w.typeOfCall(path, args, w.src[from:to]), from, to)
			return
		}
	case "R.const":
		if v, ok := number(args); ok {
			w.put(v, from, to)
			return
		}
	case "R.prim_value", "R.str", "R.shape":
		if len(args.items) == 1 && args.closed {
			w.seq(args.items[0])
			return
		}
	case "R.dtype":
		if len(args.items) == 1 && args.closed {
			w.put(elementType(args.items[0][0].text), from, to)
			return
		}
	}
	op, ok := strings.CutPrefix(path, "R.")
	if ok {
		w.put(strings.TrimPrefix(op, "nn."), from, from+len(path))
	} else {
		op = ""
		w.name(path, from)
	}
	w.group(args, op)
}

// group writes a bracket; op is the operator whose arguments it holds, "" for none.
func (w *writer) group(n node, op string) {
	w.put(n.text, n.from, n.from+1)
	sep := ", "
	if n.text == "[" && plain(n.items) {
		sep = ","
	}
	w.list(n.items, sep, op)
	switch {
	case !n.closed:
		if strings.HasSuffix(strings.TrimRight(w.src, " "), ",") {
			w.put(",", n.to, n.to)
		}
	default:
		if n.text == "(" && len(n.items) == 1 && w.src[n.to-2] == ',' {
			w.put(",", n.to-2, n.to-1)
		}
		w.put(w.src[n.to-1:n.to], n.to-1, n.to)
	}
}

// list writes what stands between commas, leaving out the attributes of op that have their defaults.
func (w *writer) list(items []seq, sep, op string) {
	written := 0
	for _, s := range items {
		value := len(s) > 2 && s[1].text == "="
		if value && w.silent(op, s) {
			continue
		}
		if written++; written > 1 {
			end := w.parts[len(w.parts)-1].To
			w.put(sep, max(end, s.start(end)-len(sep)), s.start(end))
		}
		if value && op != "" {
			w.attribute(s)
			continue
		}
		w.seq(s)
	}
}

// silent reports whether an attribute of op goes without saying.
func (w *writer) silent(op string, s seq) bool {
	from, to := s[2:].columns()
	v := w.src[from:to]
	if op == "call_packed" && s[0].text == "sinfo_args" {
		return w.typ != "" || v == "(R.Tuple,)"
	}
	if op == "nn.batch_norm" && s[0].text == "momentum" {
		return strings.Contains(w.src, "training=False") // which does not use it
	}
	if s[0].text == "out_layout" { // that of the data, where no other is asked for
		for _, data := range []string{" data_layout=", " layout="} {
			if _, value, ok := strings.Cut(w.src, data); ok {
				return strings.HasPrefix(value, v)
			}
		}
	}
	return op != "" && (v == "None" || defaults[op][s[0].text] == v || usual[op][s[0].text] == v)
}

// usual holds values that are no defaults and stand in every imported model all the same.
var usual = map[string]map[string]string{
	"nn.batch_norm": {"axis": "1", "training": "False", "center": "True", "scale": "True"},
	"nn.layer_norm": {"axes": "[-1]", "center": "True", "scale": "True"},
}

// called holds the short names of attributes.
var called = map[string]string{"padding": "pad", "strides": "stride", "pool_size": "window"}

// attribute writes name=value as name value, True by the name alone, and a list of equal numbers, one for each side or axis, as one.
func (w *writer) attribute(s seq) {
	name, value := s[0], s[2:]
	if value.is("T", ".", "index_map", "(") && w.indexMap(name.from, value[3].items) {
		return
	}
	short, ok := called[name.text]
	if !ok {
		short = name.text
	}
	w.put(short, name.from, name.to)
	if len(value) == 1 && value[0].text == "True" {
		return
	}
	w.put(" ", name.to, value.start(s[1].to))
	if list := value[0]; ok && list.text == "[" && len(value) == 1 && len(list.items) > 1 && plain(list.items) {
		first := list.items[0][0].text
		same := true
		for _, x := range list.items {
			same = same && len(x) == 1 && x[0].text == first
		}
		if same {
			w.put(first, list.from, list.to)
			return
		}
	}
	w.seq(value)
}

// indexMap writes an attribute that begins at a column, a map from indices without an inverse, as (i0, i1) -> (i1, i0). The type of the
// indices is left out. It reports whether that was possible.
func (w *writer) indexMap(from int, items []seq) bool {
	at := slices.IndexFunc(items, func(s seq) bool { return len(s) > 2 && s[len(s)-2].text == ":" && s[len(s)-1].text == "(" })
	if at < 0 || !items[0].is("lambda") || slices.ContainsFunc(items[at+1:], func(s seq) bool { return !s.is("index_dtype", "=") }) {
		return false
	}
	w.put("(", from, items[0][1].from)
	w.seq(items[0][1:2])
	for _, s := range items[1 : at+1] {
		w.put(", ", s[0].from-2, s[0].from)
		w.seq(s[:1])
	}
	result := items[at][len(items[at])-1]
	w.put(") -> ", result.from-2, result.from)
	w.group(result, "")
	return true
}

// plain reports whether items are single tokens, signs apart.
func plain(items []seq) bool {
	for _, s := range items {
		if len(s) > 2 || len(s) > 0 && s[len(s)-1].bracket() || len(s) == 2 && s[0].text != "-" {
			return false
		}
	}
	return true
}

// number returns the value of R.const(value, dtype), as short as its type allows.
func number(args node) (string, bool) {
	if !args.closed || len(args.items) != 2 || len(args.items[1]) != 1 {
		return "", false
	}
	sign, digits := "", args.items[0]
	if len(digits) == 2 && digits[0].text == "-" {
		sign, digits = "-", digits[1:]
	}
	if len(digits) != 1 || digits[0].bracket() {
		return "", false
	}
	return sign + float(digits[0].text, args.items[1][0].text == `"float64"`), true
}

// float returns a number with a point in as few digits as name the same float32, where it is one, or float64. Others stay.
func float(text string, double bool) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !strings.ContainsAny(text, ".e") {
		return text
	}
	bits := 64
	if !double && float64(float32(v)) == v {
		bits = 32
	}
	if text = strconv.FormatFloat(v, 'g', -1, bits); !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}
