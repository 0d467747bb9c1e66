package execute

import (
	"context"
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// The bounds of a Runner that names none.
const (
	// DefaultMaxSteps bounds the loop iterations of one kernel: about a minute of the interpreter.
	DefaultMaxSteps = 1 << 30
	// DefaultMaxBytes bounds the memory that one run of a module allocates.
	DefaultMaxBytes = 2 << 30
)

// Runner runs modules. It remembers what kernels computed, so runs of modules that share functions and inputs are cheap. The zero value is
// ready; it is not safe for use by several goroutines at once.
type Runner struct {
	// Target is that of operators that are legalized; the zero value is the default target.
	Target target.Target
	// MaxSteps and MaxBytes bound a run; 0 is the default.
	MaxSteps, MaxBytes int64
	// Engine runs the generated code of kernels that take the interpreter long; nil has it run all of them.
	Engine *runtime.Engine

	kernels   *kernels
	legalized *recent[*ir.Module, *ir.Module]
	evaluated *recent[evaluation, []byte]
	numbers   map[string][]bool // which parameters of a PrimFunc are numbers
}

// Outcome is what a run of a module gave.
type Outcome struct {
	// Outputs are the tensors of the result, in order, those of nested tuples one after the other. A PrimFunc has its tensor arguments as
	// outputs, with what it wrote to them.
	Outputs []*tensor.Tensor
	How     *check.How
}

// NotRunnableError says why nothing is known of what a module computes: it has something that the interpreter cannot run. Any other error of a
// run, but for that of a context, is one of the program.
type NotRunnableError struct{ Why string }

// Error returns Why.
func (e *NotRunnableError) Error() string { return e.Why }

// Run runs a function of m, which is in any state from the import to the last pass, on inputs: one for each parameter, which Run does not change.
// A parameter that is a number takes a tensor of one element. Function is the name of a Relax function, or of a PrimFunc.
//
// The error is the cause of the context if it ended, a *NotRunnableError, or what went wrong in the program.
func (r *Runner) Run(ctx context.Context, m *ir.Module, function string, inputs []*tensor.Tensor) (*Outcome, error) {
	if err := r.start(); err != nil {
		return nil, err
	}
	r.kernels.how = check.How{}
	out, err := r.run(ctx, m, function, inputs)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var no *graphrun.Unsupported
	if errors.As(err, &no) {
		return nil, &NotRunnableError{no.What}
	}
	var long *NotRunnableError
	if errors.As(err, &long) {
		return nil, &NotRunnableError{err.Error()}
	}
	if err != nil {
		return nil, err
	}
	how := r.kernels.how
	out.How = &how
	return out, nil
}

// start makes what the first run needs.
func (r *Runner) start() error {
	if r.kernels != nil {
		return nil
	}
	steps, bytes := r.MaxSteps, r.MaxBytes
	if steps == 0 {
		steps = DefaultMaxSteps
	}
	if bytes == 0 {
		bytes = DefaultMaxBytes
	}
	k := newKernels(steps, bytes)
	var err error
	if k.codes, err = newCodes(r.Engine, r.Target, bytes, k.seed); err != nil {
		return err
	}
	r.kernels, r.legalized = k, newRecent[*ir.Module, *ir.Module](8)
	r.MaxBytes, r.numbers, r.evaluated = bytes, map[string][]bool{}, newRecent[evaluation, []byte](maxKept)
	return nil
}

// Calls returns how many calls of kernels were run so far, and of how many the results were known.
func (r *Runner) Calls() (ran, known int) {
	if r.kernels == nil {
		return 0, 0
	}
	return r.kernels.ran, r.kernels.known
}

func (r *Runner) run(ctx context.Context, m *ir.Module, function string, inputs []*tensor.Tensor) (*Outcome, error) {
	switch f := m.Lookup(function).(type) {
	case *tir.PrimFunc:
		return r.kernel(ctx, m, function, f, inputs)
	case *relax.Function:
		out, err := r.graph(ctx, m, function, f, inputs)
		var no *graphrun.Unsupported
		if !errors.As(err, &no) || no.Operator == "" {
			return out, err
		}
		made, err := r.legalize(ctx, m)
		if err != nil {
			return nil, &NotRunnableError{fmt.Sprintf("%v; LegalizeOps fails: %v", no, err)}
		}
		f, ok := made.Lookup(function).(*relax.Function)
		if !ok || made == m {
			return nil, no
		}
		r.kernels.how = check.How{Legalized: true}
		return r.graph(ctx, made, function, f, inputs)
	}
	return nil, fmt.Errorf("the module has no function %s any more", function)
}

// graph runs a Relax function.
func (r *Runner) graph(ctx context.Context, m *ir.Module, name string, f *relax.Function, inputs []*tensor.Tensor) (*Outcome, error) {
	if len(f.Params) != len(inputs) {
		return nil, fmt.Errorf("%s has %d parameters, got %d inputs", name, len(f.Params), len(inputs))
	}
	args := make([]graphrun.Value, len(inputs))
	for i, p := range f.Params {
		var err error
		if args[i], err = argument(inputs[i], p.SInfo); err != nil {
			return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
		}
	}
	v, err := graphrun.Options{Kernel: r.kernels.run, Operator: r.evaluate, MaxBytes: r.MaxBytes}.Run(ctx, m, name, args...)
	if err != nil {
		return nil, err
	}
	return &Outcome{Outputs: graphrun.Tensors(v)}, nil
}

// argument returns the value of an input for a parameter.
func argument(t *tensor.Tensor, info relax.StructInfo) (graphrun.Value, error) {
	switch s := info.(type) {
	case *relax.PrimStructInfo:
		return number(t, s.DType)
	case *relax.TensorStructInfo, *relax.ObjectStructInfo:
		return t.Clone(), nil
	}
	return nil, &graphrun.Unsupported{What: "a parameter of type " + relax.FormatSInfo(info) + " has no input"}
}

func number(t *tensor.Tensor, dt dtype.DType) (graphrun.Value, error) {
	if t.Len() != 1 {
		return nil, fmt.Errorf("a number has one element, got %s", t)
	}
	if dt.IsFloat() {
		return t.Float(0), nil
	}
	return int64(t.Float(0)), nil
}

// kernel runs a PrimFunc. Behind MakePackedAPI its parameters no longer tell which arguments are numbers: that is known from a run before it,
// else those are numbers that have no dimensions.
func (r *Runner) kernel(ctx context.Context, m *ir.Module, name string, f *tir.PrimFunc, inputs []*tensor.Tensor) (*Outcome, error) {
	numbers := r.numbers[name]
	if packed := f.Attrs.Int(ir.AttrCallingConv, 0) != 0; !packed {
		if len(f.Params) != len(inputs) {
			return nil, fmt.Errorf("%s has %d parameters, got %d inputs", name, len(f.Params), len(inputs))
		}
		numbers = make([]bool, len(inputs))
		for i, p := range f.Params {
			numbers[i] = !p.DType().IsHandle()
		}
		r.numbers[name] = numbers
	}
	out := &Outcome{}
	args := make([]graphrun.Value, len(inputs))
	for i, t := range inputs {
		if len(numbers) == len(inputs) && numbers[i] || len(numbers) != len(inputs) && len(t.Shape) == 0 {
			v, err := number(t, t.DType)
			if err != nil {
				return nil, err
			}
			args[i] = v
			continue
		}
		c := t.Clone()
		args[i], out.Outputs = c, append(out.Outputs, c)
	}
	if _, err := r.kernels.run(ctx, m, name, f, args); err != nil {
		return nil, err
	}
	return out, nil
}
