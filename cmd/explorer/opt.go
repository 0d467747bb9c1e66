package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/compiler/relay"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/compact"
	"github.com/spf13/cobra"
)

// inputDoc says what an input of opt, equal and diff may be.
const inputDoc = "a TVMScript, Relay, JSON or ONNX file, - for standard input, or gallery:NAME for a built-in model"

// optFlags are those of opt alone.
type optFlags struct {
	output string
	emit   string
	split  bool
	seen   rewriteFlags
}

func optCommand() *cobra.Command {
	var cf compileFlags
	var sf sourceFlags
	var of optFlags
	var pf printFlags
	cmd := &cobra.Command{
		Use: "opt IN [-o OUT]", GroupID: groupPasses, Short: "Run passes on a module and write it as TVMScript; without passes, format it",
		Long: `Reads a module, runs passes on it and writes what they made as TVMScript. Without passes it is a
formatter. IN is ` + inputDoc + `.
An output file whose name ends in .relay gets Relay's text.

The passes are those of a pipeline, or those listed with --passes, which run whatever their level.
'irscope passes' lists the passes and the options that each has. What is printed on the way goes to
standard error. Nothing is written where anything fails. What was read and what each pass made of it is
verified, unless --no-verify is given.`,
		Example: `  # Format a module
  irscope opt in.py
  # Run a pipeline on a model and write the module
  irscope opt model.onnx --pipeline zero -o out.py
  # Run passes with options
  irscope opt in.py --passes 'LegalizeOps,FuseOps{"fuse_opt_level": 2}'
  # Say what a pass decided, and why
  irscope opt in.py --passes LegalizeOps,AnnotateTIROpPattern,FuseOps --decisions`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			if !cmd.Flags().Changed("emit") && strings.HasSuffix(of.output, ".relay") {
				of.emit = emitRelay
			}
			return opt(cmd, a[0], &cf, &sf, &of, &pf)
		},
	}
	cf.register(cmd, "")
	cf.registerPasses(cmd, true)
	cf.registerReproducer(cmd)
	sf.register(cmd)
	pf.register(cmd)
	fl := cmd.Flags()
	fl.StringVarP(&of.output, "output", "o", "", "output `file` (default: standard output)")
	fl.StringVar(&of.emit, "emit", emitScript, emitDoc)
	fl.BoolVar(&of.split, "split", false, "run the passes on each module separately and write '# -----' between the modules")
	of.seen.register(fl)
	return cmd
}

func opt(cmd *cobra.Command, in string, cf *compileFlags, sf *sourceFlags, of *optFlags, pf *printFlags) error {
	if !slices.Contains(emitForms, of.emit) {
		return usageError{fmt.Errorf("--emit is %q, expected %s", of.emit, strings.Join(emitForms, ", "))}
	}
	if err := of.seen.check(); err != nil {
		return err
	}
	if err := pf.checkCompact(cf.compact, of.emit); err != nil {
		return err
	}
	how, err := pf.parse()
	if err != nil {
		return err
	}
	req, err := cf.request(cmd.Context())
	if err != nil {
		return err
	}
	if cf.passes == "" && cf.pipeline == "" {
		req.Pipeline = nil // it formats
	}
	list, err := sf.load(cmd, in)
	if err != nil {
		return err
	}
	if len(list) > 1 && !of.split && req.Pipeline != nil {
		return fmt.Errorf("%s has %d modules (%s): use --split to run the passes on each of them", label(in), len(list), classNames(list))
	}
	if len(list) > 1 && of.emit != emitScript {
		return fmt.Errorf("%s has %d modules (%s), and --emit %s writes one", label(in), len(list), classNames(list), of.emit)
	}
	var out bytes.Buffer
	var failed []error
	for i, src := range list {
		req.Module = src.Module
		if i > 0 {
			out.WriteString(separator(of.split))
		}
		m, err := optimize(cmd, cf, of, req, src, sf.noVerify)
		if err == nil {
			as := how
			if len(list) > 1 { // one alone is called Module, as TVM prints it
				as.Name = orDefault(how.Name, src.Name)
			}
			err = emit(&out, m, of.emit, as, cf.compact)
		}
		if err != nil && len(list) > 1 {
			err = fmt.Errorf("%s: %w", src.Name, err)
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	if err := of.seen.write(cmd.OutOrStdout()); err != nil {
		return err
	}
	return writeOutput(cmd.OutOrStdout(), of.output, out.Bytes())
}

// The forms in which opt writes.
const (
	emitScript = "script"
	emitJSON   = "json"
	emitRaw    = "raw"
	emitRelay  = "relay"
)

var emitForms = []string{emitScript, emitJSON, emitRaw, emitRelay}

// emitDoc describes the flag that chooses among them.
const emitDoc = "output `format`: script (TVMScript), json, raw (JSON preceded by the bytes of constants), or relay (Relay's text)"

// emit writes a module in one of the forms: TVMScript as TVM itself arranges it, TVMScript in the short form for reading if short.
func emit(w io.Writer, m *ir.Module, form string, how script.Options, short bool) error {
	switch form {
	case emitJSON:
		return irjson.Save(w, m, irjson.Options{Blobs: irjson.Base64})
	case emitRaw:
		return irjson.Save(w, m, irjson.Options{Blobs: irjson.Raw})
	case emitRelay:
		text, err := relay.Text(m)
		if err != nil {
			return fmt.Errorf("the module cannot be written as Relay's text: %w", err)
		}
		_, err = io.WriteString(w, text)
		return err
	}
	if err := checkPaths(m, how); err != nil {
		return err
	}
	how.TVM = true
	text := script.Module(m, how).Source
	if short {
		text = compact.Of(text).String()
	}
	_, err := io.WriteString(w, text)
	return err
}

// separator stands between two modules of a file.
func separator(split bool) string {
	if split {
		return "\n# -----\n\n"
	}
	return "\n\n"
}

// optimize runs the passes of a request on its module and prints what the flags ask for.
func optimize(cmd *cobra.Command, cf *compileFlags, of *optFlags, req compiler.Request, src frontend.Source, unverified bool) (*ir.Module, error) {
	if req.Pipeline == nil {
		return req.Module, nil
	}
	if !unverified && !cf.verifyEach {
		req.Instruments = append(req.Instruments, instruments.WellFormed(false))
	}
	w := cmd.ErrOrStderr()
	of.seen.observe(&req, w)
	res, err := cf.run(cmd, req)
	printDiagnostics(w, slices.DeleteFunc(res.Diagnostics, func(d ir.Diagnostic) bool {
		return d.Code == compiler.CodeMissing && src.Form != frontend.ONNX // what is no model may come from the pass that is missing
	}))
	return res.Module, err
}

// writeOutput writes data to a file, to w where name is "" or "-".
func writeOutput(w io.Writer, name string, data []byte) error {
	if name == "" || name == "-" {
		_, err := w.Write(data)
		return err
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return fmt.Errorf("cannot write the result: %s", strings.TrimPrefix(err.Error(), "open "))
	}
	return nil
}
