package ir

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// StepKind says what a step of a Path does.
type StepKind uint8

// The kinds of step.
const (
	StepField StepKind = iota // the field called Name
	StepIndex                 // entry Index of a list
	StepKey                   // the entry called Name of a dictionary
)

// Step is one step of a Path.
type Step struct {
	Kind  StepKind
	Name  string
	Index int
}

// FieldStep is the step to the field called name.
func FieldStep(name string) Step { return Step{Kind: StepField, Name: name} }

// IndexStep is the step to entry i of a list.
func IndexStep(i int) Step { return Step{Kind: StepIndex, Index: i} }

// KeyStep is the step to the entry called key of a dictionary.
func KeyStep(key string) Step { return Step{Kind: StepKey, Name: key} }

// Path says how to get from a module or a node to something in it, such as
//
//	functions["main"].body.blocks[0].bindings[2].value.args[1]
//
// Fields have the names of the schema. A module has the fields functions (by name), attrs and
// global_infos (lists by kind). The empty path is the root itself.
type Path []Step

// String writes p in the form that ParsePath reads. Two paths are the same if and only if
// their strings are.
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch s.Kind {
		case StepField:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Name)
		case StepIndex:
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(s.Index))
			b.WriteByte(']')
		case StepKey:
			b.WriteByte('[')
			b.WriteString(strconv.Quote(s.Name))
			b.WriteByte(']')
		}
	}
	return b.String()
}

// ParsePath reads a path. Keys stand in double quotes with the escapes of Go, or in single
// quotes without any. An error gives the column, counted in bytes from 1.
func ParsePath(s string) (Path, error) {
	p := pathParser{src: s}
	var out Path
	for p.pos < len(s) {
		step, err := p.step(len(out) == 0)
		if err != nil {
			return nil, err
		}
		out = append(out, step)
	}
	return out, nil
}

type pathParser struct {
	src string
	pos int
}

func (p *pathParser) fail(format string, args ...any) error {
	return fmt.Errorf("path, column %d: %s", p.pos+1, fmt.Sprintf(format, args...))
}

// here names what stands at the current position.
func (p *pathParser) here() string {
	if p.pos >= len(p.src) {
		return "the end"
	}
	for _, r := range p.src[p.pos:] {
		return strconv.QuoteRune(r)
	}
	return ""
}

func (p *pathParser) step(first bool) (Step, error) {
	switch c := p.src[p.pos]; {
	case c == '[':
		p.pos++
		return p.subscript()
	case first:
	case c == '.':
		p.pos++
	default:
		return Step{}, p.fail("expected '.' or '[', found %s", p.here())
	}
	start := p.pos
	for p.pos < len(p.src) && isNameByte(p.src[p.pos], p.pos > start) {
		p.pos++
	}
	if p.pos == start {
		want := "a field name"
		if first {
			want = "a field name or '['"
		}
		return Step{}, p.fail("expected %s, found %s", want, p.here())
	}
	return FieldStep(p.src[start:p.pos]), nil
}

func isNameByte(c byte, digits bool) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || digits && '0' <= c && c <= '9'
}

// subscript reads what follows "[", with the bracket that closes it.
func (p *pathParser) subscript() (Step, error) {
	var out Step
	rest := p.src[p.pos:]
	switch {
	case rest != "" && rest[0] == '"':
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return out, p.fail("expected a key in double quotes, found one that is not closed or has an invalid escape")
		}
		key, err := strconv.Unquote(quoted)
		if err != nil {
			return out, p.fail("expected a key in double quotes: %v", err)
		}
		out = KeyStep(key)
		p.pos += len(quoted)
	case rest != "" && rest[0] == '\'':
		end := strings.IndexByte(rest[1:], '\'')
		if end < 0 {
			return out, p.fail("expected a key in quotes, found one that is not closed")
		}
		out = KeyStep(rest[1 : 1+end])
		p.pos += end + 2
	default:
		digits := 0
		for digits < len(rest) && '0' <= rest[digits] && rest[digits] <= '9' {
			digits++
		}
		if digits == 0 {
			return out, p.fail("expected an index or a key in quotes, found %s", p.here())
		}
		i, err := strconv.Atoi(rest[:digits])
		if err != nil {
			return out, p.fail("expected an index of at most %d, found %.20s", math.MaxInt, rest[:digits])
		}
		out = IndexStep(i)
		p.pos += digits
	}
	if p.pos >= len(p.src) || p.src[p.pos] != ']' {
		return out, p.fail("expected ']', found %s", p.here())
	}
	p.pos++
	return out, nil
}
