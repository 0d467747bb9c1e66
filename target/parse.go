package target

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode"
)

// maxText bounds the text of a target, which may come from outside.
const maxText = 4096

// Parse reads a target of one of the project's kinds, as a string or as JSON.
func Parse(s string) (Target, error) {
	if p := last.Load(); p != nil && p.text == s {
		return p.target, nil
	}
	t, err := Kinds().Parse(s)
	if err == nil {
		last.Store(&parsed{s, t})
	}
	return t, err
}

// last is what was parsed last: passes parse the target of each function of a module, which mostly is the same.
var last atomic.Pointer[parsed]

type parsed struct {
	text   string
	target Target
}

// Parse reads a target of one of the kinds of t.
func (t Table) Parse(s string) (Target, error) {
	s = strings.TrimSpace(s)
	if len(s) > maxText {
		return Target{}, fmt.Errorf("target of %d characters: at most %d are allowed", len(s), maxText)
	}
	if strings.HasPrefix(s, "{") {
		return t.parseJSON([]byte(s), 0)
	}
	return t.parseString(s, 0)
}

func (t Table) parseString(s string, depth int) (Target, error) {
	words, err := splitWords(s)
	if err != nil {
		return Target{}, fmt.Errorf("target %q: %w", s, err)
	}
	if len(words) == 0 {
		return Target{}, fmt.Errorf("empty target: expected a kind (%s) and options like -mattr=+simd128", strings.Join(t.Names(), ", "))
	}
	name := words[0]
	opts, tagged, err := tagOptions(name)
	if err != nil {
		return Target{}, err
	}
	if tagged != "" {
		name = tagged
	}
	k, err := t.Lookup(name)
	if err != nil {
		return Target{}, err
	}
	given := map[string]bool{} // options of the text come before those of a tag
	for i := 1; i < len(words); i++ {
		name, value, ok := strings.Cut(strings.TrimLeft(words[i], "-"), "=")
		if !strings.HasPrefix(words[i], "-") {
			return Target{}, fmt.Errorf("target %q: expected an option like -mattr=+simd128, got %q", s, words[i])
		}
		a, err := k.attr(name)
		if err != nil {
			return Target{}, err
		}
		if !ok && a.Type != Bool { // `-mattr +simd128`
			if i+1 == len(words) {
				return Target{}, fmt.Errorf("target %q: option -%s needs %s", s, name, a.Type)
			}
			i++
			value = words[i]
		} else if !ok {
			value = "true"
		}
		if given[name] {
			return Target{}, fmt.Errorf("target %q: option -%s is given twice", s, name)
		}
		given[name], opts[name] = true, value
	}
	return t.build(k, opts, depth)
}

func (t Table) parseJSON(data []byte, depth int) (Target, error) {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	var m map[string]any
	if err := dec.Decode(&m); err != nil {
		return Target{}, fmt.Errorf("target is not a valid JSON object: %w", err)
	}
	if dec.More() {
		return Target{}, fmt.Errorf("target: text after the JSON object")
	}
	return t.fromMap(m, depth)
}

func (t Table) fromMap(m map[string]any, depth int) (Target, error) {
	name, ok := m["kind"].(string)
	if !ok {
		return Target{}, fmt.Errorf(`target object needs "kind", one of %s`, strings.Join(t.Names(), ", "))
	}
	k, err := t.Lookup(name)
	if err != nil {
		return Target{}, err
	}
	opts := map[string]any{}
	for name, v := range m {
		if name != "kind" {
			opts[name] = v
		}
	}
	return t.build(k, opts, depth)
}

// build checks the options, given as strings or as decoded JSON values.
func (t Table) build(k *Kind, opts map[string]any, depth int) (Target, error) {
	out := Target{kind: k, keys: k.Keys, attrs: map[string]any{}}
	names := make([]string, 0, len(opts))
	for name := range opts {
		names = append(names, name)
	}
	slices.Sort(names) // the first of several errors is always the same
	var device string
	for _, name := range names {
		a, err := k.attr(name)
		if err != nil {
			return Target{}, err
		}
		if name == "host" {
			h, err := t.parseHost(opts[name], depth)
			if err != nil {
				return Target{}, fmt.Errorf("host of target %s: %w", k.Name, err)
			}
			out.host = &h
			continue
		}
		v, err := convert(a, opts[name])
		if err != nil {
			return Target{}, fmt.Errorf("target %s: attribute %s: %w", k.Name, name, err)
		}
		switch name {
		case "keys":
			out.keys = v.([]string)
		case "mattr":
			if out.mattr, err = canonicalFeatures(k, v.([]string)); err != nil {
				return Target{}, err
			}
		default:
			if list, ok := v.([]string); ok && len(list) > 0 || !ok && v != a.Default {
				out.attrs[name] = v
			}
		}
		if name == "device" {
			device = v.(string)
		}
	}
	if device != "" { // before the default keys, as in TVM
		if _, ok := opts["keys"]; ok {
			out.keys = append(slices.Clip(out.keys), device)
		} else {
			out.keys = append([]string{device}, out.keys...)
		}
	}
	out.keys = withoutRepeats(out.keys)
	if k.check != nil {
		if err := k.check(out); err != nil {
			return Target{}, err
		}
	}
	return out, nil
}

