package starpass

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// formatBuiltin is (format)(value, conversion, specification): the text of a field of an f-string.
func formatBuiltin(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	r := runOf(t)
	v, conversion, spec := args[0], string(args[1].(starlark.String)), string(args[2].(starlark.String))
	if err := r.spelled("f-string", v); err != nil {
		return nil, err
	}
	if conversion != "" {
		text := v.String()
		if s, ok := starlark.AsString(v); ok {
			text = s
			if conversion != "s" {
				text = syntax.Quote(s, false)
			}
		}
		v = starlark.String(text)
	}
	text, err := formatted(v, spec)
	if err != nil {
		return nil, err
	}
	return r.result(starlark.String(text))
}

// joinBuiltin is (join)(parts...).
func joinBuiltin(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	r := runOf(t)
	if err := r.spelled("f-string", args...); err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, a := range args {
		s, _ := starlark.AsString(a)
		b.WriteString(s)
	}
	return r.result(starlark.String(b.String()))
}

// maxWidth bounds the width and precision of a field.
const maxWidth = 1000

// formatted returns a value in Python's format specification: [[fill]align][sign][#][0][width][,][.precision][type].
func formatted(v starlark.Value, spec string) (string, error) {
	plain := func() string {
		if s, ok := starlark.AsString(v); ok {
			return s
		}
		return v.String()
	}
	if spec == "" {
		return plain(), nil
	}
	f := formatSpec{fill: " "}
	if err := f.read(spec); err != nil {
		return "", err
	}
	body, isNumber := "", false
	switch x := v.(type) {
	case starlark.Int:
		isNumber = true
		switch f.kind {
		case 0, 'd', 'n':
			body = x.String()
		case 'x', 'X', 'o', 'b', 'c':
			body = fmt.Sprintf("%"+string(f.kind), x.BigInt())
		default:
			n, _ := starlark.AsFloat(x)
			body = f.float(n)
		}
	case starlark.Float:
		isNumber = true
		if f.kind == 'd' || f.kind == 'x' {
			return "", fmt.Errorf("f-string: format %q is for integers, got a float", spec)
		}
		if f.kind == 0 && f.precision < 0 {
			body = x.String()
		} else {
			body = f.float(float64(x))
		}
	default:
		body = plain()
		if f.kind != 0 && f.kind != 's' {
			return "", fmt.Errorf("f-string: format %q is for numbers, got %s", spec, describe(v))
		}
		if f.precision >= 0 && utf8.RuneCountInString(body) > f.precision {
			body = string([]rune(body)[:f.precision])
		}
	}
	return f.pad(body, isNumber), nil
}

type formatSpec struct {
	fill      string
	align     byte // of <, >, ^ and =; 0 for that of the value
	sign      byte
	comma     bool
	width     int
	precision int // -1 for none
	kind      byte
}

func (f *formatSpec) read(s string) error {
	whole := s
	bad := fmt.Errorf("f-string: %q is not a format specification", whole)
	isAlign := func(c byte) bool { return strings.IndexByte("<>^=", c) >= 0 }
	_, n := utf8.DecodeRuneInString(s)
	switch {
	case len(s) > n && isAlign(s[n]):
		f.fill, f.align, s = s[:n], s[n], s[n+1:]
	case isAlign(s[0]):
		f.align, s = s[0], s[1:]
	}
	if s != "" && strings.IndexByte("+- ", s[0]) >= 0 {
		f.sign, s = s[0], s[1:]
	}
	s = strings.TrimPrefix(s, "#")
	if strings.HasPrefix(s, "0") && f.align == 0 {
		f.fill, f.align, s = "0", '=', s[1:]
	}
	number := func() (n int, err error) {
		for s != "" && s[0] >= '0' && s[0] <= '9' {
			n = n*10 + int(s[0]-'0')
			s = s[1:]
			if n > maxWidth {
				return 0, fmt.Errorf("f-string: a width or precision of more than %d", maxWidth)
			}
		}
		return n, nil
	}
	var err error
	if f.width, err = number(); err != nil {
		return err
	}
	if s != "" && (s[0] == ',' || s[0] == '_') {
		f.comma, s = true, s[1:]
	}
	f.precision = -1
	if strings.HasPrefix(s, ".") {
		s = s[1:]
		if s == "" || s[0] < '0' || s[0] > '9' {
			return bad
		}
		if f.precision, err = number(); err != nil {
			return err
		}
	}
	if s != "" && strings.IndexByte("bcdeEfFgGnosxX%", s[0]) >= 0 {
		f.kind, s = s[0], s[1:]
	}
	if s != "" {
		return bad
	}
	return nil
}

func (f *formatSpec) float(x float64) string {
	p, kind := f.precision, f.kind
	if kind == 0 || kind == 'n' {
		kind = 'g'
	}
	if p < 0 {
		p = 6
	}
	if kind == '%' {
		return fmt.Sprintf("%.*f%%", p, x*100)
	}
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return strings.ToLower(strings.TrimPrefix(fmt.Sprint(x), "+"))
	}
	return fmt.Sprintf("%.*"+string(kind), p, x)
}

func (f *formatSpec) pad(body string, isNumber bool) string {
	sign := ""
	if isNumber {
		if strings.HasPrefix(body, "-") {
			sign, body = "-", body[1:]
		} else if f.sign == '+' || f.sign == ' ' {
			sign = string(f.sign)
		}
		if f.comma {
			digits, rest := body, ""
			if i := strings.IndexAny(body, ".e%"); i >= 0 {
				digits, rest = body[:i], body[i:]
			}
			for i := len(digits) - 3; i > 0; i -= 3 {
				digits = digits[:i] + "," + digits[i:]
			}
			body = digits + rest
		}
	}
	n := f.width - utf8.RuneCountInString(sign+body)
	if n <= 0 {
		return sign + body
	}
	align := f.align
	if align == 0 {
		align = '<'
		if isNumber {
			align = '>'
		}
	}
	switch align {
	case '<':
		return sign + body + strings.Repeat(f.fill, n)
	case '^':
		return strings.Repeat(f.fill, n/2) + sign + body + strings.Repeat(f.fill, n-n/2)
	case '=':
		return sign + strings.Repeat(f.fill, n) + body
	}
	return strings.Repeat(f.fill, n) + sign + body
}

// powerBuiltin is a ** b.
func powerBuiltin(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	x, xok := args[0].(starlark.Int)
	n, nok := args[1].(starlark.Int)
	if xok && nok && n.Sign() >= 0 {
		out := starlark.MakeInt(1)
		k, err := starlark.AsInt32(n)
		if err != nil || k > maxBits || bits(x)*k > 64*maxBits {
			return nil, &LimitError{fmt.Sprintf("an integer to the power of %s is beyond the limit of %d bits", n, maxBits)}
		}
		for range k {
			v, err := binary(runOf(t), syntax.STAR, out, x)
			if err != nil {
				return nil, err
			}
			out = v.(starlark.Int)
			if err := runOf(t).work(1); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	a, aok := starlark.AsFloat(args[0])
	b, bok := starlark.AsFloat(args[1])
	if !aok || !bok {
		return nil, fmt.Errorf("unknown binary op: %s ** %s", args[0].Type(), args[1].Type())
	}
	if a < 0 && b != math.Trunc(b) {
		return nil, errors.New("a negative number to the power of a fraction is no real number")
	}
	return starlark.Float(math.Pow(a, b)), nil
}
