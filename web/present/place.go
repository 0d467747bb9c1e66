package present

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a place.
const (
	maxQuery = 3 << 10
	maxLine  = 1 << 30
)

// Place is where a presenter is, as the page sends it.
type Place struct {
	// Query is the state of the page as its address has it: "?run=...&pass=...&function=...&view=unified".
	Query string `json:"query"`
	// Line is the first line in view of the text after the pass, or with Before of the text before it; 0 is the beginning.
	Line   int  `json:"line,omitempty"`
	Before bool `json:"before,omitempty"`
	// Scroll is how far a view without such lines is scrolled, a whole module or what is no text: 0 is the beginning, 1 the end.
	Scroll float64 `json:"scroll,omitempty"`
	// Window is what is in view of a graph; its zero value where there is none.
	Window Window `json:"window,omitzero"`
}

// Window is the part of a drawing that is in view: its left upper corner and its size as parts of the whole, and how large one unit is shown.
type Window struct {
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	W    float64 `json:"w"`
	H    float64 `json:"h"`
	Zoom float64 `json:"zoom"`
}

// maxZoom is more than a page has.
const maxZoom = 100

// valid tells whether a window is one, or none.
func (w Window) valid() bool {
	part := func(x float64) bool { return x >= 0 && x <= 1 }
	return w == Window{} || part(w.X) && part(w.Y) && part(w.W) && part(w.H) && w.W > 0 && w.H > 0 && w.Zoom > 0 && w.Zoom <= maxZoom
}

// readPlace reads a message of a presenter. What followers get is written anew from what was read.
func readPlace(msg []byte) (*Place, error) {
	var p Place
	dec := json.NewDecoder(bytes.NewReader(msg))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return nil, fmt.Errorf("read a place: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read a place: there is more behind it")
	}
	_, err := url.ParseQuery(strings.TrimPrefix(p.Query, "?"))
	switch {
	case len(p.Query) > maxQuery:
		return nil, fmt.Errorf("query has %d bytes; the limit is %d", len(p.Query), maxQuery)
	case p.Query != "" && p.Query[0] != '?':
		return nil, fmt.Errorf("query is %.60q, want it to begin with a question mark", p.Query)
	case err != nil:
		return nil, fmt.Errorf("read query: %w", err)
	case strings.ContainsFunc(p.Query, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }):
		return nil, fmt.Errorf("query is %.60q, want it without characters that cannot be shown", p.Query)
	case p.Line < 0 || p.Line > maxLine:
		return nil, fmt.Errorf("line is %d, want 0 to %d", p.Line, maxLine)
	case p.Scroll < 0 || p.Scroll > 1:
		return nil, fmt.Errorf("scroll is %v, want 0 to 1", p.Scroll)
	case !p.Window.valid():
		return nil, fmt.Errorf("window is %+v, want parts of a drawing from 0 to 1 and a zoom up to %d", p.Window, maxZoom)
	}
	return &p, nil
}
