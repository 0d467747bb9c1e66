package parse

import (
	"fmt"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Options says what a text may refer to and how gaps are filled.
type Options struct {
	// Define gives the values of names that the text closes over: bool, int, int64, float64,
	// string, nil, lists of them ([]any), and nodes of the IR.
	Define map[string]any
	// Constants gives the tensors that metadata entries name, by the key of the entry: the
	// start of the digest as package script prints it, or an index.
	Constants map[string]*ir.Blob
	// AllowMissingConstants fills constants that neither Constants nor the text has with
	// zeros of the annotated shape. Without it they are errors.
	AllowMissingConstants bool
	// Within is the module that functions without a class are read as a part of: they refer to
	// its functions, devices, attributes and operators, and stand in the place of those with their names.
	// The result has only what the text defines.
	Within *ir.Module
	// Roots gives parameters and lines an entry in the module's table of origins, and the nodes
	// that stand in a line that of the line.
	Roots bool
	// Nameless calls a private function that is alone "main", as TVM's IRModule.from_expr and printer do: it has no name in a module.
	Nameless bool
	// Operators are those of the program, beside those of the tables.
	Operators []*op.Op
	// Budget is what reading may take, see package budget; nil is no limit. What exceeds it is an
	// error at the statement where that happens, and nothing behind it is read.
	Budget *budget.Budget
}

// operators are those that the text may call beside those of the tables.
func (o Options) operators() []*op.Op {
	if o.Within == nil {
		return o.Operators
	}
	return append(op.DefinedIn(o.Within), o.Operators...)
}

// NamedModule is a module with the name of its class.
type NamedModule struct {
	Name   string
	Module *ir.Module
}

// Module reads a text with one module, or with functions alone, which become a module. name
// is the file's, for diagnostics. The module is nil where there are errors; it is complete
// but not verified otherwise.
func Module(name, text string, o Options) (*ir.Module, []ir.Diagnostic) {
	mods, diags := File(name, text, o)
	switch {
	case len(mods) == 1:
		return mods[0].Module, diags
	case len(mods) > 1:
		return nil, append(diags, wholeText(name, text, fmt.Sprintf("expected one module, got %d", len(mods)), "run each of them on its own")...)
	case len(diags) == 0:
		return nil, wholeText(name, text, "this text contains no module or function", "begin with @I.ir_module and a class, or with @T.prim_func or @R.function")
	}
	return nil, diags
}

// wholeText is an error of no place in particular.
func wholeText(name, text, message, help string) []ir.Diagnostic {
	return newSpans(syntax.NewSource(name, text)).diagnostics([]syntax.Error{{At: 0, End: 1, Message: message, Help: help}})
}

// File reads a text with any number of modules. Functions outside of classes make up one
// module together. The list is empty where there are errors.
func File(name, text string, o Options) ([]NamedModule, []ir.Diagnostic) {
	f := syntax.Outline(name, text)
	defer f.Close()
	if !f.Failed() {
		mods, diags, ok := build(f, text, o)
		if ok {
			return mods, diags
		}
	}
	f = syntax.Parse(name, text) // for all of its errors
	return nil, newSpans(f.Source).diagnostics(f.List)
}

// build makes modules of a file without errors so far, or the errors in them. It is not ok where
// a body that is read on the way has syntax errors: then nothing else is reported.
func build(f *syntax.File, text string, o Options) (mods []NamedModule, diags []ir.Diagnostic, ok bool) {
	b := newBuilder(f, text, o)
	b.guard(&syntax.Stmt{End: 1}, func() { mods = b.modules(f.Stmts) }) // what fails outside of statements
	switch {
	case b.unreadable || f.Failed() && f.Unread() && syntax.Parse(f.Name, text).Failed():
		return nil, nil, false
	case len(mods) == 0 && !f.Failed():
		f.List = append(f.List, f.Host...) // they may say why there is nothing
	}
	if f.Failed() {
		return nil, b.spans.diagnostics(f.List), true
	}
	return mods, nil, true
}

func newBuilder(f *syntax.File, text string, o Options) *builder {
	return &builder{
		src: text, file: f, d: f.Errors, spans: newSpans(f.Source), opts: o, table: constructsWith(o.operators()), nodes: newNodes(), metadata: map[string]*ir.Blob{}, comments: f.Comments, env: scope{vals: map[string]binding{}},
		intType: dtype.Int32T, floatType: dtype.Float32T, bufferType: dtype.Float32T,
	}
}

// builder walks the syntax tree and makes nodes.
type builder struct {
	src      string
	file     *syntax.File
	d        *syntax.Errors
	spans    *spans
	opts     Options
	comments []syntax.Comment
	table    map[string]*signature
	calls    []*call // that are not in use
	env      scope
	metadata map[string]*ir.Blob

	mod *moduleState
	// Types of integers, floats and buffers that are written without one.
	intType, floatType, bufferType dtype.DType

	graph bool // in a Relax function
	tirx  bool // the text imports tvm.script.tirx: it is of TVM v0.24 or later
	dims  bool // in struct info: strings are expressions over symbolic variables
	depth int

	stopped    bool // the budget is used up
	unreadable bool // a body has syntax errors

	sizes    map[ir.Node]int // of nodes that names stand for
	expanded int             // statements that came out of macros

	tf *loopFunc
	rf *graphFunc

	nodes nodes
}

// moduleState is the module under construction.
type moduleState struct {
	mod   *ir.Module
	class string
	infos map[string][]ir.Node
	// funcs holds what is known of each function: its final form, or one that has only the
	// signature until it has been read.
	funcs map[string]ir.Function
	vars  map[string]*ir.GlobalVar
	lone  bool // functions without a class: others may be missing
	bb    *relax.BlockBuilder
	roots roots
}

// Values of expressions besides nodes of the IR, bool, int64, float64, string and nil.
type (
	// namespace is a dotted name of a dialect, such as T.axis.
	namespace struct{ path string }
	// list is a Python list or tuple.
	list struct {
		items []any
		tuple bool
		size  int // of values, nested ones too
	}
	// dict is a Python dictionary.
	dict struct{ keys, vals []any }
	// fresh is a variable that has just been made and takes the name that it is assigned to.
	fresh struct{ v *tir.Var }
	// poison stands for the value of a statement that failed.
	poison struct{}
	// moduleRef stands for the module: cls, or the name of its class.
	moduleRef struct{}
	// metaVar is a value that is substituted where its name is used.
	metaVar struct{ v any }
	// method is an attribute of a value that is to be called.
	method struct {
		recv any
		sig  *signature
	}
	// device is the value of R.device and I.vdevice.
	device struct{ kind, index int64 }
)
