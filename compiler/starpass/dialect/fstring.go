package dialect

import (
	"strings"

	"go.starlark.net/syntax"

	py "github.com/irscope/irscope/compiler/script/syntax"
)

// fields appends the parts of an f-string: its texts as literals, and what stands in braces as expressions.
func (p *parser) fields(parts []syntax.Expr, t *token, raw bool) []syntax.Expr {
	from := strings.IndexAny(t.text, `"'`)
	q := 1
	if s := t.text[from:]; len(s) >= 6 && s[1] == s[0] && s[2] == s[0] {
		q = 3
	}
	if len(t.text) < from+2*q {
		p.fail(t.pos, "this string is not closed")
	}
	f := &fstring{p: p, t: t, raw: raw, at: int(t.at) + from + q, end: int(t.at) + len(t.text) - q}
	out := f.read(parts, false)
	if f.at < f.end {
		p.fail(f.pos(f.at), "a single } in an f-string: write }}")
	}
	return out
}

// fstring is an f-string that is being read: the source from at to end.
type fstring struct {
	p       *parser
	t       *token
	raw     bool
	at, end int
}

func (f *fstring) pos(at int) syntax.Position { return f.p.place(at) }

// read appends texts and fields, up to the end or, in the specification of a field, to the brace that closes it.
func (f *fstring) read(parts []syntax.Expr, inside bool) []syntax.Expr {
	src := f.p.src
	var b strings.Builder
	start := f.at
	flush := func() {
		if b.Len() > 0 {
			s := b.String()
			if !f.raw {
				s = py.Unescape(s)
			}
			parts = append(parts, text(f.pos(start), s))
			b.Reset()
		}
	}
	for f.at < f.end {
		c := src[f.at]
		switch {
		case (c == '{' || c == '}') && f.at+1 < f.end && src[f.at+1] == c && !inside:
			b.WriteByte(c)
			f.at += 2
		case c == '{':
			flush()
			parts = append(parts, f.field())
			start = f.at
		case c == '}':
			flush()
			return parts
		case c == '\\' && f.at+1 < f.end && !f.raw:
			b.WriteString(src[f.at : f.at+2])
			f.at += 2
		default:
			b.WriteByte(c)
			f.at++
		}
	}
	flush()
	return parts
}

// field reads {expression=!r:specification}.
func (f *fstring) field() syntax.Expr {
	p, src := f.p, f.p.src
	p.enter()
	defer p.leave()
	open := f.at
	f.at++
	end := f.exprEnd()
	x := f.expr(f.at, end)
	spelled := src[f.at:end]
	f.at = end
	shows := false
	if f.at < f.end && src[f.at] == '=' {
		shows = true
		f.at++
	}
	conversion := ""
	if shows {
		conversion = "r"
	}
	if f.at+1 < f.end && src[f.at] == '!' {
		conversion = src[f.at+1 : f.at+2]
		if !strings.Contains("rsa", conversion) {
			p.fail(f.pos(f.at), "!%s in an f-string: expected !r or !s", conversion)
		}
		f.at += 2
	}
	var spec syntax.Expr = text(f.pos(open), "")
	if f.at < f.end && src[f.at] == ':' {
		f.at++
		if parts := f.read(nil, true); len(parts) == 1 {
			spec = parts[0]
		} else if len(parts) > 1 {
			spec = call(Join, f.pos(open), parts...)
		}
	}
	if f.at >= f.end || src[f.at] != '}' {
		p.fail(f.pos(open), "this brace of the f-string is never closed")
	}
	f.at++
	out := syntax.Expr(call(Format, f.pos(open), x, text(f.pos(open), conversion), spec))
	if shows {
		out = call(Join, f.pos(open), text(f.pos(open), spelled+"="), out)
	}
	return out
}

// exprEnd returns where the expression of a field ends.
func (f *fstring) exprEnd() int {
	src := f.p.src
	depth := 0
	for i := f.at; i < f.end; i++ {
		switch c := src[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				return i
			}
			depth--
		case '"', '\'':
			n := strings.IndexByte(src[i+1:f.end], c)
			if n < 0 {
				f.p.fail(f.pos(i), "this string inside of an f-string is not closed")
			}
			i += n + 1
		case '!':
			if depth == 0 && (i+1 >= f.end || src[i+1] != '=') {
				return i
			}
		case ':':
			if depth == 0 {
				return i
			}
		case '=':
			if depth > 0 || i == f.at {
				continue
			}
			if src[i+1] == '=' { // a comparison
				i++
				continue
			}
			if strings.IndexByte("<>!=", src[i-1]) < 0 {
				return i
			}
		}
	}
	f.p.fail(f.pos(f.at-1), "this brace of the f-string is never closed")
	return 0
}

// expr reads the expression between two offsets.
func (f *fstring) expr(from, end int) syntax.Expr {
	p := f.p
	errs := &py.Errors{Source: py.NewSource(*p.file, "("+p.src[from:end]+")")}
	list := py.Tokens(errs)
	if errs.Failed() {
		p.fail(f.pos(from), "in the f-string: %s", errs.List[0].Message)
	}
	toks, at := p.toks, p.at
	p.toks = make([]token, 0, len(list))
	for _, t := range list[1:] { // without the parenthesis, in which lines do not end
		t.At, t.End = t.At-1, t.End-1
		if t.End > int32(end-from) { // the closing one
			t.At, t.End, t.Kind = int32(end-from), int32(end-from), py.EOFToken
		}
		p.toks = append(p.toks, p.tokens([]py.Token{t}, from)...)
		if t.Kind == py.EOFToken {
			break
		}
	}
	p.at = 0
	x := p.exprs()
	if !p.is(py.EOFToken) {
		p.fail(p.pos(), "expected the end of the field of the f-string, got %s", p.what())
	}
	p.toks, p.at = toks, at
	return x
}
