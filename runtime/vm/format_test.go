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
		"{:d}":        "is no format of a text",
		"{:99999999}": "of at most",
		"{!a}":        "unknown conversion",
	} {
		if got, err := strFormat(format, []string{"1"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %q, %v, want an error with %q", format, got, err, want)
		}
	}
}
