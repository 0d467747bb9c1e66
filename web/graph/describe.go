package graph

import (
	"html"
	"strconv"
	"strings"

	"github.com/irscope/irscope/instruments/flow"
)

// sign is the mark for those who do not tell colours apart.
func sign(m flow.Mark) string {
	switch m {
	case flow.Added:
		return "+"
	case flow.Removed:
		return "−"
	case flow.Changed:
		return "●"
	}
	return ""
}

// describe is the name of a node for assistive technology.
func describe(n *flow.Node) string {
	var parts []string
	if n.Mark != flow.None && n.Mark != flow.Same {
		parts = append(parts, string(n.Mark))
	}
	parts = append(parts, string(n.Kind), clean(n.Label))
	if n.Name != "" && n.Name != n.Label {
		parts = append(parts, "as "+clean(n.Name))
	}
	if n.Info != "" {
		parts = append(parts, clean(n.Info))
	}
	if n.Was != "" {
		parts = append(parts, "was "+clean(n.Was))
	}
	if n.Beyond != "" {
		parts = append(parts, clean(n.Beyond)+" neighbors")
	}
	if n.Stands != "" {
		parts = append(parts, "folded")
	}
	if n.Line > 0 {
		parts = append(parts, "line "+strconv.Itoa(n.Line))
	}
	return strings.Join(parts, ", ")
}

// title is the text that shows over a node.
func title(n *flow.Node) string {
	s := n.Label
	if n.Name != "" && n.Name != n.Label {
		s = n.Name + " = " + s
	}
	if n.WasName != "" {
		s += "\nnamed " + n.WasName + " before"
	}
	if n.Was != "" {
		s += "\nwas " + n.Was
	}
	for _, t := range append([]string{n.Info}, n.Inline...) {
		if t != "" {
			s += "\n" + t
		}
	}
	if n.Detail != "" {
		s += "\n" + n.Detail
	}
	return s
}

func elideEnd(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

func markClass(m flow.Mark) string {
	if m == flow.None {
		return ""
	}
	return " m-" + class(string(m))
}

// class makes s safe as a part of a class name.
func class(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(s))
}

// escape makes s safe in text and in quoted attributes, of HTML and of XML.
func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff {
			return '�'
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	return html.EscapeString(s)
}
