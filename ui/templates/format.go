package templates

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// decimal prints n in base 10.
func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// boolText prints b for a data attribute.
func boolText(b bool) string { return strconv.FormatBool(b) }

// sentence writes the words of an error as a sentence of a page: with a capital and a full stop, unless they begin with a name in other
// letters or end with a mark of their own.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	if r, n := utf8.DecodeRuneInString(s); unicode.IsLower(r) {
		s = string(unicode.ToUpper(r)) + s[n:]
	}
	if last, _ := utf8.DecodeLastRuneInString(s); !strings.ContainsRune(".?!…", last) {
		s += "."
	}
	return s
}

// size prints a number of bytes in binary units, such as "64 MiB".
func size(n int64) string {
	const unit = 1 << 10
	value, i := float64(n), 0
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for value >= unit && i < len(units)-1 {
		value /= unit
		i++
	}
	return strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0") + " " + units[i]
}

// count prints a large number in short: "101,770" below a million, "1.2 million" above.
func count(n int64) string {
	if n >= 1_000_000 {
		return fmt.Sprintf("%.1f million", float64(n)/1e6)
	}
	s := decimal(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// runs counts runs in words.
func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return decimal(int64(n)) + " runs"
}

// shortOp drops the dialect of an operator's name: "relax.nn.conv2d" becomes "nn.conv2d".
func shortOp(name string) string { return strings.TrimPrefix(name, "relax.") }

// glyph is the mark of a status; it differs in shape, so that colour is not needed.
func glyph(status string) string {
	switch status {
	case "changed":
		return "●"
	case "same":
		return "○"
	case "failed":
		return "✕"
	case "unknown":
		return "?"
	case "skipped":
		return "–"
	case "running":
		return "⟳"
	default:
		return "·"
	}
}

// tabIndex is 0 for the element of a widget to which Tab leads, and -1 for the others.
func tabIndex(stop bool) string {
	if stop {
		return "0"
	}
	return "-1"
}
