package compiler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/compiler/vmcodegen"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
)

// Request asks for a module to be compiled. Module is required; the zero value of the rest
// means the defaults.
type Request struct {
	Module   *ir.Module
	Target   target.Target // zero: target.Default()
	Pipeline *pass.Pass    // nil: the pipeline "default" of the target
	// OptLevel is nil for pass.DefaultOptLevel.
	OptLevel *int
	Required []string
	Disabled []string
	Config   map[string]any
	// Registry finds passes by name; nil means all passes of the compiler.
	Registry pass.Registry
	// Instruments watch the passes. Compile enters and leaves them.
	Instruments []*pass.Instrument
	// Observer, if not nil, hears of the rewrites and decisions of the passes.
	Observer pass.Observer
	// CodegenTime, if not nil, is told how long code generation took.
	CodegenTime func(time.Duration)
}

// Result is a compiled module.
type Result struct {
	Module      *ir.Module // after the last pass
	Kernels     []Kernel   // in the order of the module
	Refused     []Refusal  // functions that the generator of their target left to another one
	Artifact    *artifact.Artifact
	Diagnostics []ir.Diagnostic

	ran func(pass string) bool // nil where no pass ran
}

// Kernel is the generated code of one PrimFunc.
type Kernel struct {
	Name   string
	Target string // that it was generated for
	// Bytes is the size of its code.
	Bytes int
	// Language names the form of Text, for a highlighter.
	Language string
	// Text prints the code in the target's text form; it is made at each call.
	Text func() string
	// Lines prints the code too, and returns the statement of the function that each line is for, nil where it is for none; nil where
	// the generator does not tell.
	Lines func() (string, []tir.Stmt)
}

// The codes of warnings about the order of passes: one is too early, or what it works on is made by one that does not run.
const (
	CodeOrder   = "order"
	CodeMissing = "missing"
)

// CodeStandIn is the code of the note that the interpreter runs what is compiled for a GPU.
const CodeStandIn = "interpreted"

// Passes runs the pipeline of the request and returns the module that it made. The result
// of a failure holds the diagnostics so far.
func Passes(ctx context.Context, req Request) (*Result, error) {
	res := &Result{Module: req.Module}
	if req.Module == nil {
		return res, errors.New("there is no module to compile")
	}
	pl := req.Pipeline
	if pl == nil {
		var err error
		if pl, err = pipeline.Lookup("", req.target()); err != nil {
			return res, err
		}
	}
	c, err := req.Context(ctx)
	if err != nil {
		return res, err
	}
	for _, w := range pipeline.Check(pl, c) {
		code := CodeOrder
		if w.Other < 0 {
			code = CodeMissing
		}
		c.Report(ir.Diagnostic{Severity: ir.Warning, Code: code, Message: w.Message})
	}
	var stack pass.Stack
	err = stack.With(c, func(c *pass.Context) error {
		m, err := c.Run(pl, req.Module)
		if err == nil {
			res.Module = m
		}
		return err
	})
	res.Diagnostics, res.ran = c.Diagnostics(), c.Ran
	return res, err
}

// Context returns the context in which Passes runs the pipeline, for what else is to run in it.
func (r Request) Context(ctx context.Context) (*pass.Context, error) {
	level := pass.DefaultOptLevel
	if r.OptLevel != nil {
		level = *r.OptLevel
	}
	registry := r.Registry
	if registry == nil {
		registry = pipeline.NewRegistry()
	}
	return pass.NewContext(ctx,
		pass.OptLevel(level), pass.RequirePass(r.Required...), pass.DisablePass(r.Disabled...), pass.Configure(r.Config),
		pass.Instruments(r.Instruments...), pass.WithTarget(r.target()), pass.WithEvaluator(Interpreter{}), pass.WithGenerators(Generators{}),
		pass.WithRegistry(registry), pass.Observe(r.Observer),
	)
}

func (r Request) target() target.Target {
	if r.Target.IsZero() {
		return target.Default()
	}
	return r.Target
}

// Compile runs the pipeline, generates code and builds the program.
func Compile(ctx context.Context, req Request) (*Result, error) {
	res, err := Passes(ctx, req)
	if err != nil {
		return res, err
	}
	start := time.Now()
	err = Codegen(ctx, req.target(), res, req.Module)
	if req.CodegenTime != nil {
		req.CodegenTime(time.Since(start))
	}
	return res, err
}

// Codegen makes the program of a lowered module in res. Signatures are those of source, the
// module before it was lowered.
func Codegen(ctx context.Context, t target.Target, res *Result, source *ir.Module) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if !t.IsZero() {
		if _, err := generatorFor(t); err != nil {
			return err
		}
	}
	if stoodIn(t) {
		res.Diagnostics = append(res.Diagnostics, ir.Diagnostic{Severity: ir.Note, Code: CodeStandIn, Message: "no code is generated for targets of kind " + t.Kind().Name +
			" yet: the interpreter runs the threads of the kernels, which is slow, and its times say nothing of a GPU"})
	}
	b := vm.NewBuilder()
	if err := vmcodegen.Build(res.Module, b); err != nil {
		return res.left(err)
	}
	exec, err := b.Build()
	if err != nil {
		return fmt.Errorf("cannot build the executable: %w", err)
	}
	for gv, fn := range res.Module.Funcs() {
		if f, ok := fn.(*tir.PrimFunc); ok {
			if err := tirpass.CheckLowered(gv.Name, f); err != nil {
				return err
			}
		}
	}
	art := &artifact.Artifact{Target: t.String(), Exec: exec}
	list, err := groups(res.Module, t)
	if err != nil {
		return err
	}
	made := map[string]Kernel{}
	for _, g := range list {
		modules, refused, err := generate(ctx, g)
		if err != nil {
			return err
		}
		res.Refused = append(res.Refused, refused...)
		for _, b := range modules {
			art.Modules = append(art.Modules, b.binary())
			for _, k := range b.lib.Kernels {
				if _, twice := made[k.Name]; !twice { // what a function calls that was refused is there in both forms; the first is used
					made[k.Name] = Kernel{Name: k.Name, Target: b.target.String(), Bytes: k.Bytes, Language: k.Language, Text: k.Text, Lines: k.Lines}
				}
			}
		}
	}
	for _, f := range codegen.Funcs(res.Module) {
		res.Kernels = append(res.Kernels, made[f.Name])
	}
	art.Functions = signatures(source, art.Modules)
	res.Artifact = art
	return nil
}

// left tells an error of what was not lowered which passes ran: advice to run them would be
// wrong.
func (r *Result) left(err error) error {
	var u *vmcodegen.Unlowered
	if errors.As(err, &u) && r.ran != nil {
		u.Passes = slices.DeleteFunc(u.Passes, r.ran)
	}
	return err
}
