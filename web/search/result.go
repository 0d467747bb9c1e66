package search

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/irscope/irscope/instruments/event"
)

// Result is a line that was found.
type Result struct {
	// Step is the path of the step that made the text, event.ImportStep or event.CodeStep; Pass is the name of its pass.
	Step string `json:"step"`
	Pass string `json:"pass"`
	// Function is the name of the function, or of the kernel in generated code; Kind is its kind.
	Function string `json:"function"`
	Kind     string `json:"kind"`
	// Side is "after" for the text that the step made and "before" for the one that it replaced.
	Side string `json:"side"`
	// Text is the hash of the text, Line the number of the line in it, from 1.
	Text string `json:"text"`
	Line int    `json:"line"`
	// Excerpt is the line, or a part of MaxExcerpt bytes that begins at column From. Columns count bytes from 1.
	Excerpt string `json:"excerpt"`
	From    int    `json:"from"`
	// Matches are the places in the line, each with its first column and the one behind its last, in order and without
	// overlap; at most MaxMatches.
	Matches [][2]int `json:"matches"`
	// Link is the query with which the session's page shows the line.
	Link string `json:"link"`
}

// lead is what an excerpt shows before the first match, where the line is cut in front.
const lead = 60

// result makes the result of line i, from 0, of a text.
func (w *walk) result(c event.TextChange, side int, hash string, i int, line string, spans []span) (Result, error) {
	s := c.Step
	r := Result{
		Step: s.Path, Pass: s.Name, Function: c.Name, Kind: c.Kind, Side: "after", Text: hash, Line: i + 1,
		Matches: join(spans),
	}
	r.Excerpt, r.From = excerpt(line, r.Matches)
	shown := i + 1
	if side == sideBefore {
		r.Side = "before"
		blocks, err := w.diff(w.ctx, c.Before, c.Text)
		if err != nil {
			return r, err
		}
		shown = across(blocks, i) + 1
		if c.Text == "" {
			shown = 0
		}
	}
	r.Link = w.link(s, c, shown)
	return r, nil
}

// link returns the query of the page's address, spelled as the page does. A line 0 is left out.
func (w *walk) link(s *event.Step, c event.TextChange, line int) string {
	var b strings.Builder
	put := func(name, value string) {
		b.WriteString(name + "=" + strings.ReplaceAll(url.QueryEscape(value), "%2F", "/"))
	}
	put("?run", w.run)
	view := "unified"
	switch {
	case s.Path == event.CodeStep:
		view = "code"
	case s.Path == event.ImportStep || len(w.asked) == 0 && c.Text != "":
		view = "ir"
	}
	if s.Path != event.CodeStep {
		put("&pass", s.Path)
	}
	put("&function", c.Name)
	put("&view", view)
	if line > 0 {
		put("&line", strconv.Itoa(line))
	}
	return b.String()
}

// join orders places and joins those that overlap, as columns.
func join(spans []span) [][2]int {
	slices.SortFunc(spans, func(a, b span) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.to - b.to
	})
	out := [][2]int{}
	for _, s := range spans {
		if n := len(out) - 1; n >= 0 && s.from+1 < out[n][1] {
			out[n][1] = max(out[n][1], s.to+1)
		} else if len(out) < MaxMatches {
			out = append(out, [2]int{s.from + 1, s.to + 1})
		}
	}
	return out
}

// excerpt cuts a line between characters, so that the first match is in it.
func excerpt(line string, matches [][2]int) (text string, from int) {
	if len(line) <= MaxExcerpt {
		return line, 1
	}
	if len(matches) > 0 && matches[0][1] > MaxExcerpt {
		from = max(0, matches[0][0]-1-lead)
	}
	for from > 0 && from < len(line) && !utf8.RuneStart(line[from]) {
		from++
	}
	to := min(len(line), from+MaxExcerpt)
	for to < len(line) && to > from && !utf8.RuneStart(line[to]) {
		to--
	}
	return line[from:to], from + 1
}
