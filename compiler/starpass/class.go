package starpass

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// Class is a class of a script, or one of the compiler that scripts derive theirs from.
type Class struct {
	name, doc string
	order     []*Class // the class and its bases, in the order in which members are looked up
	members   map[string]starlark.Value
	names     []string // of the members, in the order of the text
	native    native
	frozen    bool
}

// native is what a class of the compiler gives its instances.
type native interface {
	// attr returns a member of self, nil if there is none.
	attr(self *Instance, name string) starlark.Value
	// attrs returns the names of the members.
	attrs() []string
}

var (
	_ starlark.Callable = (*Class)(nil)
	_ starlark.HasAttrs = (*Class)(nil)
	_ holder            = (*Class)(nil)
)

// maxBases bounds the classes that one derives from, directly or not.
const maxBases = 64

// classBuiltin is (class)(name, doc, bases, members).
func classBuiltin(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	c := &Class{name: string(args[0].(starlark.String)), members: map[string]starlark.Value{}}
	if doc, ok := args[1].(starlark.String); ok {
		c.doc = string(doc)
	}
	c.order = []*Class{c}
	for _, b := range args[2].(starlark.Tuple) {
		base, ok := b.(*Class)
		if !ok {
			if g, generic := b.(*nodeType); generic && g.name == "object" {
				continue
			}
			return nil, fmt.Errorf("class %s: a base must be a class, got %s", c.name, describe(b))
		}
		for _, x := range base.order {
			if i := slices.Index(c.order, x); i >= 0 { // what several bases have comes behind them
				c.order = slices.Delete(c.order, i, i+1)
			}
			c.order = append(c.order, x)
		}
	}
	if len(c.order) > maxBases {
		return nil, &LimitError{fmt.Sprintf("class %s has more than %d bases", c.name, maxBases)}
	}
	for k, v := range args[3].(*starlark.Dict).Entries() {
		name := string(k.(starlark.String))
		c.members[name] = v
		c.names = append(c.names, name)
	}
	return c, runOf(t).alloc(dictEntry * int64(1+len(c.names)))
}

// String names the class.
func (c *Class) String() string { return "<class " + c.name + ">" }

// Type is "type", as in Python.
func (*Class) Type() string { return "type" }

// Name is that of the class.
func (c *Class) Name() string { return c.name }

// Freeze freezes the members.
func (c *Class) Freeze() {
	if !c.frozen {
		c.frozen = true
		c.held(starlark.Value.Freeze)
	}
}

func (c *Class) held(f func(starlark.Value)) {
	for _, n := range c.names {
		f(c.members[n])
	}
	for _, b := range c.order[1:] {
		f(b)
	}
}

// Truth is true.
func (*Class) Truth() starlark.Bool { return true }

// Hash is that of the identity.
func (c *Class) Hash() (uint32, error) { return uint32(maphash.Comparable(nodeSeed, c)), nil }

// derives tells whether c is b or derives from it.
func (c *Class) derives(b *Class) bool { return slices.Contains(c.order, b) }

// AttrNames returns the names of the members.
func (c *Class) AttrNames() []string {
	out := []string{"__name__"}
	for _, x := range c.order {
		out = append(out, x.names...)
	}
	return out
}

// Attr returns a member, not bound to an instance.
func (c *Class) Attr(name string) (starlark.Value, error) {
	switch name {
	case "__name__":
		return starlark.String(c.name), nil
	case "__doc__":
		return starlark.String(c.doc), nil
	}
	for _, x := range c.order {
		if v := x.members[name]; v != nil {
			if w, ok := v.(*wrapper); ok {
				return w.bind(c, nil), nil
			}
			return v, nil
		}
		if x.native != nil && slices.Contains(x.native.attrs(), name) { // Base.method(self, ...)
			return builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
				if len(args) == 0 {
					return nil, fmt.Errorf("%s.%s: self is missing", c.name, name)
				}
				self, ok := args[0].(*Instance)
				if !ok || !self.class.derives(x) {
					return nil, fmt.Errorf("%s.%s: self is %s", c.name, name, describe(args[0]))
				}
				return starlark.Call(t, x.native.attr(self, name), args[1:], kwargs)
			}), nil
		}
	}
	return nil, nil
}

