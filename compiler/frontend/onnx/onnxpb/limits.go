package onnxpb

import (
	"fmt"
	"os"
)

// Limits bounds what a file may make the reader do. A zero field takes the default.
type Limits struct {
	FileBytes     int64 // length of the file: 2 GiB, protobuf's own bound
	Nodes         int   // nodes of all graphs and functions together: 200,000
	Depth         int   // nesting of messages: 64
	StringBytes   int   // length of one name, doc string or metadata value: 1 MiB
	Rank          int   // dimensions of one shape: 64
	Elements      int64 // elements of one tensor: 2^31
	Memory        int64 // bytes allocated for decoded messages: 64 MiB + twice the file
	ExternalBytes int64 // bytes read from external data files: 4 GiB
}

func (l Limits) withDefaults(fileBytes int) Limits {
	def(&l.FileBytes, 1<<31-1)
	def(&l.Nodes, 200_000)
	def(&l.Depth, 64)
	def(&l.StringBytes, 1<<20)
	def(&l.Rank, 64)
	def(&l.Elements, 1<<31)
	def(&l.Memory, 64<<20+2*int64(fileBytes))
	def(&l.ExternalBytes, 4<<30)
	return l
}

func def[T int | int64](p *T, v T) {
	if *p == 0 {
		*p = v
	}
}

// Options says how to read a file.
type Options struct {
	Limits Limits
	// External is the folder in which external tensor data may lie. With nil, a model
	// that refers to external data is refused.
	External *os.Root
}

// Error says what is wrong with a file and where.
type Error struct {
	Pos  int    // offset in the file
	Path string // message that is wrong: graph.node[12].attribute["pads"]; empty for the file itself
	Msg  string
	Err  error // cause, where there is one
}

// Error spells position, path and message on one line.
func (e *Error) Error() string {
	s := fmt.Sprintf("byte %d: ", e.Pos)
	if e.Path != "" {
		s += e.Path + ": "
	}
	s += e.Msg
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrLimit is the cause of every error that a limit made.
var ErrLimit = fmt.Errorf("the file exceeds a limit of the reader")

func errAt(pos int, format string, args ...any) *Error {
	return &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

func limitAt(pos int, format string, args ...any) *Error {
	return &Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Err: ErrLimit}
}

// under puts a message's place in its parent before the path of err.
func under(err *Error, seg string) *Error {
	if err == nil {
		return nil
	}
	switch {
	case err.Path == "":
		err.Path = seg
	default:
		err.Path = seg + "." + err.Path
	}
	return err
}

func index(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }
