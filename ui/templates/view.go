package templates

import (
	"encoding/json"
	"time"
)

// Assets holds the addresses of the static files that every page loads.
type Assets struct {
	// CSS is the style sheet, JS the bundled script, ThemeJS the small script that sets the theme before the first paint.
	CSS, JS, ThemeJS string
	// OwnCSS is the style sheet of this page alone; empty where it has none.
	OwnCSS string
	// Preload lists the scripts that JS imports on this page, so that they are fetched together with it.
	Preload []string
	// Fonts lists the fonts that CSS names, so that they are fetched together with it.
	Fonts []string
	// LateCSS is the style sheet of what comes after the first view, which a script adds.
	LateCSS string
	// PrintCSS is the style sheet for paper.
	PrintCSS string
	// Favicon is the icon of the site.
	Favicon string
}

// GalleryView is what the start page shows.
type GalleryView struct {
	Assets Assets
	Models []ModelCard
	// Code is what becomes of a model where no target is chosen, in words.
	Code string
	// Next are the addresses of the scripts of a session's page, which most visitors open next.
	Next []string
	// Scripts are passes as a visitor might write them, each with a session that shows it.
	Scripts []ScriptCard
	// Lessons are the first of all lessons, AllLessons is how many there are.
	Lessons    []LessonCard
	AllLessons int
	// MaxUpload is the largest model file that the server takes, in bytes; MaxText the longest text, 0 where it takes none.
	MaxUpload, MaxText int64
	// MaxArchive is the size of the largest archive of a session, in bytes.
	MaxArchive int64
	// Sessions are the newest of this visitor's own, AllSessions is how many there are.
	Sessions    []SessionRow
	AllSessions int
	// Error is what was wrong with an upload that was sent without JavaScript; empty otherwise.
	Error string
	// Version names the build of the server.
	Version string
}

// SessionRow is a session in the list of a visitor's own.
type SessionRow struct {
	ID, Title string
	// Model is what the session compiles: the name of a model of the gallery, or of a file.
	Model   string
	Created time.Time
	// Shared tells that the session does not change any more, Forked that it began as a copy of another.
	Shared, Forked bool
	Runs           int
}

// SessionLink leads to a session.
type SessionLink struct {
	ID, Title string
	// Shared tells that it does not change.
	Shared bool
}

// ModelCard describes a built-in model.
type ModelCard struct {
	// Name identifies the model in requests, Title is for people.
	Name, Title string
	// Doc is one or two sentences on what the model is and what it is good for watching.
	Doc string
	// Inputs are the inputs of the model in order.
	Inputs []InputDoc
	// Bindings says with which values of symbolic dimensions the model runs, such as "batch = 1, 3, 8"; empty where all is static.
	Bindings string
	// Ops counts the operators of the model, most frequent first.
	Ops []OpCount
	// Parameters is the number of weights; 0 where it is not known.
	Parameters int64
}

// ScriptCard describes a script that comes with the program.
type ScriptCard struct {
	// Name identifies the example in requests, Title and Doc are for people.
	Name, Title, Doc string
	// File is the name of the script.
	File string
}

// LessonCard describes a lesson in a list.
type LessonCard struct {
	// Name identifies the lesson in requests, Title and Doc are for people. Number counts all lessons from 1.
	Name, Title, Doc string
	Number, Steps    int
	// Level says how much the lesson takes for granted, 1 to 3.
	Level int
}

// LessonPart is a group of lessons.
type LessonPart struct {
	Title   string
	Lessons []LessonCard
}

// LessonsView is what the list of all lessons shows.
type LessonsView struct {
	Assets Assets
	Parts  []LessonPart
}

// LessonView is a lesson beside a session. Texts are HTML, which the server made of Markdown.
type LessonView struct {
	Name, Title, Part, Lead string
	// Number counts from 1, Count is how many lessons there are.
	Number, Count int
	Steps         []LessonStep
	// Next is the lesson that follows; empty for the last one.
	Next, NextTitle string
}

// LessonStep is a step of a lesson.
type LessonStep struct {
	Title, HTML string
	// Ask is the question; empty where none is asked. Choices are the answers to choose from; none where one is typed.
	Ask     string
	Choices []string
	Hints   []string
	// Checked tells that an answer is judged, Solved that there is a solution to show.
	Checked, Solved bool
}

// DocView is what the page of a document shows.
type DocView struct {
	Assets Assets
	// Name identifies the document, "" for the list of all; HTML is its text.
	Name, Title, HTML string
	// Sections are all documents.
	Sections []DocSection
}

// DocSection is a part of the list of documents.
type DocSection struct {
	Title string
	Links []DocLink
}

// DocLink leads to a document; Lead is its first sentence.
type DocLink struct {
	Name, Title, Lead string
}

