package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/target"
)

// maxListed bounds the passes of a list that is written as text, and maxNested the sequences
// that are inside of each other.
const (
	maxListed = 1000
	maxNested = 8
)

// SyntaxError is an error in a list of passes.
type SyntaxError struct {
	Text     string
	Pos, End int // range of bytes that is wrong
	Err      error
}

// Column returns the place of the error in characters, from 1.
func (e *SyntaxError) Column() int { return utf8.RuneCountInString(e.Text[:e.Pos]) + 1 }

// Error writes the column and the error, and below it the list with the place marked.
func (e *SyntaxError) Error() string {
	text := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, e.Text)
	width := max(1, utf8.RuneCountInString(e.Text[e.Pos:e.End]))
	return fmt.Sprintf("column %d: %v\n    %s\n    %s%s", e.Column(), e.Err, text, strings.Repeat(" ", e.Column()-1), strings.Repeat("^", width))
}

// Unwrap returns the error.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Parse reads a list of passes as it is written on a command line: names separated by
// commas, each with the options that it is to have as a JSON object behind it, such as
//
//	FoldConstant,FuseOps{"fuse_opt_level": 2}
//
// A pipeline may stand for its passes, those for t, and finalize[A,B] is a sequence of that name
// that holds A and B. An option that is null keeps its default, or is what the pass says of it (pass.Option.Null). Every error is a *SyntaxError.
func Parse(text string, reg pass.Registry, t target.Target) ([]*pass.Pass, error) {
	p := &listParser{text: text, reg: reg, target: t}
	return p.list()
}

// listParser reads a list from pos on.
type listParser struct {
	text   string
	reg    pass.Registry
	target target.Target
	pos    int
	// count is the number of passes and sequences so far, open that of the sequences around pos.
	count, open int
}

// list reads items until the end of the text, or inside of a sequence until its end.
func (p *listParser) list() ([]*pass.Pass, error) {
	var out []*pass.Pass
	for {
		x, err := p.item()
		if err != nil {
			return nil, err
		}
		out = append(out, x)
		if p.count++; p.count > maxListed {
			return nil, p.fail(p.pos, p.pos, "more than %d passes", maxListed)
		}
		p.blanks()
		switch {
		case p.pos == len(p.text) && p.open == 0:
			return out, nil
		case p.pos < len(p.text) && p.text[p.pos] == ']' && p.open > 0:
			return out, nil
		case p.pos == len(p.text) || p.text[p.pos] != ',':
			return nil, p.unexpected()
		}
		p.pos++
	}
}

// sequence reads the passes of a sequence whose [ is at pos.
func (p *listParser) sequence(name string) (*pass.Pass, error) {
	start := p.pos
	if p.open == maxNested {
		return nil, p.fail(start, start+1, "sequences are nested more than %d deep", maxNested)
	}
	p.open++
	p.pos++
	list, err := p.list()
	if err != nil {
		return nil, err
	}
	p.open--
	p.pos++
	return pass.NewSequential(name, list...), nil
}

func (p *listParser) fail(pos, end int, format string, args ...any) error {
	return &SyntaxError{p.text, pos, end, fmt.Errorf(format, args...)}
}

func (p *listParser) blanks() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// unexpected is the error for what stands behind an item and is no comma.
func (p *listParser) unexpected() error {
	if p.pos == len(p.text) {
		return p.fail(p.pos, p.pos, "a sequence is never closed: a ] is missing")
	}
	_, n := utf8.DecodeRuneInString(p.text[p.pos:])
	if p.text[p.pos] == '(' {
		return p.fail(p.pos, p.pos+n, `options are written as a JSON object, e.g. FuseOps{"fuse_opt_level": 2}`)
	}
	return p.fail(p.pos, p.pos+n, "expected a comma or the end, got %q", p.text[p.pos:p.pos+n])
}

// item reads one pass with its options.
func (p *listParser) item() (*pass.Pass, error) {
	p.blanks()
	start := p.pos
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		if c != '.' && c != '_' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		p.pos++
	}
	name := p.text[start:p.pos]
	if name == "" {
		_, n := utf8.DecodeRuneInString(p.text[start:])
		return nil, p.fail(start, start+n, "expected the name of a pass")
	}
	if p.blanks(); p.pos < len(p.text) && p.text[p.pos] == '[' {
		return p.sequence(name)
	}
	found := p.reg.Lookup(name)
	if found == nil {
		found, _ = Lookup(name, p.target)
	}
	if found == nil {
		return nil, &SyntaxError{p.text, start, start + len(name), &pass.UnknownPassError{Name: name, Near: p.reg.Nearest(name)}}
	}
	if p.pos == len(p.text) || p.text[p.pos] != '{' {
		return found, nil
	}
	start = p.pos
	args, err := p.options()
	if err != nil {
		return nil, err
	}
	with, err := found.With(args)
	if err != nil {
		return nil, &SyntaxError{p.text, start, p.pos, err}
	}
	return with, nil
}

// options reads the JSON object at pos.
func (p *listParser) options() (*ir.Attrs, error) {
	start := p.pos
	dec := json.NewDecoder(strings.NewReader(p.text[start:]))
	dec.UseNumber()
	var fields map[string]any
	if err := dec.Decode(&fields); err != nil {
		at := len(p.text)
		var bad *json.SyntaxError
		if errors.As(err, &bad) && bad.Offset > 0 {
			at = min(start+int(bad.Offset)-1, at)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, p.fail(start, start+1, "the options are never closed: a } is missing")
		}
		return nil, p.fail(at, min(at+1, len(p.text)), `the options are no JSON object, e.g. {"fuse_opt_level": 2}: %w`, err)
	}
	p.pos = start + int(dec.InputOffset())
	var args *ir.Attrs
	for name, x := range fields {
		v, err := fromJSON(x)
		if err != nil {
			return nil, p.fail(start, p.pos, "option %s: %w", name, err)
		}
		args = args.With(name, v)
	}
	return args, nil
}

// fromJSON turns a value of JSON into one of an option.
func fromJSON(x any) (ir.Value, error) {
	switch x := x.(type) {
	case nil, bool, string:
		return x, nil
	case json.Number:
		if n, err := x.Int64(); err == nil {
			return n, nil
		}
		f, err := x.Float64()
		if err != nil || math.IsInf(f, 0) {
			return nil, fmt.Errorf("%s does not fit in 64 bits", x)
		}
		return f, nil
	case []any:
		out := make([]ir.Value, len(x))
		for i, e := range x {
			v, err := fromJSON(e)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	case map[string]any:
		var out *ir.Attrs
		for k, e := range x {
			v, err := fromJSON(e)
			if err != nil {
				return nil, err
			}
			out = out.With(k, v)
		}
		return out, nil
	}
	panic(fmt.Sprintf("pipeline: JSON value of type %T", x))
}
