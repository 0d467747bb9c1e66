package pass

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
)

// Kind says what a pass works on.
type Kind uint8

// The kinds of pass. A function pass sees each Relax function, a prim_func pass each
// PrimFunc, a dataflow_block pass each dataflow block of the Relax functions.
const (
	Module Kind = iota
	Function
	PrimFunc
	DataflowBlock
	Sequential
)

var kindNames = [...]string{"module", "function", "prim_func", "dataflow_block", "sequential"}

// String returns the name of the kind, one for every place where users see it, e.g. "prim_func".
func (k Kind) String() string { return kindNames[k] }

// RunFunc transforms a module. It returns m itself if it changes nothing.
type RunFunc func(c *Context, m *ir.Module) (*ir.Module, error)

// Pass is a transformation of modules, as a value. Passes are shared and must not change
// after they were built.
type Pass struct {
	Name     string   // PassInfo name, as TVM v0.23 spells it
	Level    int      // opt_level from which a Sequential runs it
	Required []string // passes that a Sequential runs before it, whatever the level
	Kind     Kind
	Doc      string // shown to users: what it does, in a few sentences
	// Lowering marks passes without which the module cannot be compiled; the others are
	// optional.
	Lowering bool
	// Without says what happens without a lowering pass, where that is not that code generation fails, in half a sentence.
	Without string

	// Needs are the forms that functions must have for the pass to change them, and Gives those that all
	// have after it. The constraints on the order of passes follow from them; what a pass needs is checked
	// when it has run, and verification checks what it gives.
	Needs []Need
	Gives []*Form
	// Breaks are forms that functions may lose.
	Breaks []*Form
	// Foreign marks what is not of this program: passes and edits of users. The others keep the forms of
	// functions; of what these keep nothing is known.
	Foreign bool

	Options []Option  // what can be set, with defaults, under TVM's parameter names
	Args    *ir.Attrs // values of options that differ from the default
	plain   *Pass     // the pass that With made this one of, nil where none did

	// What the pass reads besides its module and options. Reading more is an error, since
	// the reuse of earlier runs depends on it.
	Config      []string // config keys
	ReadsLevel  bool     // opt_level
	ReadsTarget bool     // target

	Run RunFunc
	// Inside, where not nil, returns Run for a pass that runs passes of its own making: wrap returns what is to run in place of each of them.
	Inside   func(wrap func(*Pass) *Pass) RunFunc
	Children []*Pass // of a Sequential
	// Title is what the step is called in full, and Line that of the user's script which asks for it; "" and 0 where there is nothing to say.
	Title string
	Line  int
	// Aside marks a child of a Sequential that was put behind another one without being part
	// of the pipeline: it has no number of its own, so that all others keep theirs.
	Aside bool
}

// ChildIDs returns the places of the children of a Sequential, as steps have them: the
// numbers from 1, and for a child that stands aside the number of the one before it with an e
// ("3e", and "3e2" for the second there; "0e" before the first).
func (p *Pass) ChildIDs() []string {
	ids := make([]string, len(p.Children))
	n, aside := 0, 0
	for i, c := range p.Children {
		if c.Aside {
			ids[i] = strconv.Itoa(n) + "e"
			if aside++; aside > 1 {
				ids[i] += strconv.Itoa(aside)
			}
			continue
		}
		aside = 0
		n++
		ids[i] = strconv.Itoa(n)
	}
	return ids
}

// Option declares a parameter of a pass. The type is that of Default.
type Option struct {
	Name    string
	Newer   string // what newer versions of TVM call it; "" is Name
	Default ir.Value
	// Elem is an example of the elements of an option that is a list; nil is any.
	Elem ir.Value
	// Or, if not nil, is a value of another type that the option takes too, such as a list of names where true means all. Elem then
	// belongs to the one of the two that is a list.
	Or ir.Value
	// Choices, where not empty, are the only values that the option takes.
	Choices []ir.Value
	// Null is what null, None in TVM, says; nil is the default.
	Null ir.Value
	Doc  string
}

// Type returns the name of the option's type: bool, int, float, str, list, list of str, dict.
func (o Option) Type() string {
	if o.Or != nil {
		return o.as(o.Default).Type() + " or " + o.as(o.Or).Type()
	}
	if o.Elem != nil {
		return "list of " + typeName(o.Elem)
	}
	return typeName(o.Default)
}

// as is the option with values of the type of def alone.
func (o Option) as(def ir.Value) Option {
	if _, list := ir.Normalize(def).([]ir.Value); !list {
		o.Elem = nil
	}
	o.Default, o.Or = def, nil
	return o
}