// PassView is what the page of a pass shows, or with no name the list of all.
type PassView struct {
	Assets Assets
	// Graph and Loops are all passes, by what they work on.
	Graph, Loops []PassLink
	Name         string
	// Doc is what the pass does, in a few sentences; Facts are its kind, level and role.
	Doc   string
	Facts []string
	// Prose, Example and Reading are HTML of this program; Changes are what the pass did in the example, by function.
	Prose, Example, Reading string
	Changes                 []CodeBlock
	Order                   []PassOrder
	Options                 []PassOption
}

func (v PassView) title() string {
	if v.Name == "" {
		return "Passes"
	}
	return v.Name
}

// PassLink leads to a pass.
type PassLink struct {
	Name, Doc string
}

// PassOrder is a constraint on the order of a pass and another: "needs", "feeds", "better after", "better before" or "requires", and why.
type PassOrder struct {
	Word, Pass, Why string
}

// PassOption is an option of a pass, or one of the context that it reads.
type PassOption struct {
	Name, Type, Default, Doc string
	Context                  bool
}

// OperatorView is what the page of an operator shows, or with no name the list of all.
type OperatorView struct {
	Assets Assets
	// Families are all operators by the first part of their names.
	Families []OperatorFamily
	Name     string
	// Doc is what it computes; Facts are how its kernel fuses and what passes know of it.
	Doc   string
	Facts []string
	// Call is the operator with the names of what it takes.
	Call   string
	Args   []OperatorArg
	Shapes []OperatorShapes
	// Lowering is what LegalizeOps does to the example; without rows it leaves it as it is, and Module is the example.
	Lowering, Module CodeBlock
}

func (v OperatorView) title() string {
	if v.Name == "" {
		return "Operators"
	}
	return v.Name
}

// OperatorFamily are operators whose names begin alike.
type OperatorFamily struct {
	Title string
	Links []PassLink
}

// OperatorArg is an argument or an attribute of an operator.
type OperatorArg struct {
	Name, Type, Default, Doc string
}

// OperatorShapes is the struct info that comes out of arguments of a form.
type OperatorShapes struct {
	Form   string
	Args   []string
	Result string
}

// InputDoc is one input of a model: a name, an element type and a printed shape such as "1×3×32×32".
type InputDoc struct {
	Name, DType, Shape string
}

// OpCount is a number of operators of one kind.
type OpCount struct {
	Op string
	N  int
}

// SessionView is what the page of a session shows before its script runs, or without it.
type SessionView struct {
	Assets Assets
	// Session and Run are the ids in addresses; Run is the run that is shown and may be empty.
	Session, Run string
	// Title is the name of the model as the user knows it.
	Title string
	// SourceText is the hash of the text that the session starts from; empty where it starts from a model.
	SourceText string
	// Compiler tells that the server compiles: that visitors may write passes, edit pipelines and IR, and see graphs.
	Compiler bool
	// Dump tells that the session shows what another compiler printed, of which nothing can be run.
	Dump bool
	// Lesson is the lesson that the session is for; nil for none.
	Lesson *LessonView
	// CodeMirrorJS is the script of the editor; empty where nothing is edited.
	CodeMirrorJS string
	// MayEdit tells whether this visitor may start runs in the session and change what it shows.
	MayEdit bool
	// Reason says why this visitor may change nothing; empty for one who may.
	Reason string
	// Reduced tells that the page only shows the run, with nothing that starts, shares or changes anything: an exported page, or one
	// in the frame of another. Link opens the session itself, empty where it may not be told, and Origin says where the page comes from.
	Reduced bool
	// DiffOnly leaves the passes out too. Embed tells that other pages may show the session in a frame.
	DiffOnly, Embed bool
	Link, Origin    string
	// Class tells that the visitor is a student, whose session this is.
	Class bool
	// Expires is when the session goes; zero for never.
	Expires time.Time
	// Shared tells that nobody may change the session any more, Owner that this visitor made it and may delete it.
	Shared, Owner bool
	// Parent is the session that this one was forked from, none or one, and Forks those that were forked from it, as far as
	// the visitor may know them.
	Parent, Forks []SessionLink
	// Targets are those that can be chosen, that of the run among them.
	Targets []TargetOption
	// Target, OptLevel and Pipeline are the settings of the run.
	Target   string
	OptLevel int
	Pipeline string
	// Command is the command line that does the same as the run.
	Command string
	// Status says how far the run is: "running", "ok", "failed" and so on, and Message what went wrong, if anything.
	Status, Message string
	// Passes are the steps of the run in order, parents first.
	Passes []PassRow
	// MorePasses says that the run has more passes than the table; empty where it has not.
	MorePasses string
	// Code is the head of a text to show without JavaScript.
	Code CodeBlock
	// Beginning is what the script begins with; nil where there is no run to show.
	Beginning *Beginning
}

