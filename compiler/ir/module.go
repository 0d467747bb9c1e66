package ir

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
)

// Module is an immutable set of functions with attributes. Updates share what they keep.
type Module struct {
	entries []moduleEntry  // in order of insertion
	index   map[string]int // name to entry
	attrs   *Attrs
	infos   map[string][]Node // global infos such as "vdevice"
	origins *Origins
}

type moduleEntry struct {
	gv *GlobalVar
	fn Function
}

// NewModule returns a module without functions and with an empty table of origins.
func NewModule() *Module { return &Module{index: map[string]int{}, origins: NewOrigins()} }

// NewModuleWithOrigins returns a module without functions over a table of origins.
func NewModuleWithOrigins(t *Origins) *Module { return &Module{index: map[string]int{}, origins: t} }

// Origins returns the table of origins, which all modules made from this one share.
func (m *Module) Origins() *Origins { return m.origins }

// Attrs returns the module's attributes.
func (m *Module) Attrs() *Attrs { return m.attrs }

// WithAttrs returns the module with other attributes.
func (m *Module) WithAttrs(a *Attrs) *Module { out := *m; out.attrs = a; return &out }

// GlobalInfos returns the infos by kind. The caller must not change the map.
func (m *Module) GlobalInfos() map[string][]Node { return m.infos }

// WithGlobalInfos returns the module with the infos of one kind replaced.
func (m *Module) WithGlobalInfos(kind string, infos []Node) *Module {
	out := *m
	out.infos = maps.Clone(m.infos)
	if out.infos == nil {
		out.infos = map[string][]Node{}
	}
	out.infos[kind] = infos
	return &out
}

// Len is the number of functions.
func (m *Module) Len() int { return len(m.entries) }

// Lookup returns the function called name, nil if there is none.
func (m *Module) Lookup(name string) Function {
	if i, ok := m.index[name]; ok {
		return m.entries[i].fn
	}
	return nil
}

// GlobalVar returns the variable of the function called name, nil if there is none.
func (m *Module) GlobalVar(name string) *GlobalVar {
	if i, ok := m.index[name]; ok {
		return m.entries[i].gv
	}
	return nil
}

// Funcs yields the functions in order of insertion.
func (m *Module) Funcs() iter.Seq2[*GlobalVar, Function] {
	return func(yield func(*GlobalVar, Function) bool) {
		for _, e := range m.entries {
			if !yield(e.gv, e.fn) {
				return
			}
		}
	}
}

// EachChange calls f for each function that m and the module from, of which it was made, do
// not share: those of m in order, with before nil where from has none of that name, and then
// those that only from has, with after nil. Functions are compared by pointer, which costs a
// few nanoseconds each.
func (m *Module) EachChange(from *Module, f func(name string, before, after Function)) {
	if m == from {
		return
	}
	found := 0
	for i, e := range m.entries {
		var before Function
		if i < len(from.entries) && from.entries[i].gv == e.gv {
			before = from.entries[i].fn
		} else {
			before = from.Lookup(e.gv.Name)
		}
		if before != nil {
			found++
		}
		if before != e.fn {
			f(e.gv.Name, before, e.fn)
		}
	}
	if found == len(from.entries) {
		return
	}
	for _, e := range from.entries {
		if m.Lookup(e.gv.Name) == nil {
			f(e.gv.Name, e.fn, nil)
		}
	}
}

// With returns the module in which fn is called name, added last or replaced in its place.
// It returns m itself if that changes nothing.
func (m *Module) With(name string, fn Function) *Module {
	e := m.Edit()
	e.Set(name, fn)
	return e.Done()
}

// Without returns the module that lacks the named functions.
func (m *Module) Without(names ...string) *Module {
	e := m.Edit()
	for _, n := range names {
		e.Remove(n)
	}
	return e.Done()
}

// MapFuncs maps every function of type F through f. It returns m itself if f changed none.
// A nil result removes the function.
func MapFuncs[F Function](m *Module, f func(*GlobalVar, F) (Function, error)) (*Module, error) {
	e := m.Edit()
	for gv, fn := range m.Funcs() {
		if x, ok := fn.(F); ok {
			y, err := f(gv, x)
			if err != nil {
				return nil, err
			}
			if y == nil {
				e.Remove(gv.Name)
			} else {
				e.Set(gv.Name, y)
			}
		}
	}
	return e.Done(), nil
}

