package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/rewrites"
	"github.com/spf13/pflag"
)

// rewriteFlags ask what passes did inside of their steps.
type rewriteFlags struct {
	rewrites, decisions bool
	file                string
	limit               int
	steps               []rewrites.Step
}

func (f *rewriteFlags) register(fl *pflag.FlagSet) {
	fl.BoolVar(&f.rewrites, "rewrites", false, "print the rewrites of each pass: name, line before and after, and text")
	fl.BoolVar(&f.decisions, "decisions", false, "print the decisions of each pass: rule, line, and the condition that held or failed")
	fl.StringVar(&f.file, "rewrites-json", "", "write rewrites and decisions as JSON to `file`")
	fl.IntVar(&f.limit, "rewrites-limit", rewrites.DefaultLimit, "maximum `number` of rewrites, and of decisions, listed per step")
}

// check reports a limit that is none.
func (f *rewriteFlags) check() error {
	if f.limit < 0 {
		return usageError{fmt.Errorf("--rewrites-limit is %d, expected 1 or more, or 0 for the default", f.limit)}
	}
	return nil
}

// observe makes the request report to w, if a flag asks for it.
func (f *rewriteFlags) observe(req *compiler.Request, w io.Writer) {
	if !f.rewrites && !f.decisions && f.file == "" {
		return
	}
	o := &rewrites.Observer{Limit: f.limit}
	req.Observer = o
	req.Instruments = append(req.Instruments, o.Instrument(func(s rewrites.Step) error {
		if f.file != "" {
			f.steps = append(f.steps, s)
		}
		return rewrites.Print(w, s, f.rewrites, f.decisions)
	}))
}

// write writes the file, if one was asked for.
func (f *rewriteFlags) write(w io.Writer) error {
	if f.file == "" {
		return nil
	}
	steps := f.steps
	if steps == nil {
		steps = []rewrites.Step{}
	}
	var b bytes.Buffer
	if err := writeJSON(&b, steps); err != nil {
		return err
	}
	return writeOutput(w, f.file, b.Bytes())
}