// coerce returns v as a value of the option.
func (o Option) coerce(v ir.Value) (ir.Value, bool) {
	if o.Or != nil {
		if x, ok := o.as(o.Default).coerce(v); ok {
			return x, true
		}
		return o.as(o.Or).coerce(v)
	}
	v, ok := coerce(ir.Normalize(o.Default), v)
	list, isList := v.([]ir.Value)
	if !ok || !isList || o.Elem == nil {
		return v, ok
	}
	out := make([]ir.Value, len(list))
	for i, x := range list {
		if out[i], ok = coerce(ir.Normalize(o.Elem), x); !ok {
			return v, false
		}
	}
	return out, true
}

// allows reports whether a value, which has the type of the option, is one of its choices.
func (o Option) allows(v ir.Value) bool {
	return slices.ContainsFunc(o.Choices, func(c ir.Value) bool {
		c, ok := coerce(ir.Normalize(o.Default), c)
		return ok && c == v
	})
}

// With returns the pass with options set; one that is nil keeps its value, or gets that of Null. An unknown option, a value of the
// wrong type or one that is no choice is a *OptionError.
func (p *Pass) With(args *ir.Attrs) (*Pass, error) {
	merged := p.Args
	for i := range args.Len() {
		name, v := args.At(i)
		opt := p.option(name)
		if opt == nil {
			return nil, &OptionError{Pass: p.Name, Option: name, Known: p.optionNames()}
		}
		if v == nil {
			v = opt.Null
		}
		if v == nil {
			continue
		}
		x, ok := opt.coerce(v)
		if !ok {
			return nil, &OptionError{Pass: p.Name, Option: name, Want: opt.Type(), Got: v}
		}
		if len(opt.Choices) > 0 && !opt.allows(x) {
			return nil, &OptionError{Pass: p.Name, Option: name, Choices: opt.Choices, Got: v}
		}
		merged = merged.With(opt.Name, x)
	}
	out := *p
	out.Args, out.plain = merged, p.Plain()
	return &out, nil
}

// Plain returns the pass without what With has set.
func (p *Pass) Plain() *Pass {
	if p.plain != nil {
		return p.plain
	}
	return p
}

func (p *Pass) option(name string) *Option {
	for i := range p.Options {
		if o := p.Options[i]; o.Name == name || o.Newer != "" && o.Newer == name {
			return &p.Options[i]
		}
	}
	return nil
}

func (p *Pass) optionNames() []string {
	names := make([]string, len(p.Options))
	for i, o := range p.Options {
		names[i] = o.Name
	}
	return names
}

// Arg returns the value of an option: what was set, else the default. It panics on an
// option that the pass does not declare.
func (p *Pass) Arg(name string) ir.Value {
	if v, ok := p.Args.Get(name); ok {
		return v
	}
	o := p.option(name)
	if o == nil {
		panic(fmt.Sprintf("pass %s reads option %q, which it does not declare", p.Name, name))
	}
	return ir.Normalize(o.Default)
}

// String describes the pass as TVM prints a PassInfo.
func (p *Pass) String() string {
	return fmt.Sprintf("PassInfo(name=%q, opt_level=%d, required=%q, kind=%s)", p.Name, p.Level, p.Required, p.Kind)
}

// NewSequential returns a pass that runs children in order, filtered by the context's
// levels and names. An empty name is "sequential".
func NewSequential(name string, children ...*Pass) *Pass {
	if name == "" {
		name = "sequential"
	}
	return &Pass{Name: name, Kind: Sequential, Children: children}
}

// NewModulePass returns a pass over whole modules. A nil run or an empty name is an error.
func NewModulePass(name string, level int, run RunFunc, required ...string) (*Pass, error) {
	return newPass(name, level, Module, run != nil, run, required)
}

func newPass(name string, level int, kind Kind, callable bool, run RunFunc, required []string) (*Pass, error) {
	if !callable {
		return nil, &TypeError{What: fmt.Sprintf("%s pass %q", kind, name), Want: "a function", Got: "nil"}
	}
	if name == "" {
		return nil, &ValueError{What: fmt.Sprintf("a %s pass", kind), Want: "a name"}
	}
	if level < 0 {
		return nil, &ValueError{What: fmt.Sprintf("%s pass %q", kind, name), Want: "an opt_level of 0 or more"}
	}
	return &Pass{Name: name, Level: level, Kind: kind, Required: required, Run: run, Foreign: true}, nil
}
