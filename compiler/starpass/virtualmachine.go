package starpass

import (
	"context"
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// BuildFunc makes a program of a lowered module, for tvm.compile. Source is the module before it was lowered, whose signatures the program has.
type BuildFunc func(ctx context.Context, t target.Target, lowered, source *ir.Module) (Compiled, error)

// Compiled runs functions of a module that was compiled.
type Compiled interface {
	// Run calls a public function. A tuple gives a tensor for each leaf, in order, and a PrimFunc those that it writes.
	Run(ctx context.Context, name string, args ...*tensor.Tensor) ([]*tensor.Tensor, error)
}

// maxPrograms bounds the programs that a script makes: each holds its code and constants until the script ends.
const maxPrograms = 64

// Executable is what tvm.compile gives; as a virtual machine its functions are found by name.
type Executable struct {
	program Compiled
	source  *ir.Module
	machine bool
}

var _ starlark.Mapping = (*Executable)(nil)

// String is "Executable" or "VirtualMachine".
func (e *Executable) String() string { return e.Type() }

// Type is "Executable" or "VirtualMachine".
func (e *Executable) Type() string {
	if e.machine {
		return "VirtualMachine"
	}
	return "Executable"
}

// Freeze does nothing: executables never change.
func (*Executable) Freeze() {}

// Truth is true.
func (*Executable) Truth() starlark.Bool { return true }

// Hash fails.
func (e *Executable) Hash() (uint32, error) { return 0, fmt.Errorf("a %s cannot be a key", e.Type()) }

// Get returns a function of a virtual machine.
func (e *Executable) Get(key starlark.Value) (starlark.Value, bool, error) {
	if !e.machine {
		return nil, false, errors.New("an Executable runs in a virtual machine: relax.VirtualMachine(executable, tvm.cpu())")
	}
	name, ok := starlark.AsString(key)
	if !ok {
		return nil, false, fmt.Errorf("a VirtualMachine has functions by name, got %s", describe(key))
	}
	tuple := false
	switch f := e.source.Lookup(name).(type) {
	case *relax.Function:
		_, tuple = f.Ret.(*relax.TupleStructInfo)
	case *tir.PrimFunc:
	default:
		return nil, false, fmt.Errorf("the module that was compiled has no function %q", name)
	}
	return builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(kwargs) > 0 {
			return nil, fmt.Errorf("%s: arguments have no names here", name)
		}
		return e.run(runOf(t), name, args, tuple)
	}), true, nil
}

func (e *Executable) run(r *run, name string, args starlark.Tuple, tuple bool) (starlark.Value, error) {
	in := make([]*tensor.Tensor, len(args))
	for i, v := range args {
		var err error
		if in[i], err = hostTensor(v); err != nil {
			return nil, fmt.Errorf("%s: argument %d: %w", name, i, err)
		}
	}
	outs, err := e.program.Run(r.ctx, name, in...)
	if err != nil {
		return nil, err
	}
	list := make(starlark.Tuple, len(outs))
	for i, out := range outs {
		if err := r.alloc(int64(len(out.Data))); err != nil {
			return nil, err
		}
		b, err := interp.ToBlob(out)
		if err != nil {
			return nil, err
		}
		list[i] = &Tensor{b}
	}
	if !tuple && len(list) == 1 {
		return list[0], nil
	}
	return list, nil
}

// hostTensor returns an argument of a function: a Tensor, a constant, or what relax.const takes.
func hostTensor(v starlark.Value) (*tensor.Tensor, error) {
	switch x := v.(type) {
	case *Tensor:
		return interp.FromBlob(x.b)
	case *Node:
		if c, ok := x.n.(*relax.Constant); ok {
			return interp.FromBlob(c.Data)
		}
	}
	c := &constant{}
	if err := c.read(v, 0); err != nil {
		return nil, err
	}
	b, err := c.blob(c.dtype())
	if err != nil {
		return nil, err
	}
	return interp.FromBlob(b)
}

// compileBuiltin is tvm.compile(mod, target=None, relax_pipeline=None): the pipeline runs under the pass context that is current, for the target or
// that of the context, and code is generated from its result.
func compileBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var mod, of, passes starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "mod", &mod, "target?", &of, "relax_pipeline?", &passes); err != nil {
		return nil, err
	}
	m, ok := mod.(*Module)
	if !ok {
		return nil, fmt.Errorf("%s: expected an IRModule, got %s", b.Name(), describe(mod))
	}
	r := runOf(t)
	switch {
	case r.build == nil || r.cur == nil || r.cur.Step() != nil:
		return nil, fmt.Errorf("%s: nothing is compiled here: call it in main, and run the script with irscope script", b.Name())
	case r.programs >= maxPrograms:
		return nil, &LimitError{fmt.Sprintf("more than the limit of %d programs", maxPrograms)}
	}
	c := *r.cur
	if of != nil && of != starlark.None {
		var err error
		if c.Target, err = targetOf(of); err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
	}
	if c.Target.IsZero() {
		c.Target = target.Default()
	}
	pl, err := pipelineFor(r, passes, c.Target)
	if err != nil {
		return nil, fmt.Errorf("%s: relax_pipeline: %w", b.Name(), err)
	}
	outer := r.cur
	r.cur = &c
	lowered, err := c.Run(pl, m.m)
	r.cur = outer
	if err != nil {
		return nil, err
	}
	program, err := r.build(r.ctx, c.Target, lowered, m.m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	r.programs++
	return &Executable{program: program, source: m.m}, nil
}

// pipelineFor returns a pipeline that is given by its name, as a pass, or not at all: then it is the default one of the target.
func pipelineFor(r *run, v starlark.Value, t target.Target) (*pass.Pass, error) {
	switch v := v.(type) {
	case nil, starlark.NoneType:
		return pipeline.Lookup("", t)
	case starlark.String:
		return pipeline.Lookup(string(v), t)
	case *Pass:
		return v.bind(r), nil
	}
	return nil, fmt.Errorf("expected the name of a pipeline or a pass, got %s", describe(v))
}

// machineBuiltin is relax.VirtualMachine(executable, device).
func machineBuiltin(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var of, device starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "rt_mod", &of, "device?", &device); err != nil {
		return nil, err
	}
	e, ok := of.(*Executable)
	if !ok {
		return nil, fmt.Errorf("%s: expected what tvm.compile gives, got %s", b.Name(), describe(of))
	}
	return &Executable{program: e.program, source: e.source, machine: true}, nil
}

// deviceBuiltin is tvm.cpu(index=0) or tvm.device("cpu", index=0): the only device that scripts have.
func deviceBuiltin(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	kind, index := "cpu", 0
	params := []any{"index?", &index}
	if b.Name() == "device" {
		params = append([]any{"dev", &kind}, params...)
	}
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, params...); err != nil {
		return nil, err
	}
	if kind != "cpu" || index != 0 {
		return nil, fmt.Errorf("%s: there is no device %s(%d): programs of scripts run on cpu(0)", b.Name(), kind, index)
	}
	return namespace("cpu(0)", nil), nil
}

// tensorBuiltin is tvm.runtime.tensor(values, device=None, dtype=None), which takes what relax.const takes.
func tensorBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v, device, dt starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "arr", &v, "device?", &device, "dtype?", &dt); err != nil {
		return nil, err
	}
	given := starlark.Tuple{v}
	if dt != nil {
		given = append(given, dt)
	}
	c, err := constBuiltin(t, b, given, nil)
	if err != nil {
		return nil, err
	}
	return &Tensor{c.(*Node).n.(*relax.Constant).Data}, nil
}
