package parse

import "github.com/irscope/irscope/compiler/script/syntax"

// bind matches the arguments of a call with the parameters of its signature.
func (c *call) bind() {
	s := c.sig
	next := 0
	args := c.spread(c.n.Args())
	for _, a := range args {
		if s.intrinsic != nil && next < len(s.params) && next != s.rest && s.params[next].name == "dtype" && c.byName("dtype") {
			next++ // the type of the result, which stands among the others where it has no name
		}
		switch {
		case next == s.rest:
			c.restAt = append(c.restAt, a)
		case next < len(s.params) && !s.params[next].named:
			c.at[next] = a
			next++
		case next == len(s.params) && s.span:
			next++
		case next == 0:
			c.fail(a, "", "%s takes no arguments, got %d", c.name(), len(args))
		default:
			c.fail(a, s.takes(), "%s takes at most %s, got %d", c.name(), count(next, "argument", "arguments"), len(args))
		}
	}
	kws := c.n.Keywords()
	for i := range kws {
		c.bindName(&kws[i])
	}
	for i := range s.params {
		if s.params[i].need && c.at[i] == nil {
			c.missing(i)
		}
	}
}

// bindName matches an argument that is given by name.
func (c *call) bindName(kw *syntax.Keyword) {
	s := c.sig
	for i := range s.params {
		switch p := &s.params[i]; {
		case i == s.rest || !p.called(kw.Name):
		case c.at[i] != nil:
			c.fail(kw.Value, "", "%s is given its argument %s twice", c.name(), kw.Name)
		default:
			c.at[i] = kw.Value
			return
		}
	}
	switch {
	case s.open || s.infos && isInfoName(kw.Name):
		c.extra = append(c.extra, *kw)
		return
	case kw.Name == "span" && s.operator == nil: // of the host program
		return
	case kw.Name == "dtype" && s.intrinsic != nil: // TVM ignores it, too
		return
	}
	var names []string
	for i := range s.params {
		if i != s.rest {
			names = append(names, s.params[i].name)
		}
	}
	c.failAt(kw.At, kw.End, did(kw.Name, names, "", s.takes()), "%s has no argument %s", c.name(), kw.Name)
}

// byName reports whether an argument is given by name.
func (c *call) byName(name string) bool {
	for _, kw := range c.n.Keywords() {
		if kw.Name == name {
			return true
		}
	}
	return false
}

// missing reports that an argument is not given.
func (c *call) missing(i int) {
	if k := c.sig.params[i].kind; k.what != "" {
		c.fail(c.n, k.help, "%s needs %s", c.name(), k.what)
	}
	c.fail(c.n, c.sig.takes(), "%s needs its argument %s", c.name(), c.sig.params[i].name)
}

// name returns what is called, for errors: methods with their receiver, as they are written.
func (c *call) name() string {
	if c.recv != nil && c.n.Kind == syntax.Call {
		fn := c.n.Kids[0]
		return c.src[fn.At:fn.End]
	}
	return c.sig.name
}

// spread replaces starred arguments by what they hold.
func (b *builder) spread(args []*syntax.Node) []*syntax.Node {
	star := false
	for _, a := range args {
		star = star || a.Kind == syntax.Star
	}
	if !star {
		return args
	}
	var out []*syntax.Node
	for _, a := range args {
		if a.Kind != syntax.Star {
			out = append(out, a)
			continue
		}
		for _, v := range b.values([]*syntax.Node{a}) {
			out = append(out, syntax.NewValue(a.At, a.End, v))
		}
	}
	return out
}
