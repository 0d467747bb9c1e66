package target

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/runtime/dtype"
)

// Target is an immutable description of what code is generated for. The zero value is no
// target; make one with Parse or Default.
type Target struct {
	kind  *Kind
	keys  []string
	mattr []string       // canonical: sorted, one entry a feature that differs from its default
	attrs map[string]any // only what differs from the default
	host  *Target
}

// Default returns the target that code is generated for where nobody names one.
func Default() Target { return Of(DefaultKind) }

// Of returns the target of a kind without options; it panics if the project has no such kind.
func Of(kind string) Target {
	t, err := Parse(kind)
	if err != nil {
		panic("target: " + err.Error())
	}
	return t
}

// IsZero reports whether t is no target.
func (t Target) IsZero() bool { return t.kind == nil }

// Kind is the kind of t.
func (t Target) Kind() *Kind { return t.kind }

// Keys are what schedules and dispatch rules look at, most specific first.
func (t Target) Keys() []string { return slices.Clone(t.keys) }

// HasKey reports whether key is among the keys.
func (t Target) HasKey(key string) bool { return slices.Contains(t.keys, key) }

// Host is the target of the host code; a target without one is its own host.
func (t Target) Host() Target {
	if t.host == nil {
		return t
	}
	return *t.host
}

// WithHost returns t with a host.
func (t Target) WithHost(h Target) Target {
	t.host = &h
	return t
}

// WithoutHost returns t with no host, as stands in functions of the device.
func (t Target) WithoutHost() Target {
	t.host = nil
	return t
}

// Feature reports whether a feature is on; a feature that the kind lacks is off.
func (t Target) Feature(name string) bool {
	if slices.Contains(t.mattr, "+"+name) {
		return true
	}
	if t.kind == nil || slices.Contains(t.mattr, "-"+name) {
		return false
	}
	f, err := t.kind.feature(name)
	return err == nil && f.On
}

// Attr returns the value of an attribute, its default where it is not set, nil where the
// kind has none of that name.
func (t Target) Attr(name string) any {
	if v, ok := t.attrs[name]; ok {
		return v
	}
	if t.kind == nil {
		return nil
	}
	a, err := t.kind.attr(name)
	if err != nil {
		return nil
	}
	return a.Default
}

// IntAttr is Attr for integers; def where there is none.
func (t Target) IntAttr(name string, def int64) int64 {
	if v, ok := t.Attr(name).(int64); ok {
		return v
	}
	return def
}

// Scope returns a memory scope of the kind; ok is false where it has none of that name.
func (t Target) Scope(name string) (Scope, bool) {
	if t.kind == nil {
		return Scope{}, false
	}
	for _, s := range t.kind.Scopes {
		if s.Name == name {
			return s, true
		}
	}
	return Scope{}, false
}

// VectorLanes is the number of elements of type d that one vector register holds; 1 where
// the target has no vectors of them.
func (t Target) VectorLanes(d dtype.DType) int {
	bits := int(t.IntAttr("max-simd-width", 0))
	if bits == 0 || t.kind.Vectors != "" && !t.Feature(t.kind.Vectors) || d.Bits < 8 || bits < int(d.Bits) {
		return 1
	}
	return bits / int(d.Bits)
}

// String is the canonical form: kind, keys where they are not the default, features, other
// attributes by name, host. Parse reads it back to an equal target.
func (t Target) String() string {
	if t.kind == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(t.kind.Name)
	if !slices.Equal(t.keys, t.kind.Keys) {
		fmt.Fprintf(&b, " -keys=%s", strings.Join(t.keys, ","))
	}
	if len(t.mattr) > 0 {
		fmt.Fprintf(&b, " -mattr=%s", strings.Join(t.mattr, ","))
	}
	for _, name := range t.setAttrs() {
		fmt.Fprintf(&b, " -%s=%s", name, formatAttr(t.attrs[name]))
	}
	if t.host != nil {
		fmt.Fprintf(&b, " -host=%s", quoteWord(t.host.String()))
	}
	return b.String()
}

// Equal reports whether the two targets mean the same.
func (t Target) Equal(u Target) bool { return t.String() == u.String() }

func (t Target) setAttrs() []string {
	var names []string
	for name := range t.attrs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func formatAttr(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	case []string:
		return strings.Join(v, ",")
	case string:
		return quoteWord(v)
	}
	return fmt.Sprint(v)
}

// quoteWord puts quotes around a word that the splitter would take apart.
func quoteWord(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n\"'\\") {
		return strconv.Quote(s)
	}
	return s
}
