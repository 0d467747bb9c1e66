package dumps

import (
	"bytes"
	"strings"

	"github.com/irscope/irscope/instruments/event"
)

// llvmHead is a banner.
type llvmHead struct {
	dump
	// ignored is a step that only holds others. sub is the function that a part of a difference is about.
	ignored bool
	sub     string
	rest    []byte // the beginning of the body, in the same line
}

// llvmBanner reads a banner.
func llvmBanner(line []byte) (*llvmHead, bool) {
	for _, lead := range []string{"; ", "# ", ";"} {
		if bytes.HasPrefix(line, []byte(lead)) {
			line = line[len(lead):]
			break
		}
	}
	line, ok := bytes.CutPrefix(line, bannerSign)
	if !ok {
		return nil, false
	}
	end := bytes.LastIndex(line, []byte(" ***"))
	if end < 0 {
		return nil, false
	}
	said, rest := line[:end], line[end+4:]
	h := &llvmHead{}
	switch {
	case bytes.HasPrefix(said, []byte("for function ")):
		h.sub = cleanName(said[len("for function "):])
		return h, true
	case bytes.HasPrefix(said, []byte("Pass ")) && bytes.HasSuffix(said, []byte(" ignored")):
		h.ignored = true
		return h, true
	case bytes.HasPrefix(said, []byte("Dump At Start")):
		h.when, h.name = start, "start"
		return h, true
	case bytes.HasPrefix(said, []byte("Dump After ")):
		h.when, said = after, said[len("Dump After "):]
	case bytes.HasPrefix(said, []byte("Dump Before ")):
		h.when, said = before, said[len("Dump Before "):]
	case bytes.HasPrefix(said, []byte("Deleted After ")):
		h.when, said = after, said[len("Deleted After "):]
		h.effect, h.reason = invalidate, "The pass removed what it ran on; the dump does not show what is left."
	default:
		return nil, false
	}
	h.effects(&said)
	h.names(said)
	h.after(rest)
	return h, true
}

// effects takes what a banner says of the effect of the pass off its end.
func (h *llvmHead) effects(said *[]byte) {
	for end, set := range map[string]func(){
		" omitted because no change": func() { h.effect = omitted },
		" filtered out":              func() { h.effect, h.reason = hidden, "The dump leaves this pass out by a filter." },
		" (invalidated)": func() {
			h.effect, h.reason = invalidate, "The pass removed what it ran on; the dump does not show what is left."
		},
	} {
		if s, ok := bytes.CutSuffix(*said, []byte(end)); ok {
			*said = s
			set()
		}
	}
}

// names reads the pass and what it ran on.
func (h *llvmHead) names(said []byte) {
	h.title = cleanName(said)
	if i := bytes.LastIndex(said, []byte(" on ")); i > 0 && looksLikeUnit(said[i+4:]) {
		h.name = shortPass(cleanName(said[:i]))
		h.on, h.kind, h.group = onUnit(said[i+4:])
		return
	}
	h.name = h.title
	if i := strings.LastIndex(h.title, " ("); i > 0 && strings.HasSuffix(h.title, ")") {
		h.name = h.title[i+2 : len(h.title)-1]
	}
}

// after reads what follows the stars: what the pass ran on where the whole module is printed, or the first line of the IR.
func (h *llvmHead) after(rest []byte) {
	rest = bytes.TrimPrefix(rest, []byte(":"))
	unit := bytes.TrimSpace(rest)
	for lead, kind := range map[string]event.PassKind{"(function: ": event.PassFunction, "(loop: ": event.PassLoop} {
		if name, ok := bytes.CutPrefix(unit, []byte(lead)); ok {
			h.on, h.kind = cleanName(bytes.TrimSuffix(name, []byte(")"))), kind
			if kind == event.PassFunction {
				h.group = h.on
			}
			return
		}
	}
	h.rest = rest
}

// looksLikeUnit tells whether text behind "on" is what a pass of the new pass manager ran on.
func looksLikeUnit(s []byte) bool {
	return bytes.HasPrefix(s, []byte("(")) || bytes.HasPrefix(s, []byte("Loop at ")) || bytes.HasPrefix(s, []byte("loop ")) ||
		bytes.IndexByte(s, ' ') < 0
}

// onUnit reads what a pass ran on: the sequence is that of a function.
func onUnit(s []byte) (on string, kind event.PassKind, group string) {
	on = cleanName(s)
	switch {
	case on == "[module]":
		return on, event.PassModule, ""
	case strings.HasPrefix(on, "("):
		return on, event.PassSCC, ""
	case strings.HasPrefix(on, "Loop at "), strings.HasPrefix(on, "loop "):
		_, function, _ := strings.Cut(on, " in function ")
		return on, event.PassLoop, function
	}
	return on, event.PassFunction, on
}

// shortPass drops what the names of template arguments add.
func shortPass(name string) string { return strings.ReplaceAll(name, "llvm::", "") }
