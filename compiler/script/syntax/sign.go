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
func (s sign) closes() sign { return sign(")]}"[strings.IndexByte("([{", byte(s))]) }

// precedences of the infix signs: comparisons bind weakest, and are chained. Others are 0.
var precedences = [256]uint8{
	signEqual: compares, signNotEqual: compares, '<': compares, signAtMost: compares, '>': compares, signAtLeast: compares,
	'|': 2, '^': 3, '&': 4, signLeft: 5, signRight: 5, '+': 6, '-': 6, '*': 7, '/': 7, signFloor: 7, '%': 7, '@': 7,
}

// compares is the precedence of comparisons.
const compares = 1

// augmented are the operators of assignments such as "+=".
var augmented = [256]sign{
	signAddSet: '+', signSubSet: '-', signMulSet: '*', signDivSet: '/', signFloorSet: signFloor, signModSet: '%',
	signAndSet: '&', signOrSet: '|', signXorSet: '^', signLeftSet: signLeft, signRightSet: signRight,
}
