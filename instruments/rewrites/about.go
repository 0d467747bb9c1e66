package rewrites

import (
	"slices"
	"strings"
	"unicode"

	"github.com/irscope/irscope/instruments/event"
)

// Lines are some lines of a printed function, from 1. Without a first line they are the whole function, with what a pass said about
// it as a whole.
type Lines struct {
	Func        string `json:"func"`
	First, Last int    `json:"-"`
}

// has tells whether a place begins on the lines.
func (l Lines) has(fn string, p event.Place) bool {
	if p.Func != "" {
		fn = p.Func
	}
	return fn == l.Func && (l.First == 0 || l.First <= p.Line && p.Line <= l.Last)
}

// About returns what a step reported about lines: the rewrites that took or made something there, and the decisions. Rewrites and
// decisions have places in the functions before the step, and rewrites also in those after it. What the step omitted is unknown.
func About(r *event.Rewrites, before, after []Lines) ([]event.Rewrite, []event.Decision) {
	within := func(lines []Lines, fn string, places ...event.Place) bool {
		return slices.ContainsFunc(lines, func(l Lines) bool {
			return l.First == 0 && l.Func == fn || slices.ContainsFunc(places, func(p event.Place) bool { return l.has(fn, p) })
		})
	}
	var rewrites []event.Rewrite
	for _, x := range r.Rewrites {
		if within(before, x.Func, x.Before...) || within(after, x.Func, x.After...) {
			rewrites = append(rewrites, x)
		}
	}
	var decisions []event.Decision
	for _, d := range r.Decisions {
		var places []event.Place
		if d.Place != nil {
			places = append(places, *d.Place)
		}
		if within(before, d.Func, places...) {
			decisions = append(decisions, d)
		}
	}
	return rewrites, decisions
}

// Definitions returns the lines at which a printed function defines a name: a variable, a parameter, a buffer, a loop variable, or
// a block. A binding has the lines of its value; a loop and a block only their first, because what is inside has lines of its own.
func Definitions(fn, text, name string) []Lines {
	var out []Lines
	list := strings.Split(text, "\n")
	for i, line := range list {
		if slices.Contains(definedOn(line), name) {
			out = append(out, Lines{fn, i + 1, i + 1 + rest(list[i:])})
		}
	}
	return out
}

// Names returns the names that a printed function defines, each once, in order.
func Names(text string) []string {
	var out []string
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		for _, name := range definedOn(strings.TrimRight(line, "\n")) {
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}

// rest counts the lines that continue the first: deeper ones, and the bracket that closes it.
func rest(lines []string) int {
	if strings.HasSuffix(strings.TrimSpace(lines[0]), ":") {
		return 0
	}
	depth := indentation(lines[0])
	n := 0
	for _, l := range lines[1:] {
		closes := indentation(l) == depth && strings.Trim(strings.TrimSpace(l), ")]},") == ""
		if strings.TrimSpace(l) == "" || indentation(l) <= depth && !closes {
			break
		}
		n++
	}
	return n
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// definedOn returns the names that a line of TVMScript defines.
func definedOn(line string) []string {
	line = strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(line, "for "):
		names, _, ok := strings.Cut(line[len("for "):], " in ")
		if !ok {
			return nil
		}
		return identifiers(names)
	case strings.HasPrefix(line, "with "):
		if _, name, ok := strings.Cut(line, `.block("`); ok {
			name, _, _ = strings.Cut(name, `"`)
			return []string{name}
		}
		if _, names, ok := strings.Cut(strings.TrimSuffix(line, ":"), " as "); ok {
			return identifiers(strings.Trim(names, "()"))
		}
		return nil
	case strings.HasPrefix(line, "def "):
		return parameters(line)
	}
	if name, _, ok := strings.Cut(line, ": "); ok && isIdentifier(name) {
		return []string{name}
	}
	if names, _, ok := strings.Cut(line, " = "); ok {
		return identifiers(names)
	}
	return nil
}

// identifiers returns the names of a list with commas, nil if it is none.
func identifiers(list string) []string {
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); !isIdentifier(name) {
			return nil
		}
		out = append(out, name)
	}
	return out
}

func isIdentifier(s string) bool {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != ""
}

// parameters returns the names of the parameters that stand on the line of a def.
func parameters(line string) []string {
	var out []string
	depth, start := 0, 0
	for i, r := range line {
		switch r {
		case '(', '[':
			if depth++; depth == 1 {
				start = i + 1
			}
		case ')', ']':
			depth--
		case ',':
			if depth == 1 {
				start = i + 1
			}
		case ':':
			if name := strings.TrimSpace(line[min(start, i):i]); depth == 1 && isIdentifier(name) {
				out = append(out, name)
			}
		}
	}
	return out
}
