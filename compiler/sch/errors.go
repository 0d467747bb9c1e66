package sch

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// Error is what a primitive says that cannot be applied: TVM's ScheduleError.
type Error struct {
	// Class is the name of TVM's class, as "NotOnlyChildError".
	Class string
	// Primitive is the method that failed, as "reorder"; the Schedule that called it sets it.
	Primitive string
	// Message says why; {0} and {1} stand for the statements in At.
	Message string
	At      []ir.Node
	mod     *ir.Module
}

// fail returns an error about statements of the state.
func (s *State) fail(class, message string, at ...ir.Node) *Error {
	return &Error{Class: class, Message: message, At: at, mod: s.mod}
}

// Short returns the message on one line, with the names of blocks and loops.
func (e *Error) Short() string {
	msg := e.Message
	for i, n := range e.At {
		msg = strings.ReplaceAll(msg, fmt.Sprintf("{%d}", i), nameOf(n))
	}
	return msg
}

// nameOf names a statement in a sentence.
func nameOf(n ir.Node) string {
	switch n := n.(type) {
	case *tir.Block:
		return fmt.Sprintf("%q", n.Name)
	case *tir.For:
		return n.LoopVar.Name
	case *tir.Buffer:
		return n.Name
	}
	return ir.TypeName(n)
}

// Error returns TVM's report: the module with the places underlined, and the message, in which places go by the names that comments give them.
func (e *Error) Error() string {
	o := script.Options{NoSyntaxSugar: true, Annotate: map[ir.Node]string{}}
	msg := e.Message
	for i, n := range e.At {
		name := fmt.Sprintf("%s#%d", ir.TypeName(n), i)
		o.Annotate[n] = name
		o.Underline = append(o.Underline, n)
		msg = strings.ReplaceAll(msg, fmt.Sprintf("{%d}", i), name)
	}
	return fmt.Sprintf("ScheduleError: An error occurred in the schedule primitive '%s'.\n\nThe IR with diagnostic is:\n%s\nError message: %s",
		e.Primitive, script.Module(e.mod, o).Source, msg)
}