// CallInternal makes an instance.
func (c *Class) CallInternal(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := runOf(t).alloc(8 * dictEntry); err != nil {
		return nil, err
	}
	out := &Instance{class: c, fields: map[string]starlark.Value{}}
	init, err := out.Attr("__init__")
	if err != nil {
		return nil, err
	}
	if init == nil {
		if len(args)+len(kwargs) > 0 {
			return nil, fmt.Errorf("%s takes no arguments: it has no __init__", c.name)
		}
		return out, nil
	}
	v, err := starlark.Call(t, init, args, kwargs)
	if err == nil && v != starlark.None {
		err = fmt.Errorf("%s.__init__ returned %s, expected None", c.name, describe(v))
	}
	return out, err
}

// takesNothing tells whether the class can be instantiated without arguments.
func (c *Class) takesNothing() bool {
	for _, x := range c.order {
		if f, ok := x.members["__init__"].(*starlark.Function); ok {
			for i := 1; i < f.NumParams()-btoi(f.HasVarargs())-btoi(f.HasKwargs()); i++ {
				if f.ParamDefault(i) == nil {
					return false
				}
			}
			return true
		}
	}
	return true
}

// Instance is an instance of a class of a script.
type Instance struct {
	class   *Class
	fields  map[string]starlark.Value
	functor *functor // of a visitor or mutator
	frozen  bool
}

var (
	_ starlark.HasSetField = (*Instance)(nil)
	_ starlark.Callable    = (*Instance)(nil)
	_ holder               = (*Instance)(nil)
)

// String names the class; an exception is its message.
func (v *Instance) String() string {
	if v.class.derives(exceptions()["BaseException"]) {
		return v.message()
	}
	return "<" + v.class.name + " object>"
}

// Type is the name of the class.
func (v *Instance) Type() string { return v.class.name }

// Name is that of the class.
func (v *Instance) Name() string { return v.class.name }

// Freeze freezes the fields.
func (v *Instance) Freeze() {
	if !v.frozen {
		v.frozen = true
		v.held(starlark.Value.Freeze)
	}
}

func (v *Instance) held(f func(starlark.Value)) {
	f(v.class)
	for _, n := range sortedKeys(v.fields) {
		f(v.fields[n])
	}
}

// Truth is true.
func (*Instance) Truth() starlark.Bool { return true }

// Hash is that of the identity.
func (v *Instance) Hash() (uint32, error) { return uint32(maphash.Comparable(nodeSeed, v)), nil }

// AttrNames returns the names of fields and members.
func (v *Instance) AttrNames() []string {
	out := append(sortedKeys(v.fields), v.class.AttrNames()...)
	for _, c := range v.class.order {
		if c.native != nil {
			out = append(out, c.native.attrs()...)
		}
	}
	return out
}

// Attr returns a field, or a member of the class bound to the instance.
func (v *Instance) Attr(name string) (starlark.Value, error) {
	if x := v.fields[name]; x != nil {
		return x, nil
	}
	if name == "__class__" {
		return v.class, nil
	}
	return v.member(v.class.order, name), nil
}

// member looks for a member in classes, in order.
func (v *Instance) member(order []*Class, name string) starlark.Value {
	for _, c := range order {
		switch x := c.members[name].(type) {
		case nil:
		case *starlark.Function:
			return &Method{fn: x, self: v}
		case *wrapper:
			return x.bind(v.class, v)
		default:
			return x
		}
		if c.native != nil {
			if x := c.native.attr(v, name); x != nil {
				return x
			}
		}
	}
	return nil
}

// SetField sets a field.
func (v *Instance) SetField(name string, x starlark.Value) error {
	if v.frozen {
		return fmt.Errorf("cannot set .%s: the %s is frozen, since it belongs to the top level of a script: passes keep nothing between runs", name, v.class.name)
	}
	if x == starlark.Value(v) && len(v.fields) > 1<<10 {
		return errors.New("too many fields")
	}
	v.fields[name] = x
	return nil
}

// CallInternal calls the method __call__.
func (v *Instance) CallInternal(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	f := v.member(v.class.order, "__call__")
	if f == nil {
		return nil, fmt.Errorf("a %s cannot be called: its class has no __call__", v.class.name)
	}
	return starlark.Call(t, f, args, kwargs)
}

