package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// A history has a table of every function after every pass that changed it, so that its JSON is written by hand.

// rowSize and nameSize are how many bytes a row or a member of a set, and a name, take most often at most.
const (
	rowSize  = 16
	nameSize = 24
)

// Encode writes steps as JSON, a line for each: what Encode writes for two lists in a row is
// what it writes for both together.
func Encode(steps ...*Step) ([]byte, error) {
	size := 0
	for _, s := range steps {
		size += rowSize*s.Cells() + nameSize*(len(s.Names)+4*len(s.Functions)+4)
	}
	return Append(make([]byte, 0, size), steps...)
}

// Append appends to out what Encode writes, for callers that write step after step.
func Append(out []byte, steps ...*Step) ([]byte, error) {
	var err error
	for _, s := range steps {
		if out, err = s.append(out); err != nil {
			return nil, fmt.Errorf("encode the history of step %q: %w", s.Path, err)
		}
		out = append(out, '\n')
	}
	return out, nil
}

// append appends s as JSON.
func (s *Step) append(out []byte) ([]byte, error) {
	out = appendString(append(out, `{"path":`...), s.Path)
	out = appendString(append(out, `,"pass":`...), s.Pass)
	if len(s.Roots) > 0 {
		roots, err := encode(s.Roots)
		if err != nil {
			return nil, err
		}
		out = append(append(out, `,"roots":`...), roots...)
	}
	out = appendList(out, `,"names":`, s.Names, appendString)
	out = appendList(out, `,"sets":`, s.Sets, func(out []byte, set []uint32) []byte {
		if set == nil {
			return append(out, "null"...)
		}
		out = append(out, '[')
		for i, x := range set {
			out = strconv.AppendUint(comma(out, i), uint64(x), 10)
		}
		return append(out, ']')
	})
	out = appendList(out, `,"functions":`, s.Functions, func(out []byte, f Function) []byte { return f.append(out) })
	if s.Truncated {
		out = append(out, `,"truncated":true`...)
	}
	return append(out, '}'), nil
}

// append appends f as JSON.
func (f Function) append(out []byte) []byte {
	out = appendString(append(out, `{"name":`...), f.Name)
	if f.Gone {
		out = append(out, `,"gone":true`...)
	}
	if len(f.Rows) > 0 {
		out = f.Rows.append(append(out, `,"rows":`...))
	}
	if f.Unknown != 0 {
		out = strconv.AppendInt(append(out, `,"unknown":`...), int64(f.Unknown), 10)
	}
	return append(out, '}')
}

// append appends the columns as JSON.
func (r Rows) append(out []byte) []byte {
	kinds := make([]byte, len(r))
	for i, x := range r {
		kinds[i] = byte(x.Kind)
	}
	last := 0
	out = r.column(append(out, `{"lines":`...), func(x Row) (n int) { n, last = x.Line-last, x.Line; return n })
	out = appendString(append(out, `,"kinds":`...), string(kinds))
	out = r.column(append(out, `,"names":`...), func(x Row) int { return x.Name })
	out = r.column(append(out, `,"ops":`...), func(x Row) int { return x.Op })
	out = r.column(append(out, `,"sets":`...), func(x Row) int { return x.Set })
	return append(out, '}')
}

// column appends a number of each row, as a list.
func (r Rows) column(out []byte, of func(Row) int) []byte {
	out = append(out, '[')
	for i, x := range r {
		out = strconv.AppendInt(comma(out, i), int64(of(x)), 10)
	}
	return append(out, ']')
}

// appendList appends a field that is a list, unless that is empty.
func appendList[T any](out []byte, field string, list []T, item func([]byte, T) []byte) []byte {
	if len(list) == 0 {
		return out
	}
	out = append(append(out, field...), '[')
	for i, x := range list {
		out = item(comma(out, i), x)
	}
	return append(out, ']')
}

// comma appends what stands in front of item i of a list.
func comma(out []byte, i int) []byte {
	if i > 0 {
		return append(out, ',')
	}
	return out
}

// appendString appends s as JSON.
func appendString(out []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := encode(s) // a string always has a form
			return append(out, quoted...)
		}
	}
	return append(append(append(out, '"'), s...), '"')
}

// encode returns v as JSON, in which characters of HTML stand for themselves.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), err
}
