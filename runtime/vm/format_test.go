package vm

import (
	"strings"
	"testing"
)

// TestStrFormat compares with Python's str.format.
func TestStrFormat(t *testing.T) {
	for _, tt := range []struct {
		format, want string
		args         []string
	}{
		{"x = {}", "x = 1", []string{"1"}},
		{"{} and {}", "a and b", []string{"a", "b"}},
		{"{1} {0} {1}", "b a b", []string{"a", "b"}},
		{"{{{}}}", "{a}", []string{"a"}},
		{"no field", "no field", []string{"a"}},
		{"[{:>4}|{:<4}|{:^4}|{:*^5}|{:4}]", "[   a|a   | a  |**a**|a   ]", []string{"a", "a", "a", "a", "a"}},
		{"{:.2}{:5.1s}|", "abx    |", []string{"abc", "xyz"}},
		{"{!s} {!r}", `a "b"`, []string{"a", "b"}},
		{"é{}ü", "éaü", []string{"a"}},
	} {
		if got, err := strFormat(tt.format, tt.args); err != nil || got != tt.want {
			t.Errorf("%q is %q, %v, want %q", tt.format, got, err, tt.want)
		}
	}
	for format, want := range map[string]string{
		"{} {}":       "there is no value 1: 1 are given",
		"{2}":         "there is no value 2",
		"{":           "never closed",
		"}":           "closes nothing",
		"{0} {}":      "cannot be mixed",
		"{x}":         "neither {} nor a number",
		"{:d}":        "is not a format of a string",
		"{:99999999}": "of at most",
		"{!a}":        "unknown conversion",
	} {
		if got, err := strFormat(format, []string{"1"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %q, %v, want an error with %q", format, got, err, want)
		}
	}
}

// TestFormatLimits compares further specifications with Python's str.format, and gives each number its bound.
func TestFormatLimits(t *testing.T) {
	for format, want := range map[string]string{
		"{:>>3}":     ">>a",
		"{:é^4}":     "éaéé",
		"{:<}":       "a",
		"{:>}":       "a",
		"{:s}":       "a",
		"{:.0}":      "",
		"{:3.0}|":    "   |",
		"{:.1}":      "a",
		"{:.9}":      "a",
		"{:10}|":     "a         |",
		"{0!s:>2}":   " a",
		"{0!r:>5}":   `  "a"`,
		"}}{{":       "}{",
		"{}}}":       "a}",
		"{:65536.1}": "a" + strings.Repeat(" ", 65535),
		"{:.65536}":  "a",
	} {
		if got, err := strFormat(format, []string{"a"}); err != nil || got != want {
			t.Errorf("%q is %.40q, %v, want %.40q", format, got, err, want)
		}
	}
	if got, err := strFormat("{:.2}{:^4}", []string{"äöü", "ß"}); err != nil || got != "äö ß  " {
		t.Errorf("letters of two bytes: %q, %v", got, err)
	}
	const spec = ` is not a format of a string: expected an alignment, a width and .precision of at most 65536`
	for format, want := range map[string]string{
		"ab}":       `format "ab}": the '}' at 2 closes nothing; write it twice for a brace`,
		"a{0":       `format "a{0": the '{' at 1 is never closed; write it twice for a brace`,
		"{-1}":      `format "{-1}": the field {-1} is neither {} nor a number`,
		"{a.b}":     `format "{a.b}": the field {a.b} is neither {} nor a number`,
		"{} {0}":    `format "{} {0}": fields with a number and without one cannot be mixed`,
		"{1}":       `format "{1}": there is no value 1: 1 are given`,
		"{!x}":      `format "{!x}": unknown conversion !x, expected !r or !s`,
		"{!}":       `format "{!}": unknown conversion !, expected !r or !s`,
		"{:65537}":  `format "{:65537}": "65537"` + spec,
		"{:.65537}": `format "{:.65537}": ".65537"` + spec,
		"{:.}":      `format "{:.}": "."` + spec,
		"{:-1}":     `format "{:-1}": "-1"` + spec,
		"{:>>>}":    `format "{:>>>}": ">>>"` + spec,
		"{:0x10}":   `format "{:0x10}": "0x10"` + spec,
		"{:\xff>3}": "format \"{:\\xff>3}\": \"\\xff>3\"" + spec,
	} {
		if got, err := strFormat(format, []string{"a"}); err == nil || err.Error() != want {
			t.Errorf("%q is %.40q, %v, want %q", format, got, err, want)
		}
	}
}
