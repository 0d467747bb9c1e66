package templates

import (
	"encoding/json"
	"time"
)

// Assets holds the addresses of the static files that every page loads.
type Assets struct {
	// CSS is the style sheet, JS the bundled script, ThemeJS the small script that sets the theme before the first paint.
	CSS, JS, ThemeJS string
	// Preload lists the scripts that JS imports on this page, so that they are fetched together with it.
	Preload []string
	// Fonts lists the fonts that CSS names, so that they are fetched together with it.
	Fonts []string
	// Favicon is the icon of the site.
	Favicon string
}

// GalleryView is what the start page shows.
type GalleryView struct {
	Assets Assets
	Models []ModelCard
	// Next are the addresses of the scripts of a session's page, which most visitors open next.
	Next []string
	// Scripts are passes as a visitor might write them, each with a session that shows it.
	Scripts []ScriptCard
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
	// CodeMirrorJS is the script of the editor; empty where nothing is edited.
	CodeMirrorJS string
	// HistoryCSS is the style sheet of what became of a value, which is loaded when it is needed.
	HistoryCSS string
	// MayEdit tells whether this visitor may start runs in the session and change what it shows.
	MayEdit bool
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

// TargetOption is a target to choose.
type TargetOption struct{ Name, Doc string }

// PassRow is one step of a run.
type PassRow struct {
	// Step is the path of the step, such as "2.1/FuseOps", and Depth its nesting, from 0.
	Step  string
	Depth int
	Name  string
	Level int
	// Lowering tells that code cannot be made without this pass.
	Lowering bool
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

// CodeBlock is the head of a text, with its highlighting.
type CodeBlock struct {
	// Title says what the text is, such as "main after FuseOps".
	Title string
	Rows  []CodeRow
	// Lines is the number of lines of the whole text.
	Lines int
}

// CodeRow is one line: its number, a mark (' ', '+' or '-') and its spans.
type CodeRow struct {
	Number int
	Mark   string
	Spans  []Span
}

// Span is a piece of text with a class of the highlighter, such as "c-k"; the class may be empty.
type Span struct {
	Class, Text string
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

// CompareView is what the page of a comparison shows.
type CompareView struct {
	Assets Assets
	// Title names the models of the runs.
	Title string
	A, B  ComparedRun
	// Swapped is the address of the page with the runs in each other's place.
	Swapped string
}

// ComparedRun is one of the runs of a comparison.
type ComparedRun struct {
	// Run identifies it; Session is one that has it, empty where the address names none.
	Run, Session string
	// Label says its settings in short, Command is the command line that does the same.
	Label, Command string
}
