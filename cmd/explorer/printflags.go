package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/spf13/cobra"
)

// printFlags say how TVMScript is printed.
type printFlags struct {
	showMeta, lineNumbers bool
	sugar, sinfo          bool
	underline, annotate   []string
	options               []string
}

func (f *printFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&f.showMeta, "show-meta", false, "write the values of constants before the module to make the text complete")
	fl.BoolVar(&f.sugar, "syntax-sugar", true, "use the shorter forms of TVMScript, such as T.grid")
	fl.BoolVar(&f.sinfo, "show-all-struct-info", true, "also annotate variables whose struct info follows from the value")
	fl.BoolVar(&f.lineNumbers, "line-numbers", false, "number the lines (the output is then not valid TVMScript)")
	fl.StringArrayVar(&f.underline, "underline", nil, "underline what is at a `path` such as functions[\"main\"].body (repeatable; the output is then not valid TVMScript)")
	fl.StringArrayVar(&f.annotate, "annotate", nil, "comment on what is at a path, as `path=text` (repeatable)")
	fl.StringArrayVar(&f.options, "print-option", nil, "any other printer option by TVM's name, as `name=value` (repeatable), such as int_dtype=int64")
}

// parse returns the options of the printer. Every error is a usageError.
func (f *printFlags) parse() (script.Options, error) {
	o := script.Options{ShowMeta: f.showMeta, NoSyntaxSugar: !f.sugar, HideStructInfo: !f.sinfo, PrintLineNumbers: f.lineNumbers}
	for _, s := range f.options {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return o, usageError{fmt.Errorf("--print-option %s: expected name=value", s)}
		}
		if name == "verbose_expr" {
			return o, usageError{fmt.Errorf("--print-option %s: this option applies to printing expressions, not modules", s)}
		}
		if err := o.Set(name, value); err != nil {
			return o, usageError{fmt.Errorf("--print-option %s: %w", s, err)}
		}
	}
	for _, s := range f.underline {
		p, err := ir.ParsePath(s)
		if err != nil {
			return o, usageError{fmt.Errorf("--underline %s: %w", s, err)}
		}
		o.UnderlinePaths = append(o.UnderlinePaths, p)
	}
	for _, s := range f.annotate {
		path, text, ok := cutPath(s)
		if !ok {
			return o, usageError{fmt.Errorf("--annotate %s: expected path=text", s)}
		}
		p, err := ir.ParsePath(path)
		if err != nil {
			return o, usageError{fmt.Errorf("--annotate %s: %w", s, err)}
		}
		o.AnnotatePaths = append(o.AnnotatePaths, script.PathNote{Path: p, Text: text})
	}
	return o, nil
}

// checkCompact refuses what the compact form cannot be combined with.
func (f *printFlags) checkCompact(short bool, emit string) error {
	if short && (emit != emitScript || f.lineNumbers || len(f.underline) > 0) {
		return usageError{errors.New("--compact is a form of TVMScript without line numbers or underlines: leave out --emit, --line-numbers, and --underline")}
	}
	return nil
}

// cutPath cuts path=text at the first equals sign that is in no brackets, where keys stand.
func cutPath(s string) (path, text string, ok bool) {
	depth := 0
	for i, c := range s {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case '=':
			if depth <= 0 {
				return s[:i], s[i+1:], true
			}
		}
	}
	return "", "", false
}

// checkPaths returns an error for a path of the options that leads nowhere in m.
func checkPaths(m *ir.Module, o script.Options) error {
	for _, p := range o.UnderlinePaths {
		if _, err := ir.At(m, p); err != nil {
			return fmt.Errorf("--underline %s: %w", p, err)
		}
	}
	for _, n := range o.AnnotatePaths {
		if _, err := ir.At(m, n.Path); err != nil {
			return fmt.Errorf("--annotate %s: %w", n.Path, err)
		}
	}
	return nil
}
