package wasmbin

import (
	"math"
	"strconv"
	"strings"
)

// textFloat prints the shortest decimal that reads back to v.
func textFloat(v float64, bits int) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case math.IsNaN(v):
		return "nan"
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}

// textName makes an identifier of the text format out of any name.
func textName(s string) string {
	ok := func(c byte) bool {
		return c == '_' || c == '.' || c == '-' || c == '/' || c >= '0' && c <= '9' ||
			c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for i := range len(s) {
		if !ok(s[i]) {
			b := []byte(s)
			for i, c := range b {
				if !ok(c) {
					b[i] = '_'
				}
			}
			return string(b)
		}
	}
	if s == "" {
		return "_"
	}
	return s
}

// namer hands out names that differ, by appending numbers.
type namer map[string]int

func (n namer) unique(s string) string {
	s = textName(s)
	for {
		k := n[s]
		n[s]++
		if k == 0 {
			return s
		}
		t := strings.TrimRight(s, "_") + "_" + strconv.Itoa(k)
		if n[t] == 0 {
			n[t] = 1
			return t
		}
	}
}

func uniqueNames(ls []localDecl) []string {
	n, out := namer{}, make([]string, len(ls))
	for i, l := range ls {
		out[i] = n.unique(l.name)
	}
	return out
}

func uniqueLabels(ls []string) []string {
	n, out := namer{}, make([]string, len(ls))
	for i, l := range ls {
		out[i] = n.unique(l)
	}
	return out
}