// Beginning is what a page brings along for its script, as data.
type Beginning struct {
	// Run is the run whose first events Events are.
	Run    string            `json:"run"`
	Events []json.RawMessage `json:"events"`
	// Answers are those to requests that the script would make first, by address.
	Answers map[string]json.RawMessage `json:"answers"`
}

// TargetOption is a target to choose; StandIn says that the interpreter runs its kernels, as no code is generated for it.
type TargetOption struct {
	Name, Label, Doc string
	StandIn          bool
}

// PassRow is one step of a run.
type PassRow struct {
	// Step is the path of the step, such as "2.1/FuseOps", and Depth its nesting, from 0.
	Step  string
	Depth int
	Name  string
	Level int
	// Lowering tells that code cannot be made without this pass.
	Lowering bool
	// Page tells that there is a page of this pass.
	Page bool
	// Status is "waiting", "running", "changed", "same", "skipped" or "failed".
	Status string
	// Text says why a pass did not run or how it failed.
	Text string
	// Added and Removed count lines over all functions, Renamed and Moved those that are only that.
	Added, Removed, Renamed, Moved int
	// Time is the printed duration, such as "3.1 ms".
	Time string
	// Reused tells that the step was taken from an earlier run.
	Reused bool
}

// CodeBlock is the beginning of a text or of a diff, with its highlighting.
type CodeBlock struct {
	// Title says what it is, such as "FuseOps › main".
	Title string
	Rows  []CodeRow
	// Lines is the number of rows of the whole.
	Lines int
	// Diff tells that rows have two numbers, Digits how long numbers are.
	Diff   bool
	Digits int
}

// CodeRow is one row of code.
type CodeRow struct {
	// Kind is "same", "add", "del" or "fold", Mark "renamed", "moved", "indented" or empty.
	Kind, Mark string
	// Before and After are numbers of lines, 0 for none.
	Before, After int
	// Spans are the text, Type the type beside it.
	Spans, Type []Span
}

// Span is a piece of text with a class of the highlighter, such as "c-k"; the class may be empty.
type Span struct {
	Class, Text string
	// Differs tells that the other side of the diff has something else there.
	Differs bool
}

// ErrorView is a page that says what went wrong.
type ErrorView struct {
	Assets Assets
	// Status is the HTTP status, Title its name for people.
	Status int
	Title  string
	// Message says what was wrong, and what to do about it.
	Message string
}

// EditorView is the page on which a session starts from a text.
type EditorView struct {
	Assets Assets
	// CodeMirrorJS is the script that makes an editor of the textarea.
	CodeMirrorJS string
	// Name is the file name that places in the text are given with, Text the text itself.
	Name, Text string
	// Parent is the session whose text this is; empty for none.
	Parent string
	// Max is the length of the longest text, in bytes.
	Max int64
	// Pipeline is the one that is chosen of Pipelines.
	Pipeline  string
	Pipelines []PipelineChoice
	Examples  []Example
	// Error is what was wrong with a form that was sent without JavaScript, Diagnostics what is wrong with its text.
	Error       string
	Diagnostics []Diagnostic
}

// PipelineChoice is a pipeline that a run may use.
type PipelineChoice struct {
	Name, Doc string
}

// Example is a text to start from, with the pipeline that suits it.
type Example struct {
	Name, Title, File, Text, Pipeline string
}

// Diagnostic is a message about a place in a text; Line and Column count from 1 and are 0 where the place is not known.
type Diagnostic struct {
	Severity, Message, Help string
	Line, Column            int
}

// ClassView is the page of a class: the teacher's, or the one on which others join.
type ClassView struct {
	Assets    Assets
	ID, Title string
	Locked    bool
	Expires   time.Time
	// Teacher is true for whoever holds the class; From is the session that it is about.
	Teacher bool
	From    string
	// Name is the nickname that was not taken, and Problem says why.
	Name, Problem string
}

// CompareView is what the page of a comparison shows.
type CompareView struct {
	Assets Assets
	// Title names the models of the runs.
	Title string
	A, B  ComparedRun
	// Swapped is the address of the page with the runs in each other's place.
	Swapped string
	// Pages names the passes that have a page, separated by spaces.
	Pages string
	// Dumps tells that a run was read from what another compiler printed: there are texts to compare, but no settings, outputs, or pages of passes.
	Dumps bool
}

// ComparedRun is one of the runs of a comparison.
type ComparedRun struct {
	// Run identifies it; Session is one that has it, empty where the address names none.
	Run, Session string
	// Label says its settings in short, Command is the command line that does the same.
	Label, Command string
}
