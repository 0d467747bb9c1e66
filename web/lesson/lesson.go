// Package lesson reads lessons: texts in Markdown with a module, a pipeline and steps, each of which may ask for an answer that a check in
// Starlark judges. docs/writing-lessons.md describes the format for authors.
//
// A lesson is plain data here. What is in it is checked against the compiler by Verify, and tried as students do by Try, through what the caller hands in. Package web and
// cmd/explorer import this package; it must not know HTTP or the compiler.
package lesson

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/web/session"
)

// Lesson is a lesson.
type Lesson struct {
	// Name identifies the lesson in addresses: that of its file without the number before it.
	Name string
	// File is the name of its file, for errors.
	File string
	// Title, Summary and Part are for people. Lessons of one part are listed together.
	Title, Summary, Part string
	// Level says how much the lesson takes for granted: 1 nothing, 2 what a pass is, 3 the passes that it is about.
	Level int
	// Model is a model of the gallery; where it is empty, Module is a text of TVMScript.
	Model, Module string
	// Settings are those of the first run. The target may be empty.
	Settings request.Settings
	// MayChange names what an answer may change in the settings; nil is everything.
	MayChange []Freedom
	// Lead is the text before the first step, as HTML.
	Lead  string
	Steps []Step

	places places
}

// Step is a step of a lesson.
type Step struct {
	Title string
	// HTML is the text.
	HTML string
	// Question is what is asked for; nil where the answer is a run alone, or nothing is checked.
	Question *Question
	// Check judges the run and the answer; nil where there is nothing to check. Its line numbers are those of the file of the lesson.
	Check *request.Script
	// Hints are shown one by one, as HTML.
	Hints []string
	// Solution is shown after some effort; nil where there is none.
	Solution *Solution
	// Wrong are answers that the check must refuse; tests give them to it.
	Wrong []Answer
}

// Question asks for a text, or for one of some choices.
type Question struct {
	Ask     string   `json:"ask"`
	Choices []string `json:"choices,omitempty"`
}

// Solution is an answer with its explanation, as HTML.
type Solution struct {
	HTML string
	Answer
}

// Answer is what a student may come to.
type Answer struct {
	// Settings are those of the run; nil where those of the lesson are left as they are.
	Settings *request.Settings
	// Text answers the question.
	Text string

	at pos // of its heading
}

// Begin is what a session takes from the lesson.
func (l *Lesson) Begin() session.Lesson {
	return session.Lesson{Name: l.Name, Title: l.Title, Model: l.Model, Module: l.Module}
}

// Complete returns settings of a lesson with what they leave to the defaults of a session.
func Complete(given, defaults request.Settings) request.Settings {
	given.Target = cmp.Or(given.Target, defaults.Target)
	if given.Bindings == nil {
		given.Bindings = defaults.Bindings
	}
	if given.Config == nil {
		given.Config = defaults.Config
	}
	return given
}

// Error is what is wrong with the file of a lesson.
type Error struct {
	File      string
	Line, Col int
	Message   string
}

// Error writes file:line:col: message.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Message) }

// Errors are all that is wrong with some lessons, in the order of the files.
type Errors []*Error

// Error lists the errors, one a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, x := range e {
		lines[i] = x.Error()
	}
	return strings.Join(lines, "\n")
}

// sorted returns the errors as an error, nil where there are none.
func (e Errors) sorted() error {
	if len(e) == 0 {
		return nil
	}
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return e
}

// Find returns the lesson of a name and its number from 0; nil for none.
func Find(list []*Lesson, name string) (*Lesson, int) {
	i := slices.IndexFunc(list, func(l *Lesson) bool { return l.Name == name })
	if i < 0 {
		return nil, 0
	}
	return list[i], i
}

// pos is a place in a file, both numbers from 1.
type pos struct{ line, col int }

// named is a name in a file.
type named struct {
	name string
	pos
}

// places say where things stand that only the compiler can judge.
type places struct {
	model, module pos
	passes        []named // of pipelines and of lists of passes
	config        []named
	scripts       []script
	links         []link
}

// link is a link to a place in the session, with its query and its title, which is part of what stands in the line.
type link struct {
	query, title string
	pos
}

// script is a script of the lesson with the line of its first line.
type script struct {
	request.Script
	line int
}
