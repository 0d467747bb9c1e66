package parse_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

// valueOf reads "A[0] = T.float64(text)" or, for integers, T.int64(text), and returns the constant.
func valueOf(kind, text string) (tir.Expr, error) {
	src := fmt.Sprintf("@T.prim_func\ndef f(A: T.Buffer((4,), \"%s\")):\n    A[0] = T.%s(%s)\n", kind, kind, text)
	m, diags := parse.Module("f.py", src, parse.Options{})
	if len(diags) > 0 {
		return nil, fmt.Errorf("%s; %s", diags[0].Message, diags[0].Help)
	}
	var out tir.Expr
	ir.Walk(m.Lookup("f"), func(n ir.Node) bool {
		if s, ok := n.(*tir.BufferStore); ok {
			out = s.Value
		}
		return true
	})
	return out, nil
}

// TestPythonNumbers computes with numbers of the text: what is wanted is what Python 3 prints.
func TestPythonNumbers(t *testing.T) {
	for text, want := range map[string]int64{
		"7 // 2": 3, "-7 // 2": -4, "7 // -2": -4, "-7 // -2": 3, "7 % 3": 1, "-7 % 3": 2, "7 % -3": -2, "-7 % -3": -1, "6 // -3": -2, "6 % -3": 0,
		"2 ** 62": 1 << 62, "(-2) ** 63": math.MinInt64, "0 ** 0": 1, "0 ** 1000000": 0, "(-1) ** 1000001": -1, "1 ** 2 ** 62": 1,
		"1 << 62": 1 << 62, "-1 << 63": math.MinInt64, "5 >> 100": 0, "-5 >> 100": -1, "0 << 100000": 0, "6 & 3": 2, "6 | 3": 7, "6 ^ 3": 5, "~5": -6,
		"9223372036854775807 - 1": math.MaxInt64 - 1, "9223372036854775808 - 1": math.MaxInt64, "-9223372036854775808": math.MinInt64,
		"2 ** 63 // 2": 1 << 62, "True + True": 2, "1 if 9007199254740993 == 9007199254740992 else 0": 0, "len([0] * 3 + [1])": 4,
	} {
		v, err := valueOf("int64", text)
		if i, ok := v.(*tir.IntImm); !ok || i.Value != want {
			t.Errorf("%s is %v (%v), want %d", text, v, err, want)
		}
	}
	for text, want := range map[string]float64{
		"7 / 2": 3.5, "2 ** -1": 0.5, "1.5 * 2": 3, "7.5 // 2": 3, "-7.5 % 2": 0.5, "2.0 ** 0.5": math.Sqrt2, "9223372036854775807 / 9223372036854775807": 1,
	} {
		v, err := valueOf("float64", text)
		if f, ok := v.(*tir.FloatImm); !ok || f.Value != want {
			t.Errorf("%s is %v (%v), want %v", text, v, err, want)
		}
	}
}

// TestPythonRefuses lists what cannot be computed; each is an error at once.
func TestPythonRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"2**(2**(2**(2**(2**2))))": "2 ** 65536 is too large; integers have at most 64 bits",
		"2**(2**(2**6))":           "the result of ** is too large",
		"2 ** 64":                  "the result of ** is too large",
		"3 ** 41":                  "the result of ** is too large",
		"9223372036854775807 * 3":  "the result of * is too large",
		"-9223372036854775808 - 1": "the result of - is too large",
		"1 << 64":                  "the result of << is too large",
		"1 << -1":                  "1 << -1 shifts by a negative number",
		"1 // 0":                   "1 // 0 is a division by zero",
		"1 % 0":                    "1 % 0 is a division by zero",
		"1 / 0":                    "1 / 0 is a division by zero",
		"1.5 // 0":                 "1.5 // 0 is a division by zero",
		"0 ** -1":                  "0 ** -1 is a division by zero",
		"10.0 ** 400":              "10 ** 400 does not fit in a float64",
		`"a" * (10 ** 12)`:         "strings can only be joined, by +",
		`3 * "a"`:                  "strings can only be joined, by +",
		`"a" * 2`:                  "strings can only be joined, by +",
		`"a" + 1`:                  "strings can only be joined, by +",
		`"%d" % 1`:                 "strings can only be joined, by +",
		"len([0] * (10 ** 12))":    "this list has more than",
		"len([[]] * 2 ** 62)":      "this list has more than",
	} {
		v, err := valueOf("int64", text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is %v (%v), want an error with %q", text, v, err, want)
		}
	}
}
