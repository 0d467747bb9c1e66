package op

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// Error says why a call of an operator is wrong.
type Error struct {
	Op   string // operator
	Arg  string // argument or attribute that is wrong; empty if it is the call itself
	Want string // what was expected
	Got  string // what was given
}

// Error writes operator, argument, expectation and what was given on one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Arg != "" {
		b.WriteString(": " + e.Arg)
	}
	b.WriteString(": expected " + e.Want)
	if e.Got != "" {
		b.WriteString(", got " + e.Got)
	}
	return b.String()
}

// argName returns how argument i is called in messages.
func (c *InferContext) argName(i int) string {
	args := c.Op.Args
	if i >= len(args) {
		i = len(args) - 1
	}
	if i < 0 {
		return "arguments"
	}
	return "argument " + args[i].Name
}

// argErr is an error about argument i.
func (c *InferContext) argErr(i int, got, want string, a ...any) error {
	return &Error{Op: c.Op.Name, Arg: c.argName(i), Want: fmt.Sprintf(want, a...), Got: got}
}

// attrErr is an error about an attribute.
func (c *InferContext) attrErr(name, got, want string, a ...any) error {
	return &Error{Op: c.Op.Name, Arg: "attribute " + name, Want: fmt.Sprintf(want, a...), Got: got}
}

// callErr is an error about the call as a whole.
func (c *InferContext) callErr(got, want string, a ...any) error {
	return &Error{Op: c.Op.Name, Want: fmt.Sprintf(want, a...), Got: got}
}

// dims writes extents as (2, n, 3).
func dims(es []tir.Expr) string { return relax.FormatDims(es) }

// describe writes struct info for messages.
func describe(s relax.StructInfo) string { return relax.FormatSInfo(s) }