// Editor collects changes to a module. It is used by one goroutine, once.
type Editor struct {
	from    *Module
	entries []moduleEntry
	index   map[string]int
	copied  bool // entries are a copy
	owned   bool // and so is the index
	removed int
	next    map[string]int // the first number behind a name that may be free
}

// Edit starts a set of changes. The functions that the editor shows are those of m with
// the changes made so far.
func (m *Module) Edit() *Editor { return &Editor{from: m, entries: m.entries, index: m.index} }

func (e *Editor) own() {
	e.copy()
	if !e.owned {
		e.index, e.owned = maps.Clone(e.index), true
	}
}

// copy makes the entries those of the editor: the index stays right while only functions change.
func (e *Editor) copy() {
	if !e.copied {
		e.entries, e.copied = slices.Clone(e.entries), true
	}
}

// Lookup returns the function called name as it stands now, nil if there is none.
func (e *Editor) Lookup(name string) Function {
	if i, ok := e.index[name]; ok {
		return e.entries[i].fn
	}
	return nil
}

// Set adds fn as name, or replaces the function of that name in its place.
func (e *Editor) Set(name string, fn Function) *GlobalVar {
	if fn == nil {
		panic("ir: Editor.Set of a nil function")
	}
	i, ok := e.index[name]
	if ok && e.entries[i].fn == fn {
		return e.entries[i].gv
	}
	e.copy()
	if ok {
		e.entries[i].fn = fn
		return e.entries[i].gv
	}
	e.own()
	gv := NewGlobalVar(name)
	e.index[name] = len(e.entries)
	e.entries = append(e.entries, moduleEntry{gv, fn})
	return gv
}

// Adopt adds fn under the variable gv, and reports whether the name was free. It is for readers
// that must keep the variable that calls hold; passes use Set.
func (e *Editor) Adopt(gv *GlobalVar, fn Function) bool {
	if e.has(gv.Name) {
		return false
	}
	e.own()
	e.index[gv.Name] = len(e.entries)
	e.entries = append(e.entries, moduleEntry{gv, fn})
	return true
}

// Add adds fn under name, or under name followed by the first free number ("name1") if that
// is taken, and returns the variable to call it by.
func (e *Editor) Add(name string, fn Function) *GlobalVar { return e.Set(e.Fresh(name), fn) }

// Fresh returns name, or name followed by the first number that makes it unused.
func (e *Editor) Fresh(name string) string {
	if _, taken := e.index[name]; !taken {
		return name
	}
	for i := max(e.next[name], 1); ; i++ {
		if n := name + strconv.Itoa(i); !e.has(n) {
			if e.next == nil {
				e.next = map[string]int{}
			}
			e.next[name] = i
			return n
		}
	}
}

// freed notes that a name can be given out again.
func (e *Editor) freed(name string) {
	for i := len(name) - 1; i >= 0 && '0' <= name[i] && name[i] <= '9'; i-- {
		if n, err := strconv.Atoi(name[i:]); err == nil && n < e.next[name[:i]] {
			e.next[name[:i]] = n
		}
	}
}

func (e *Editor) has(name string) bool { _, ok := e.index[name]; return ok }

// Remove removes the function called name, if there is one.
func (e *Editor) Remove(name string) {
	i, ok := e.index[name]
	if !ok {
		return
	}
	e.own()
	delete(e.index, name)
	e.freed(name)
	e.entries[i] = moduleEntry{}
	e.removed++
}

// Done returns the changed module, or the original if nothing changed.
func (e *Editor) Done() *Module {
	if !e.copied {
		return e.from
	}
	if e.removed > 0 {
		e.entries = slices.DeleteFunc(e.entries, func(x moduleEntry) bool { return x.fn == nil })
		for i, x := range e.entries {
			e.index[x.gv.Name] = i
		}
	}
	out := *e.from
	out.entries, out.index = e.entries, e.index
	return &out
}

// MustLookup returns the function called name as an F; it panics with the module's
// function names if there is none, so it is for callers that have checked.
func MustLookup[F Function](m *Module, name string) F {
	f, ok := m.Lookup(name).(F)
	if !ok {
		panic(fmt.Sprintf("ir: module has no %T called %q", f, name))
	}
	return f
}
