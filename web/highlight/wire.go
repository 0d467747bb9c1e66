package highlight

import (
	"encoding/json"
	"fmt"
)

// The types of this file are the JSON that AppendRows and the pages made of it write by hand, for speed. Readers in Go decode
// into them, and the types of the page are made from them; a test decodes what is written, without a field left over.

// TextPage is a window of a text.
type TextPage struct {
	Hash     string `json:"hash"`
	Language string `json:"language"`
	// Lines counts those of the whole text; From is the first line of the window, from 1.
	Lines int `json:"lines"`
	From  int `json:"from"`
	// Rows are the lines of the window.
	Rows [][]Span `json:"rows"`
}

// DiffPage is a window of the diff of two texts.
type DiffPage struct {
	// Before and After are the hashes of the texts; "-" is the empty one.
	Before string `json:"before"`
	After  string `json:"after"`
	View   View   `json:"view"`
	// Context is the number of lines around a change, or "all".
	//
	//wire:type number | "all"
	Context any `json:"context"`
	// Added and Removed count lines, Renamed and Moved the pairs of them that are only that.
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Renamed int `json:"renamed"`
	Moved   int `json:"moved"`
	// LinesBefore and LinesAfter count the lines of the two texts, Total the rows of the diff.
	LinesBefore int `json:"lines_before"`
	LinesAfter  int `json:"lines_after"`
	Total       int `json:"total"`
	// From is the first row of the window, from 0.
	From int `json:"from"`
	// Hunks are those of the whole diff, up to a limit beyond which there are MoreHunks.
	Hunks     []RowHunk `json:"hunks"`
	MoreHunks bool      `json:"more_hunks"`
	Rows      []WireRow `json:"rows"`
}

// RowHunk is a run of rows that differ: its first row, their number, and the lines there.
type RowHunk struct {
	Row    int `json:"row"`
	Rows   int `json:"rows"`
	Before int `json:"before"`
	After  int `json:"after"`
}

// RowKind says what a row of a diff shows.
type RowKind string

// The kinds of rows.
const (
	RowSame RowKind = "same"
	RowDel  RowKind = "del"
	RowAdd  RowKind = "add"
	// RowMod is a line that was replaced by another, beside each other.
	RowMod RowKind = "mod"
	// RowFold stands for lines that are the same and not shown.
	RowFold RowKind = "fold"
)

// WireRow is a row of a diff.
type WireRow struct {
	Kind RowKind `json:"kind"`
	// Before and After are numbers of lines, from 1.
	Before int `json:"before,omitempty"`
	After  int `json:"after,omitempty"`
	// Fold are the hidden rows of a fold, by their numbers in the view without folds.
	Fold *Fold `json:"fold,omitempty"`
	// Text is the line; Left and Right are the two of a RowMod.
	Text  []Span `json:"text,omitempty"`
	Left  []Span `json:"left,omitempty"`
	Right []Span `json:"right,omitempty"`
	// Mark says that the line differs in names only, or stands elsewhere too: at the line Other of the other text.
	Mark  RowMark `json:"mark,omitempty"`
	Other int     `json:"other,omitempty"`
	// Cut tells that the line is longer than MaxLine.
	Cut bool `json:"cut,omitempty"`
}

// Fold is a range of rows.
type Fold struct {
	From  int `json:"from"`
	Count int `json:"count"`
}

// RowMark says how a line that differs is only another's.
type RowMark string

// The marks of rows.
const (
	Renamed RowMark = "renamed"
	Moved   RowMark = "moved"
)

// MarshalJSON writes the list that a span is on the wire.
func (s Span) MarshalJSON() ([]byte, error) {
	list := appendSpans(nil, []Span{s})
	return list[1 : len(list)-1], nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Span) UnmarshalJSON(data []byte) error {
	var mark int
	parts := []any{&s.Class, &s.Text, &mark}
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("decode a span: %w", err)
	}
	if len(parts) < 2 || len(parts) > 3 {
		return fmt.Errorf("decode a span: it has %d parts, want a class, a text and perhaps 1", len(parts))
	}
	s.Mark = mark == 1
	return nil
}
