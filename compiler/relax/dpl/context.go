package dpl

import (
	"fmt"
	"slices"
)

// Context holds how patterns are related that match different values of a block: TVM's PatternContext. Match finds a value for each.
//
//	ctx := dpl.NewContext()
//	conv, relu := dpl.OpVarArgs("relax.nn.conv2d"), dpl.OpVarArgs("relax.nn.relu")
//	ctx.OnlyUsedBy(dpl.Sequence(conv), dpl.Sequence(relu), dpl.AnyOperand)
type Context struct {
	sources []Pattern // those that something uses, in the order in which that was said
	edges   map[Pattern][]edge
	shapes  [][]Pattern // whose shapes are the same
}

// AnyOperand says that it does not matter as which operand a value is used.
const AnyOperand = -1

// edge says by what a value is used.
type edge struct {
	to    Pattern
	rules []rule
}

// rule is one relation of two values: the second uses the first, as operand index or any, and with only nothing else does.
type rule struct {
	only  bool
	index int
}

// NewContext returns a context in which nothing is related.
func NewContext() *Context { return &Context{edges: map[Pattern][]edge{}} }

// Incremental returns a new context with the relations of c.
func (c *Context) Incremental() *Context {
	out := NewContext()
	out.sources, out.shapes = slices.Clone(c.sources), slices.Clone(c.shapes)
	for p, list := range c.edges {
		for _, e := range list {
			out.edges[p] = append(out.edges[p], edge{e.to, slices.Clone(e.rules)})
		}
	}
	return out
}

// relate says that what b matches uses what a matches. To say the same twice is an error.
func (c *Context) relate(a, b Pattern, r rule) error {
	if !slices.Contains(c.sources, a) {
		c.sources = append(c.sources, a)
	}
	for i, e := range c.edges[a] {
		if e.to != b {
			continue
		}
		if slices.Contains(e.rules, r) {
			return fmt.Errorf("that one pattern is used by the other was said before")
		}
		c.edges[a][i].rules = append(e.rules, r)
		return nil
	}
	c.edges[a] = append(c.edges[a], edge{b, []rule{r}})
	return nil
}

// Operands says that the patterns of the operands of p, if it is a pattern of a call, match values that it uses, and so on.
func (c *Context) Operands(p Pattern) error {
	call, ok := p.(*call)
	if !ok {
		return nil
	}
	for i, a := range call.args {
		if err := c.Operands(a); err != nil {
			return err
		}
		if err := c.relate(a, p, rule{index: i}); err != nil {
			return err
		}
	}
	return nil
}

// SameShape says that the values which these match have the same shape.
func (c *Context) SameShape(list ...Pattern) { c.shapes = append(c.shapes, list) }

// Seq is a sequence of patterns of which each is used by the next.
type Seq struct {
	Patterns []Pattern
	rules    []rule // between each and the next
}

// Sequence returns the patterns as a sequence; that each is used by the next is said when it is joined with another one, or to a context by Add.
func Sequence(list ...Pattern) Seq {
	return Seq{list, slices.Repeat([]rule{{index: AnyOperand}}, max(len(list)-1, 0))}
}

// OnlyUsed is s with each value used by nothing but the next.
func (s Seq) OnlyUsed() Seq {
	out := Seq{s.Patterns, slices.Clone(s.rules)}
	for i := range out.rules {
		out.rules[i].only = true
	}
	return out
}

// UsedBy says that the last value of a is used by the first of b, as operand index or AnyOperand, and returns both as one sequence.
func (c *Context) UsedBy(a, b Seq, index int) (Seq, error) { return c.join(a, b, rule{index: index}) }

// OnlyUsedBy is UsedBy where nothing else in the block uses the value.
func (c *Context) OnlyUsedBy(a, b Seq, index int) (Seq, error) {
	return c.join(a, b, rule{only: true, index: index})
}

// join says it to c, if that is not nil.
func (c *Context) join(a, b Seq, r rule) (Seq, error) {
	if c != nil {
		if err := c.relate(a.Patterns[len(a.Patterns)-1], b.Patterns[0], r); err != nil {
			return Seq{}, err
		}
	}
	return Seq{slices.Concat(a.Patterns, b.Patterns), slices.Concat(a.rules, []rule{r}, b.rules)}, nil
}

// Dup returns a sequence of copies of the patterns, which match other values, and says to c, if that is not nil, how they are related.
func (s Seq) Dup(c *Context) (Seq, error) {
	out := Seq{rules: s.rules}
	for i, p := range s.Patterns {
		out.Patterns = append(out.Patterns, Dup(p))
		if i > 0 && c != nil {
			if err := c.relate(out.Patterns[i-1], out.Patterns[i], s.rules[i-1]); err != nil {
				return Seq{}, err
			}
		}
	}
	return out, nil
}

// Dup returns a pattern like p that is another one. What it is made of is shared.
func Dup(p Pattern) Pattern {
	switch p := p.(type) {
	case *wildcard:
		return copied(p)
	case *operator:
		return copied(p)
	case *exact:
		return copied(p)
	case *variable:
		return copied(p)
	case *local:
		return copied(p)
	case *global:
		return copied(p)
	case *extern:
		return copied(p)
	case *constant:
		return copied(p)
	case *call:
		return copied(p)
	case *tuple:
		return copied(p)
	case *anyOrder:
		return copied(p)
	case *getItem:
		return copied(p)
	case *function:
		return copied(p)
	case *shapeOf:
		return copied(p)
	case *hasAttrs:
		return copied(p)
	case *hasShape:
		return copied(p)
	case *hasDType:
		return copied(p)
	case *hasInfo:
		return copied(p)
	case *or:
		return copied(p)
	case *and:
		return copied(p)
	case *not:
		return copied(p)
	}
	panic(fmt.Sprintf("dpl: no pattern is a %T", p))
}

func copied[T any](p *T) *T {
	out := *p
	return &out
}
