package syntax

import "strings"

// sign is an operator or a bracket. One of a single character is that character.
type sign uint8

// Signs of several characters, longest first.
const (
	signPowerSet sign = 128 + iota
	signFloorSet
	signRightSet
	signLeftSet
	signEllipsis
	signArrow
	signEqual
	signNotEqual
	signAtMost
	signAtLeast
	signFloor
	signPower
	signLeft
	signRight
	signAddSet
	signSubSet
	signMulSet
	signDivSet
	signModSet
	signAndSet
	signOrSet
	signXorSet
	signMatMulSet
	signWalrus
)

// longSigns are the texts of those of several characters in the order of their numbers.
var longSigns = [...]string{
	"**=", "//=", ">>=", "<<=", "...",
	"->", "==", "!=", "<=", ">=", "//", "**", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=",
}

const shortSigns = "()[]{},:.=+-*/%<>@&|^~;"

func (s sign) String() string {
	switch {
	case s == 0:
		return ""
	case s < signPowerSet:
		i := strings.IndexByte(shortSigns, byte(s))
		return shortSigns[i : i+1]
	}
	return longSigns[s-signPowerSet]
}

var shortSign, secondOfSign = members(shortSigns), members("=>/*<.")

func members(text string) (set [256]bool) {
	for i := range len(text) {
		set[text[i]] = true
	}
	return set
}

// signAt returns the sign that a text starts with, 0 for none, and its length.
func signAt(text string) (sign, int) {
	if len(text) > 1 && secondOfSign[text[1]] {
		for i, s := range longSigns {
			if strings.HasPrefix(text, s) {
				return signPowerSet + sign(i), len(s)
			}
		}
	}
	if shortSign[text[0]] {
		return sign(text[0]), 1
	}
	return 0, 1
}

// closes returns the bracket that closes one.
func (s sign) closes() sign {
	switch s {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}

// precedence of the infix signs of arithmetic; 0 is none of them.
func (s sign) precedence() int {
	switch s {
	case '|':
		return 1
	case '^':
		return 2
	case '&':
		return 3
	case signLeft, signRight:
		return 4
	case '+', '-':
		return 5
	case '*', '/', signFloor, '%', '@':
		return 6
	}
	return 0
}

// compares reports whether a sign is one of a comparison.
func (s sign) compares() bool {
	switch s {
	case signEqual, signNotEqual, '<', signAtMost, '>', signAtLeast:
		return true
	}
	return false
}

// augments returns the operator of an assignment such as "+=", 0 for other signs.
func (s sign) augments() sign {
	switch s {
	case signAddSet:
		return '+'
	case signSubSet:
		return '-'
	case signMulSet:
		return '*'
	case signDivSet:
		return '/'
	case signFloorSet:
		return signFloor
	case signModSet:
		return '%'
	case signAndSet:
		return '&'
	case signOrSet:
		return '|'
	case signXorSet:
		return '^'
	case signLeftSet:
		return signLeft
	case signRightSet:
		return signRight
	}
	return 0
}