// withoutRepeats keeps the first of equal words.
func withoutRepeats(words []string) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

func (t Table) parseHost(v any, depth int) (Target, error) {
	if depth > 0 {
		return Target{}, fmt.Errorf("a host cannot have a host itself")
	}
	switch v := v.(type) {
	case string:
		if strings.HasPrefix(v, "{") {
			return t.parseJSON([]byte(v), depth+1)
		}
		return t.parseString(v, depth+1)
	case map[string]any:
		return t.fromMap(v, depth+1)
	}
	return Target{}, fmt.Errorf("expected a target, got %v", v)
}

// convert turns an option into the type of its attribute.
func convert(a AttrDef, v any) (any, error) {
	s, isString := v.(string)
	switch a.Type {
	case Int:
		if n, ok := v.(json.Number); ok {
			s, isString = n.String(), true
		}
		if n, err := strconv.ParseInt(s, 10, 64); isString && err == nil && n >= 0 {
			return n, nil
		}
	case Bool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		if b, err := strconv.ParseBool(s); isString && err == nil {
			return b, nil
		}
	case String:
		if isString {
			return s, nil
		}
	case Strings:
		if isString {
			return checkWords(strings.FieldsFunc(s, func(r rune) bool { return r == ',' }))
		}
		if list, ok := v.([]any); ok {
			out := make([]string, 0, len(list))
			for _, x := range list {
				s, ok := x.(string)
				if !ok {
					return nil, fmt.Errorf("expected %s, got %v", a.Type, v)
				}
				out = append(out, s)
			}
			return checkWords(out)
		}
	}
	return nil, fmt.Errorf("expected %s, got %v", a.Type, v)
}

// checkWords refuses words that the string form of a target could not hold.
func checkWords(words []string) ([]string, error) {
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, ", \t\n\r\"\\=") || strings.ContainsFunc(w, unicode.IsSpace) {
			return nil, fmt.Errorf("%q is not a word", w)
		}
	}
	return words, nil
}

// canonicalFeatures checks a list of +name and -name and keeps, sorted by name, what differs
// from the defaults; the last mention of a feature counts.
func canonicalFeatures(k *Kind, list []string) ([]string, error) {
	set := map[string]bool{}
	for _, s := range list {
		if s == "" || (s[0] != '+' && s[0] != '-') {
			return nil, fmt.Errorf("target %s: feature %q needs a sign, as in +simd128", k.Name, s)
		}
		if _, err := k.feature(s[1:]); err != nil {
			return nil, err
		}
		set[s[1:]] = s[0] == '+'
	}
	var out []string
	for name, on := range set {
		f, err := k.feature(name)
		switch {
		case err != nil:
			return nil, err
		case on && !f.On:
			out = append(out, "+"+name)
		case !on && (f.On || k.AnyFeature || k.fromMachine): // what is off for a kind of open features may be on for its machine
			out = append(out, "-"+name)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return strings.Compare(a[1:], b[1:]) })
	return out, nil
}

// splitWords splits at white space. A Go string literal may stand in a word, or a text in single quotes, as TVM writes it, in
// which a backslash keeps the next character.
func splitWords(s string) ([]string, error) {
	var words []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		var w strings.Builder
		for s != "" && !strings.ContainsRune(" \t\n", rune(s[0])) {
			if s[0] == '\'' {
				text, rest, err := singleQuoted(s[1:])
				if err != nil {
					return nil, err
				}
				w.WriteString(text)
				s = rest
				continue
			}
			if s[0] != '"' {
				w.WriteByte(s[0])
				s = s[1:]
				continue
			}
			q, err := strconv.QuotedPrefix(s)
			if err != nil {
				return nil, fmt.Errorf("quoted text without an end: %s", s)
			}
			u, err := strconv.Unquote(q)
			if err != nil {
				return nil, fmt.Errorf("bad quotation %s", q)
			}
			w.WriteString(u)
			s = s[len(q):]
		}
		words = append(words, w.String())
	}
	return words, nil
}

// singleQuoted returns the text up to the next single quote, and what follows the quote.
func singleQuoted(s string) (text, rest string, err error) {
	var w strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\'':
			return w.String(), s[i+1:], nil
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		w.WriteByte(s[i])
	}
	return "", "", fmt.Errorf("quoted text without an end: '%s", s)
}
