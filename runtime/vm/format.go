package vm

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
)

// render writes a value as Python's str does: tensors as numpy, strings as they are.
func render(s *runtime.Session, v runtime.Value) (string, error) {
	if str, ok := v.AsString(); ok {
		return str, nil
	}
	if t, ok := v.AsTensor(); ok {
		data, err := tensor.FromBytes(t.DType(), t.Shape(), t.Bytes(s))
		if err != nil {
			return "", err
		}
		return data.NumPy(), nil
	}
	if t, ok := v.AsTuple(); ok {
		parts, err := renderAll(s, t.Fields)
		return "(" + strings.Join(parts, ", ") + ")", err
	}
	if v.Kind() == runtime.KindBool {
		n, _ := v.AsInt()
		return [...]string{"False", "True"}[n], nil
	}
	return v.String(), nil
}

func renderAll(s *runtime.Session, args []runtime.Value) ([]string, error) {
	out := make([]string, len(args))
	var err error
	for i, v := range args {
		if out[i], err = render(s, v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// formatted writes values by a format, joined by sep where the format is empty.
func formatted(s *runtime.Session, format string, args []runtime.Value, sep string) (string, error) {
	texts, err := renderAll(s, args)
	if err != nil || format == "" {
		return strings.Join(texts, sep), err
	}
	return strFormat(format, texts)
}

// maxFormatted bounds the characters that a format adds around a value.
const maxFormatted = 1 << 16

// strFormat is Python's str.format with texts as arguments: fields {}, {0}, {!r}, {:>10} and
// {:.3}, and braces written twice.
func strFormat(format string, args []string) (string, error) {
	var out strings.Builder
	next, numbered, counted := 0, false, false
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c != '{' && c != '}' {
			out.WriteByte(c)
			continue
		}
		if i+1 < len(format) && format[i+1] == c {
			out.WriteByte(c)
			i++
			continue
		}
		if c == '}' {
			return "", fmt.Errorf("format %q: the '}' at %d closes nothing; write it twice for a brace", format, i)
		}
		end := strings.IndexByte(format[i:], '}')
		if end < 0 {
			return "", fmt.Errorf("format %q: the '{' at %d is never closed; write it twice for a brace", format, i)
		}
		field := format[i+1 : i+end]
		i += end
		field, spec, _ := strings.Cut(field, ":")
		name, conversion, converted := strings.Cut(field, "!")
		at := next
		if name == "" {
			next++
			counted = true
		} else {
			var err error
			if at, err = strconv.Atoi(name); err != nil || at < 0 {
				return "", fmt.Errorf("format %q: the field {%s} is neither {} nor a number", format, name)
			}
			numbered = true
		}
		if numbered && counted {
			return "", fmt.Errorf("format %q: fields with a number and without one cannot be mixed", format)
		}
		if at >= len(args) {
			return "", fmt.Errorf("format %q: there is no value %d: %d are given", format, at, len(args))
		}
		text := args[at]
		switch {
		case converted && conversion == "r":
			text = strconv.Quote(text)
		case converted && conversion != "s":
			return "", fmt.Errorf("format %q: unknown conversion !%s, expected !r or !s", format, conversion)
		}
		text, err := pad(text, spec)
		if err != nil {
			return "", fmt.Errorf("format %q: %w", format, err)
		}
		out.WriteString(text)
	}
	return out.String(), nil
}

// pad brings a text into the width and alignment of a specification [[fill]align][width][.most][s].
func pad(text, spec string) (string, error) {
	rest, fill, align := spec, " ", byte('<')
	if r, n := utf8.DecodeRuneInString(rest); n > 0 && r != utf8.RuneError && len(rest) > n && strings.IndexByte("<>^", rest[n]) >= 0 {
		fill, align, rest = rest[:n], rest[n], rest[n+1:]
	} else if rest != "" && strings.IndexByte("<>^", rest[0]) >= 0 {
		align, rest = rest[0], rest[1:]
	}
	rest = strings.TrimSuffix(rest, "s")
	wide, most, cut := strings.Cut(rest, ".")
	number := func(s string, needed bool) (int, error) {
		if s == "" && !needed {
			return 0, nil
		}
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil || n > maxFormatted {
			return 0, fmt.Errorf("%q is not a format of a string: expected an alignment, a width and .precision of at most %d", spec, maxFormatted)
		}
		return int(n), nil
	}
	width, err := number(wide, false)
	if err != nil {
		return "", err
	}
	if cut {
		n, err := number(most, true)
		if err != nil {
			return "", err
		}
		if runes := []rune(text); len(runes) > n {
			text = string(runes[:n])
		}
	}
	missing := max(width-utf8.RuneCountInString(text), 0)
	left := 0
	switch align {
	case '>':
		left = missing
	case '^':
		left = missing / 2
	}
	return strings.Repeat(fill, left) + text + strings.Repeat(fill, missing-left), nil
}
