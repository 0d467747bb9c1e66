package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/runtime/dtype"
)

// Options says how to print. The zero value is the form that every other part of the
// program works with. All options but those of the last group give a text that reads back as
// the same module.
type Options struct {
	// Name is that of the module's class, or of a function that is printed on its own by
	// Node; empty is "Module" or "func".
	Name string
	// IRPrefix, TIRPrefix and RelaxPrefix stand before what the dialects define; empty is "I",
	// "T" and "R". Where one is another, the text imports it in a statement that a parser
	// sees: a function printed without its module can then be read only with that import.
	IRPrefix, TIRPrefix, RelaxPrefix string
	// ModuleAlias is what functions of the module are referred to through; empty is "cls".
	// NoModuleAlias stands for the name of the class.
	ModuleAlias string

	// IntDType is the type of integers that PrimFuncs print without a type; Void is int32,
	// which every reader of TVMScript takes. FloatDType is that of floats; Void spells the type
	// of each. BufferDType is the element type that declarations of buffers leave out; Void is
	// float32. Another type is noted in a comment on each PrimFunc, which package parse
	// reads and no other reader does.
	IntDType, FloatDType, BufferDType dtype.DType

	// ShowMeta writes the values of constants as JSON before the module, in TVM's form.
	// Without it they are missing in the text: package parse is given them otherwise.
	ShowMeta bool
	// MetaBytes bounds the bytes of the constants that ShowMeta writes; 0 is 1 GiB. Those beyond it stand under their digests, as without it.
	MetaBytes int64
	// VerboseExpr declares the free variables of an expression that Node prints.
	VerboseExpr bool
	// HideStructInfo leaves out the annotations of variables that follow from the values
	// (show_all_struct_info=False).
	HideStructInfo bool
	// NoSyntaxSugar writes out what has a shorter form: nested loops, axes one by one, the
	// root block, buffers of parameters, bindings that hold nothing (syntax_sugar=False).
	NoSyntaxSugar bool
	// TVM arranges the text as TVM's own script() does where the usual form is easier to read: PrimFuncs
	// stand first and "main" last, each function that calls others of the module begins with "cls = Module",
	// signatures stay on one line, T.ret is a return statement, and attributes that are true are True.
	TVM bool
	// Scratch, where not nil, is memory that prints share, one at a time. It saves who prints
	// many functions the growth of a buffer for each.
	Scratch *Scratch

	// IndentSpaces is the width of one level of indentation; 0 is 4.
	IndentSpaces int

	// Annotate puts a comment on the line of each node: behind it, or above statements with a
	// body and functions. AnnotatePaths does the same for one place of a node. Comments are
	// lost when the text is read.
	Annotate      map[ir.Node]string
	AnnotatePaths []PathNote

	// What follows is for the eyes only: with any of these the text is no TVMScript any more.

	// Underline marks each place at which one of the nodes stands by a line of ^ below it;
	// UnderlinePaths marks one place. Where a path leads to what has no text of its own, the
	// nearest node around it is taken.
	Underline      []ir.Node
	UnderlinePaths []ir.Path
	// NumContextLines leaves out the lines that are farther than that from any underlined
	// line; nil leaves out none.
	NumContextLines *int
	// PrintLineNumbers puts the number of each line before it.
	PrintLineNumbers bool
}

// PathNote is a comment on the node at a path, which starts at what is printed.
type PathNote struct {
	Path ir.Path
	Text string
}

// NoModuleAlias as Options.ModuleAlias refers to functions by the name of the module's class.
const NoModuleAlias = "."

// optionNames are TVM's names of the options that have a plain value.
var optionNames = []string{
	"name", "show_meta", "ir_prefix", "tir_prefix", "relax_prefix", "module_alias", "buffer_dtype", "int_dtype", "float_dtype",
	"verbose_expr", "indent_spaces", "print_line_numbers", "num_context_lines", "syntax_sugar", "show_all_struct_info",
}

// maxIndent bounds IndentSpaces.
const maxIndent = 16

// Set sets an option by TVM's name. The value is a bool, an integer or a string; strings are
// read where another type is expected ("True", "true", "2").
func (o *Options) Set(name string, value any) error {
	var err error
	text := fmt.Sprint(value)
	flag := func() bool {
		switch strings.ToLower(text) {
		case "true", "1":
			return true
		case "false", "0":
			return false
		}
		err = fmt.Errorf("printer option %s: expected True or False, got %q", name, text)
		return false
	}
	number := func(least, most int) int {
		var n int
		if _, e := fmt.Sscanf(text, "%d", &n); e != nil || fmt.Sprint(n) != text || n < least || n > most {
			err = fmt.Errorf("printer option %s: expected an integer from %d to %d, got %q", name, least, most, text)
		}
		return n
	}
	element := func(void dtype.DType) dtype.DType {
		if text == "" || text == "void" {
			return void
		}
		d, e := dtype.Parse(text)
		if e != nil {
			err = fmt.Errorf("printer option %s: %w", name, e)
		}
		return d
	}
	word := func() string {
		if text == "" || identifier(text) != text && !isPrefix(text) {
			err = fmt.Errorf("printer option %s: %q is not a Python identifier", name, text)
		}
		return text
	}
	next := *o
	switch name {
	case "name":
		next.Name = word()
	case "ir_prefix":
		next.IRPrefix = word()
	case "tir_prefix":
		next.TIRPrefix = word()
	case "relax_prefix":
		next.RelaxPrefix = word()
	case "module_alias":
		if next.ModuleAlias = NoModuleAlias; text != "" {
			next.ModuleAlias = word()
		}
	case "buffer_dtype":
		next.BufferDType = element(dtype.Void)
	case "int_dtype":
		next.IntDType = element(dtype.Void)
		if err == nil && !next.IntDType.IsVoid() && !next.IntDType.IsInt() {
			err = fmt.Errorf("printer option %s: expected a type of integers, got %q", name, text)
		}
	case "float_dtype":
		next.FloatDType = element(dtype.Void)
		if err == nil && !next.FloatDType.IsVoid() && !next.FloatDType.IsFloat() {
			err = fmt.Errorf("printer option %s: expected a type of floats, got %q", name, text)
		}
	case "show_meta":
		next.ShowMeta = flag()
	case "verbose_expr":
		next.VerboseExpr = flag()
	case "syntax_sugar":
		next.NoSyntaxSugar = !flag()
	case "show_all_struct_info":
		next.HideStructInfo = !flag()
	case "print_line_numbers":
		next.PrintLineNumbers = flag()
	case "indent_spaces":
		next.IndentSpaces = number(1, maxIndent)
	case "num_context_lines":
		if n := number(-1, 1<<20); n >= 0 {
			next.NumContextLines = &n
		} else {
			next.NumContextLines = nil
		}
	default:
		help := "known are " + strings.Join(optionNames, ", ")
		if near := nearest.Name(name, slices.Values(optionNames)); near != "" {
			help = "did you mean " + near + "?"
		}
		return fmt.Errorf("unknown printer option %q; %s", name, help)
	}
	if err == nil {
		*o = next
	}
	return err
}

func isPrefix(s string) bool { return s == "I" || s == "T" || s == "R" || s == "cls" }
