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
	Lines int  `json:"lines"`
	From  int  `json:"from"`
	Form  Form `json:"form"`
	// Rows are the lines of the window.
	Rows [][]Span `json:"rows"`
	// Compact says of each row what its line is as printed, null where that is what it shows. It is there in the compact form of texts
	// that have one.
	Compact []*CompactLine `json:"compact,omitempty"`
}

// CompactLine is what a line in its compact form stands for.
type CompactLine struct {
	// Type is the type of what the line binds.
	Type []Span `json:"type,omitempty"`
	// Exact is the printed line.
	Exact string `json:"exact"`
	// Columns maps the line to the printed one, in parts without gaps: for each where it ends in the line, and where what it stands
	// for begins and ends in the printed one. Columns count UTF-16 units, as scripts do.
	Columns []int `json:"columns"`
}

// DiffPage is a window of the diff of two texts.
type DiffPage struct {
	// Before and After are the hashes of the texts; "-" is the empty one.
	Before string `json:"before"`
	After  string `json:"after"`
	View   View   `json:"view"`
	Form   Form   `json:"form"`
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
	// Compact, LeftCompact and RightCompact are there where the line is shown in its compact form.
	Text         []Span       `json:"text,omitempty"`
	Compact      *CompactLine `json:"compact,omitempty"`
	Left         []Span       `json:"left,omitempty"`
	LeftCompact  *CompactLine `json:"left_compact,omitempty"`
	Right        []Span       `json:"right,omitempty"`
	RightCompact *CompactLine `json:"right_compact,omitempty"`
	// Mark says that the line differs in names only, or stands elsewhere too: at the line Other of the other text.
	Mark  RowMark `json:"mark,omitempty"`
	Other int     `json:"other,omitempty"`
	// Cut tells that the line is longer than MaxLine.
	Cut bool `json:"cut,omitempty"`
}

// Fold is a range of rows of the view without folds, and what they show.
type Fold struct {
	From  int `json:"from"`
	Count int `json:"count"`
	// Lines is the number of lines of each text; Indented tells that they differ in their indentation.
	Lines    int  `json:"lines"`
	Indented bool `json:"indented,omitempty"`
	// Bindings tells that each line binds a name: First and Last are those at the ends, as the form has them.
	Bindings bool   `json:"bindings,omitempty"`
	First    string `json:"first,omitempty"`
	Last     string `json:"last,omitempty"`
}

// RowMark says how a line that differs is only another's.
type RowMark string

// The marks of rows.
const (
	Renamed RowMark = "renamed"
	Moved   RowMark = "moved"
	// Indented marks a line that stands in its place and differs in its indentation only.
	Indented RowMark = "indented"
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
