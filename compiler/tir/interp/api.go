package interp

import (
	"context"
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/tensor"
)

// Extern is a function outside the module: call_extern, or a packed function. Arguments
// and result are int64 (integers, bools, handles), float64, string, *tensor.Tensor (for
// handles of DLTensors) or nil.
type Extern func(args []any) (any, error)

// Options bounds a run and says where calls go. The zero value and nil are good for
// functions that call nothing.
type Options struct {
	// Name is the function's name in errors; its global_symbol if empty.
	Name string
	// Lookup finds the functions of the module that are called by GlobalVar.
	Lookup func(name string) *tir.PrimFunc
	// Externs are functions outside the module, by name.
	Externs map[string]Extern
	// MaxSteps bounds loop iterations and calls, all nested ones counted. 0 is DefaultMaxSteps.
	MaxSteps int64
	// MaxBytes bounds the memory that a run allocates. 0 is DefaultMaxBytes.
	MaxBytes int64
	// Zeroed fills allocated memory with zeros instead of ones: a program whose results then differ reads what nobody wrote.
	Zeroed bool
	// Barriers says what keeps the threads of a GPU program in order, and so which accesses are checked for races.
	Barriers Barriers
	// Reversed runs the threads of a block in the opposite order: a program without races computes the same.
	Reversed bool
	// Ops, if not nil, counts what runs. Programs that share it must not run at the same time.
	Ops *Ops
}

// Ops counts operations on floats that were executed, for each lane of a vector: arithmetic, a fused multiply-add as two, and
// calls of mathematical functions.
type Ops struct{ Flops, Special int64 }

// counting returns f, or one that adds n to the count that pick selects where operations are counted.
func (c *compiler) counting(f floatFn, pick func(*Ops) *int64, n int64) floatFn {
	if c.unit.opts.Ops == nil || f == nil {
		return f
	}
	count := pick(c.unit.opts.Ops)
	return func(fr *frame) float64 {
		*count += n
		return f(fr)
	}
}

func flops(o *Ops) *int64   { return &o.Flops }
func special(o *Ops) *int64 { return &o.Special }

// The bounds of a run that names none.
const (
	DefaultMaxSteps = 1 << 34
	DefaultMaxBytes = 1 << 30
)

// ModuleLookup returns a Lookup over the functions of m.
func ModuleLookup(m *ir.Module) func(string) *tir.PrimFunc {
	return func(name string) *tir.PrimFunc {
		f, _ := m.Lookup(name).(*tir.PrimFunc)
		return f
	}
}

// Run calls fn with args, which it writes its results to: one argument for each parameter.
// A parameter with a buffer, or of pointer type, takes a *tensor.Tensor; others take an
// int, int64, float64 or bool. A function lowered by MakePackedAPI takes the arguments
// that it had before. The error names function, buffer and indices of what went wrong.
func Run(ctx context.Context, fn *tir.PrimFunc, args []any, opts *Options) error {
	_, err := Call(ctx, fn, args, opts)
	return err
}

// Call is Run for functions that return a value, which is an int64, a bool, a float64 or nil.
func Call(ctx context.Context, fn *tir.PrimFunc, args []any, opts *Options) (any, error) {
	p, err := Compile(fn, opts)
	if err != nil {
		return nil, err
	}
	return p.Call(ctx, args)
}

// Program is a compiled function. It may run many times, also at the same time.
type Program struct {
	root *function
	unit *unit
	opts Options
}

// Compile translates fn and the functions that it calls. The error names what the
// interpreter cannot run.
func Compile(fn *tir.PrimFunc, opts *Options) (p *Program, err error) {
	p = &Program{}
	if opts != nil {
		p.opts = *opts
	}
	if p.opts.MaxSteps == 0 {
		p.opts.MaxSteps = DefaultMaxSteps
	}
	if p.opts.MaxBytes == 0 {
		p.opts.MaxBytes = DefaultMaxBytes
	}
	name := p.opts.Name
	if name == "" {
		if name = ir.GlobalSymbol(fn); name == "" {
			name = "function"
		}
	}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*failure)
			if !ok {
				panic(r)
			}
			p, err = nil, e
		}
	}()
	u := &unit{opts: &p.opts, funcs: map[string]*function{}}
	p.root, p.unit = u.compile(name, fn), u
	return p, nil
}

// WithMaxBytes returns the program with another bound on the memory that a run allocates.
func (p *Program) WithMaxBytes(n int64) *Program {
	q := *p
	q.opts.MaxBytes = n
	return &q
}

// WithMaxSteps returns the program with another bound on loop iterations and calls.
func (p *Program) WithMaxSteps(n int64) *Program {
	q := *p
	q.opts.MaxSteps = n
	return &q
}

// Assertion is wrapped by the error of a run in which the condition of an AssertStmt did not hold.
type Assertion struct{ Message string }

// Error returns the message of the statement.
func (a *Assertion) Error() string { return "assertion failed: " + a.Message }

// ErrMemory is wrapped by the error of a run that would allocate more than MaxBytes.
var ErrMemory = errors.New("out of memory")

// ErrSteps is wrapped by the error of a run that takes more than MaxSteps.
var ErrSteps = errors.New("too many steps")

// Call runs the program, see Run and Call.
func (p *Program) Call(ctx context.Context, args []any) (out any, err error) {
	m := &machine{ctx: ctx, opts: &p.opts, unit: p.unit, steps: p.opts.MaxSteps, regions: make([]*region, 1, 16)}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*failure)
			if !ok {
				panic(r)
			}
			out, err = nil, e
		}
	}()
	if isPacked(p.root.fn) {
		return m.callPacked(p.root, args)
	}
	return m.enter(p.root, args)
}

// failure is an error on its way up through closures.
type failure struct {
	fn  string
	msg string
	err error
}

func (f *failure) Error() string { return fmt.Sprintf("%s: %s", f.fn, f.msg) }

func (f *failure) Unwrap() error { return f.err }

// FromBlob returns a tensor with a copy of the elements of b.
func FromBlob(b *ir.Blob) (*tensor.Tensor, error) {
	data := append(make([]byte, 0, len(b.Stored())), b.Bytes()...)
	t, err := tensor.FromBytes(b.DType(), b.Shape(), data)
	if err != nil {
		return nil, fmt.Errorf("reading a constant: %w", err)
	}
	return t, nil
}

// ToBlob returns a constant over the data of t, which must not change any more.
func ToBlob(t *tensor.Tensor) (*ir.Blob, error) {
	return ir.NewBlob(t.DType, append([]int64{}, t.Shape...), t.Data)
}
