package terminal

import (
	"fmt"
	"io"
	"os"
)

// Style is an escape sequence that begins a style.
type Style string

// The styles, of the sixteen colors that every terminal lets its user choose.
const (
	Bold   Style = "\x1b[1m"
	Dim    Style = "\x1b[2m"
	Red    Style = "\x1b[31m"
	Green  Style = "\x1b[32m"
	Blue   Style = "\x1b[34m"
	Purple Style = "\x1b[35m"
	Cyan   Style = "\x1b[36m"
	// Marked swaps the two colors until Unmarked.
	Marked   Style = "\x1b[7m"
	Unmarked Style = "\x1b[27m"
	reset    Style = "\x1b[0m"
)

// When says when to use color.
type When string

// The values of When.
const (
	Auto   When = "auto"
	Always When = "always"
	Never  When = "never"
)

// ParseWhen reads a value of When.
func ParseWhen(s string) (When, error) {
	switch w := When(s); w {
	case Auto, Always, Never:
		return w, nil
	}
	return "", fmt.Errorf("%q, expected auto, always, or never", s)
}

// Colors tells whether what is written to w is colored. Auto means: not if NO_COLOR is set (no-color.org), yes if CLICOLOR_FORCE is
// set and not 0, else if w is a terminal other than a dumb one and CLICOLOR is not 0.
func Colors(w io.Writer, when When) bool {
	switch when {
	case Always:
		return true
	case Never:
		return false
	}
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := os.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return Is(w) && os.Getenv("TERM") != "dumb" && os.Getenv("CLICOLOR") != "0"
}

// Paint returns a text in a style.
func Paint(style Style, text string) string {
	if text == "" || style == "" {
		return text
	}
	return string(style) + text + string(reset)
}
