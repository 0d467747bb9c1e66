package search

import "strings"

// wordBytes holds the bytes that words consist of; those above 0x7f count as letters.
var wordBytes = func() (set [256]bool) {
	for b := range 256 {
		set[b] = b >= 0x80 || b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
	}
	return set
}()

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// wordEnd returns the end of the word that begins at i.
func wordEnd(line string, i int) int {
	for i < len(line) && wordBytes[line[i]] {
		i++
	}
	return i
}

// token is a kind of thing that scan finds.
type token uint8

const (
	// tokenWord is a longest run of letters, digits and underscores.
	tokenWord token = iota
	// tokenPath is two words or more with dots between them, such as R.nn.conv2d; only the first may not begin with a digit.
	tokenPath
	// tokenDef is the name behind the word def.
	tokenDef
)

// scan calls f for the tokens of a line. The words of paths and the names behind def are words too.
func scan(line string, f func(t token, from, to int)) {
	path := -1 // where the path begins whose words are being read
	afterDef := false
	for i := 0; i < len(line); {
		if !wordBytes[line[i]] {
			afterDef = afterDef && line[i] == ' '
			i++
			continue
		}
		j := wordEnd(line, i)
		f(tokenWord, i, j)
		if afterDef {
			f(tokenDef, i, j)
		}
		afterDef = line[i:j] == "def"
		if path < 0 && !isDigit(line[i]) {
			path = i
		}
		goesOn := path >= 0 && j+1 < len(line) && line[j] == '.' && wordBytes[line[j+1]] && !isDigit(line[j+1])
		if !goesOn {
			if path >= 0 && path < i {
				f(tokenPath, path, j)
			}
			path = -1
		}
		i = j
	}
}

// cutLine returns what is searched of a line.
func cutLine(line string) string { return line[:min(len(line), MaxLine)] }

// dialect returns the short name of the module that the first word of a path names; empty where it names none.
func dialect(head string) string {
	switch head {
	case "R", "relax":
		return "R"
	case "T", "tir":
		return "T"
	case "I", "cls", "vm":
		return head
	default:
		return ""
	}
}

// operator is the name of an operator or kernel that a query asks for.
type operator struct {
	dialect string // empty: any
	rest    string
}

func newOperator(name string) operator {
	if head, rest, ok := strings.Cut(name, "."); ok {
		if d := dialect(head); d != "" {
			return operator{d, rest}
		}
	}
	return operator{"", name}
}

// isPath tells whether a path is the operator: nn.conv2d and conv2d are R.nn.conv2d, while x.conv2d is an attribute.
func (o operator) isPath(path string) bool {
	head, rest, _ := strings.Cut(path, ".")
	d := dialect(head)
	switch {
	case d == "":
		return o.dialect == "" && path == o.rest
	case o.dialect != "":
		return d == o.dialect && rest == o.rest
	default:
		return rest == o.rest || strings.HasSuffix(rest, "."+o.rest)
	}
}

// isDef tells whether the function called name is the operator.
func (o operator) isDef(name string) bool {
	return (o.dialect == "" || o.dialect == "cls") && name == o.rest
}

// lower is s with its capitals from A to Z made small; offsets stay.
func lower(s string) string {
	i := 0
	for i < len(s) && !isUpper(s[i]) {
		i++
	}
	if i == len(s) {
		return s
	}
	b := []byte(s)
	for ; i < len(b); i++ {
		if isUpper(b[i]) {
			b[i] |= 0x20
		}
	}
	return string(b)
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
