package onnx

import (
	"maps"
	"strconv"
	"strings"
)

// names makes identifiers for the printed program out of ONNX names.
type names struct{ used map[string]int }

// reserved cannot name a variable of a TVMScript program: Python's keywords and what such
// a program imports.
var reserved = map[string]bool{
	"False": true, "None": true, "True": true, "and": true, "as": true, "assert": true, "async": true, "await": true,
	"break": true, "class": true, "continue": true, "def": true, "del": true, "elif": true, "else": true, "except": true,
	"finally": true, "for": true, "from": true, "global": true, "if": true, "import": true, "in": true, "is": true,
	"lambda": true, "nonlocal": true, "not": true, "or": true, "pass": true, "raise": true, "return": true, "try": true,
	"while": true, "with": true, "yield": true, "I": true, "R": true, "T": true, "Module": true, "metadata": true, "cls": true,
}

const maxName = 80

// identifier turns an ONNX name into an identifier: "/conv1/Conv" into conv1_Conv. Names
// that a converter joined from several ("a;b;c") give that of the first.
func identifier(name string) string {
	name, _, _ = strings.Cut(name, ";")
	var b strings.Builder
	pending := false
	for _, r := range name {
		ok := r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !ok {
			pending = b.Len() > 0
			continue
		}
		if pending {
			b.WriteByte('_')
			pending = false
		}
		if b.Len() == 0 && r >= '0' && r <= '9' {
			b.WriteByte('v')
		}
		b.WriteRune(r)
		if b.Len() >= maxName {
			break
		}
	}
	s := b.String()
	switch {
	case strings.Trim(s, "_") == "":
		return "v"
	case reserved[s]:
		return s + "_"
	}
	return s
}

// telling is false for names that only number nodes, such as "246" or "n12".
func telling(name string) bool {
	name = strings.TrimRight(name, "0123456789")
	return len(name) > 1
}

// clone returns a copy.
func (n *names) clone() names { return names{used: maps.Clone(n.used)} }

// fresh returns the identifier for an ONNX name, with a number behind it if it is taken.
func (n *names) fresh(name string) string {
	if n.used == nil {
		n.used = map[string]int{}
	}
	base := identifier(name)
	id := base
	for {
		if _, taken := n.used[id]; !taken {
			n.used[id] = 0
			return id
		}
		n.used[base]++
		id = base + "_" + strconv.Itoa(n.used[base])
	}
}
