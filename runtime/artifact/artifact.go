package artifact

import (
	"context"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
)

// Artifact is a compiled program.
type Artifact struct {
	Target    string // what the program was compiled for, as package target prints it
	Exec      *vm.Executable
	Modules   []runtime.Binary // of kernels: one for each kind of target that functions were made for
	Functions []Signature
}

// Function returns the signature of the function called name, nil where there is none.
func (a *Artifact) Function(name string) *Signature {
	for i := range a.Functions {
		if a.Functions[i].Name == name {
			return &a.Functions[i]
		}
	}
	return nil
}

// Program is an artifact loaded onto a device of its own.
type Program struct {
	*vm.Machine
	art *Artifact
	dev *runtime.Device
}

// Open loads the artifact onto a new device of eng. Close the program to get the memory
// back.
func (a *Artifact) Open(ctx context.Context, eng *runtime.Engine, dopts runtime.DeviceOptions, opts vm.Options) (*Program, error) {
	dev, err := eng.NewDevice(dopts)
	if err != nil {
		return nil, err
	}
	m, err := vm.Load(ctx, dev, a.Exec, a.Modules, opts)
	if err != nil {
		// The first error is the one to report; closing an unused device cannot add to it.
		_ = dev.Close()
		return nil, err
	}
	return &Program{Machine: m, art: a, dev: dev}, nil
}

// Run checks the inputs against the signature of the function called name and runs it. A kernel takes a
// tensor for each parameter, of one element for a number, and gives those that it writes as they are then.
func (p *Program) Run(ctx context.Context, name string, inputs ...*tensor.Tensor) ([]*tensor.Tensor, error) {
	if s := p.art.Function(name); s != nil {
		if err := s.Check(inputs); err != nil {
			return nil, err
		}
		if s.Kernel {
			return p.runKernel(ctx, s, inputs)
		}
	}
	return p.Machine.Run(ctx, name, inputs...)
}

// Artifact is what the program was loaded from.
func (p *Program) Artifact() *Artifact { return p.art }

// Close frees the device with all that is on it; it waits for a run in progress.
func (p *Program) Close() error { return p.dev.Close() }