// Method is a function of a class bound to an instance.
type Method struct {
	fn   *starlark.Function
	self starlark.Value
}

var (
	_ starlark.Callable = (*Method)(nil)
	_ holder            = (*Method)(nil)
)

// String names the method.
func (m *Method) String() string { return "<method " + m.fn.Name() + ">" }

// Type is "method".
func (*Method) Type() string { return "method" }

// Name is that of the function, without its class.
func (m *Method) Name() string { return m.fn.Name()[strings.LastIndexByte(m.fn.Name(), '.')+1:] }

// Freeze freezes function and instance.
func (m *Method) Freeze() { m.held(starlark.Value.Freeze) }

func (m *Method) held(f func(starlark.Value)) { f(m.fn); f(m.self) }

// Truth is true.
func (*Method) Truth() starlark.Bool { return true }

// Hash is that of the function.
func (m *Method) Hash() (uint32, error) { return m.fn.Hash() }

// CallInternal calls the function with the instance before the arguments.
func (m *Method) CallInternal(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return starlark.Call(t, m.fn, append(starlark.Tuple{m.self}, args...), kwargs)
}

// wrapper is what staticmethod, classmethod and property make of a function.
type wrapper struct {
	kind string
	fn   starlark.Callable
}

var _ holder = (*wrapper)(nil)

func wrapperMaker(kind string) *starlark.Builtin {
	return builtin(kind, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var fn starlark.Callable
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "function", &fn); err != nil {
			return nil, err
		}
		return &wrapper{kind: kind, fn: fn}, nil
	})
}

func (w *wrapper) String() string              { return w.kind + "(" + w.fn.Name() + ")" }
func (w *wrapper) Type() string                { return w.kind }
func (w *wrapper) Freeze()                     { w.fn.Freeze() }
func (*wrapper) Truth() starlark.Bool          { return true }
func (w *wrapper) Hash() (uint32, error)       { return starlark.String(w.fn.Name()).Hash() }
func (w *wrapper) held(f func(starlark.Value)) { f(w.fn) }

// bind returns the member of a class or of an instance of it; that of a property is computed by attrGuard.
func (w *wrapper) bind(c *Class, self *Instance) starlark.Value {
	f, ok := w.fn.(*starlark.Function)
	switch {
	case w.kind == "classmethod" && ok:
		return &Method{fn: f, self: c}
	case w.kind == "property" && ok && self != nil:
		return &getter{Method{fn: f, self: self}}
	}
	return w.fn
}

// getter is a property that has yet to be computed.
type getter struct{ Method }

// superBuiltin is (super)(class, self).
func superBuiltin(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var cls, self starlark.Value
	if err := starlark.UnpackArgs("super", args, kwargs, "type", &cls, "self", &self); err != nil {
		return nil, err
	}
	if m, ok := cls.(*passClass); ok {
		cls = m.class
	}
	c, isClass := cls.(*Class)
	v, isInstance := self.(*Instance)
	if !isClass || !isInstance || !v.class.derives(c) {
		return nil, fmt.Errorf("super: expected a class and an instance of it, got %s and %s", describe(cls), describe(self))
	}
	order := v.class.order
	return &superOf{of: v, order: order[slices.Index(order, c)+1:]}, nil
}

// superOf is an instance as the bases of one of its classes know it.
type superOf struct {
	of    *Instance
	order []*Class
}

var _ starlark.HasAttrs = (*superOf)(nil)

func (s *superOf) String() string              { return "<super of " + s.of.String() + ">" }
func (*superOf) Type() string                  { return "super" }
func (s *superOf) Freeze()                     { s.of.Freeze() }
func (*superOf) Truth() starlark.Bool          { return true }
func (*superOf) Hash() (uint32, error)         { return 0, errors.New("super() cannot be a key") }
func (s *superOf) AttrNames() []string         { return s.of.AttrNames() }
func (s *superOf) held(f func(starlark.Value)) { f(s.of) }

// Attr returns a member that a base has.
func (s *superOf) Attr(name string) (starlark.Value, error) {
	if x := s.of.member(s.order, name); x != nil {
		return x, nil
	}
	if name == "__init__" { // that of object
		return builtin(name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, nil
		}), nil
	}
	return nil, nil
}
