package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Form says what an argument of an instruction may be.
type Form uint8

// The forms.
const (
	// BlockForm is a *Block; callers may give the name of one.
	BlockForm Form = iota
	// LoopForm is a *Loop.
	LoopForm
	// RefForm is a *Block or a *Loop.
	RefForm
	// LoopsForm is a []*Loop: all the arguments by position from there on, or a list.
	LoopsForm
	// BlocksForm is a []*Block.
	BlocksForm
	// FactorsForm is a []tir.Expr of which entries may be nil.
	FactorsForm
	// IntForm is an int64, BoolForm a bool, StringForm a string.
	IntForm
	BoolForm
	StringForm
	// IntsForm is a []int64.
	IntsForm
	// FloatsForm is a []float64.
	FloatsForm
	// ValueForm is a value of an attribute.
	ValueForm
	// BufferForm is the index of a buffer among those that the block reads or writes, its name, or a pair such as ("write", 0).
	BufferForm
	// MapForm is a *tir.IndexMap or a function that makes one.
	MapForm
	// PadForm is a value, or a function from indices to one, that stands at padded places; it may be nil.
	PadForm
	// RangesForm is a function from the variables of a block to ranges, or what came of it.
	RangesForm
	// TargetForm is a *Loop or a []*Block.
	TargetForm
)

// Param is a parameter of an instruction.
type Param struct {
	Name string
	// Alias is another name that callers may use.
	Alias string
	Form  Form
	// Optional parameters have the value Default where they are not given; nil is None.
	Optional bool
	Default  any
	// Attr says that traces hold the argument among the attributes of the instruction and not among its inputs.
	Attr bool
	// Untraced arguments are for the call alone.
	Untraced bool
	// Pair says of a BufferForm that it names the side of the block, too.
	Pair bool
}

// Outputs says what an instruction returns.
type Outputs uint8

// The three kinds of output.
const (
	None Outputs = iota
	One
	List
)

// Kind is a kind of instruction: a primitive as scripts and traces know it. A kind is made by a row of the table in Kinds.
type Kind struct {
	// Name is that in traces, as "GetBlock"; Method that of scripts, as "get_block", Alias another one.
	Name, Method, Alias string
	Params              []Param
	Outputs             Outputs
	// Pure instructions do not change the module.
	Pure bool
	// overViews says that the primitive holds of programs that access buffers through views, too: buffers that are declared over the memory of others.
	overViews bool
	// prepare turns arguments into what traces hold, which depends on the program; nil if there is nothing to turn.
	prepare func(*State, *Call) error
	apply   func(*State, *Call) (*State, []any, error)
}

// Call is a call of an instruction: one argument for each parameter of the kind, and what it decided at random.
type Call struct {
	Kind     *Kind
	Args     []any
	Decision any
	// fn is the function that the schedule works on, rand its random numbers.
	fn     string
	rand   *random
	intrin Intrinsics
	// after is what is called after it, where its arguments say more than the instruction holds.
	after *laterCall
}

// laterCall is a call by the name of the instruction.
type laterCall struct {
	name string
	args []any
}

func (c *Call) block(i int) *Block    { return c.Args[i].(*Block) }
func (c *Call) loop(i int) *Loop      { return c.Args[i].(*Loop) }
func (c *Call) loops(i int) []*Loop   { return c.Args[i].([]*Loop) }
func (c *Call) blocks(i int) []*Block { x, _ := c.Args[i].([]*Block); return x }
func (c *Call) int(i int) int         { return int(c.Args[i].(int64)) }
func (c *Call) bool(i int) bool       { return c.Args[i].(bool) }
func (c *Call) str(i int) string      { x, _ := c.Args[i].(string); return x }

// pair returns the side and index of a buffer.
func (c *Call) pair(i int) (string, int) {
	p := c.Args[i].([]any)
	return p[0].(string), int(p[1].(int64))
}

func (c *Call) ints(i int) []int {
	var out []int
	for _, x := range c.Args[i].([]int64) {
		out = append(out, int(x))
	}
	return out
}

func (c *Call) factors(i int) []tir.Expr { return slices.Clone(c.Args[i].([]tir.Expr)) }

// value returns an annotation as attributes hold it.
func (c *Call) value(i int) ir.Value { return c.Args[i] }

// outs turns what a primitive returns into the results of its apply.
func outs[T any](s *State, list []T, err error) (*State, []any, error) {
	if err != nil {
		return nil, nil, err
	}
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = x
	}
	return s, out, nil
}

func out1[T any](s *State, x T, err error) (*State, []any, error) { return outs(s, []T{x}, err) }

func out0(s *State, err error) (*State, []any, error) { return outs[any](s, nil, err) }

// shorthand for rows of the table
func in(name string, f Form) Param { return Param{Name: name, Form: f} }

func attr(name string, f Form) Param { return Param{Name: name, Form: f, Attr: true} }

func opt(name string, f Form, def any) Param {
	return Param{Name: name, Form: f, Attr: true, Optional: true, Default: def}
}

func optIn(name string, f Form, def any) Param {
	return Param{Name: name, Form: f, Optional: true, Default: def}
}
