package execute

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// The bounds on a call of generated code: what generated code a Runner keeps, in bytes, and the time of one call.
const (
	maxCode     = 64 << 20
	compiledFor = 30 * time.Second
)

// codes runs PrimFuncs as generated code, whatever state they are in: passes without which there is no code finish what is left of the way down.
// It keeps the code of a function, and what code computed: a pass that changes a function in a way that the code does not show costs
// no call.
type codes struct {
	engine   *runtime.Engine
	target   target.Target
	maxBytes int64
	seed     maphash.Seed
	lower    *pass.Pass
	made     *recent[content, *code]
	results  *recent[codeCall, *result]
}

// code is the generated code of one function, or why there is none.
type code struct {
	bin runtime.Binary
	sum [sha256.Size]byte
	err error
}

// codeCall is code with the hash of its arguments.
type codeCall struct {
	sum  [sha256.Size]byte
	args uint64
}

// newCodes returns nil where kernels for t are not made for the machine: then nothing is gained.
func newCodes(engine *runtime.Engine, t target.Target, maxBytes int64, seed maphash.Seed) (*codes, error) {
	if t.IsZero() {
		t = target.Default()
	}
	if engine == nil || t.Kind().Name == "interp" {
		return nil, nil
	}
	whole, err := pipeline.Lookup("tir", t)
	if err != nil {
		return nil, err
	}
	var needed []*pass.Pass
	for _, p := range whole.Children {
		if p.Lowering {
			needed = append(needed, p)
		}
	}
	return &codes{
		engine: engine, target: t, maxBytes: maxBytes, seed: seed, lower: pass.NewSequential("tir", needed...),
		made: newRecent[content, *code](maxCode), results: newRecent[codeCall, *result](maxKept),
	}, nil
}

// of returns the code of a function.
func (c *codes) of(ctx context.Context, name string, f *tir.PrimFunc) *code {
	if k, ok := c.made.get(contentOf(f)); ok {
		return k
	}
	k := &code{}
	if k.bin, k.err = c.make(ctx, name, f); ctx.Err() != nil {
		return &code{err: context.Cause(ctx)}
	}
	k.sum = sha256.Sum256(k.bin.Bytes)
	c.made.put(contentOf(f), k, int64(len(k.bin.Bytes))+256)
	return k
}

func (c *codes) make(ctx context.Context, name string, f *tir.PrimFunc) (runtime.Binary, error) {
	pc, err := compiler.Request{Target: c.target}.Context(ctx)
	if err != nil {
		return runtime.Binary{}, err
	}
	if ir.GlobalSymbol(f) == "" { // a function without a name is not called from outside
		f = f.WithAttrs(f.Attrs.With(ir.AttrGlobalSymbol, name))
	}
	m, err := pc.Run(c.lower, ir.NewModule().With(name, f))
	if err != nil {
		return runtime.Binary{}, err
	}
	res := &compiler.Result{Module: m}
	if err := compiler.Codegen(ctx, c.target, res, m); err != nil {
		return runtime.Binary{}, err
	}
	if n := len(res.Artifact.Modules); n != 1 || res.Artifact.Modules[0].Kind == "interp" {
		return runtime.Binary{}, fmt.Errorf("%s became %d modules of kernels", name, n)
	}
	return res.Artifact.Modules[0], nil
}

// errNoCode says that a call of a function cannot be left to generated code.
var errNoCode = errors.New("no code")

// run calls the code of f and returns the arguments with the tensors as they are then: args stay as they are. Its errors, but for that of the context,
// are errNoCode: the interpreter says what goes wrong in a program.
func (c *codes) run(ctx context.Context, name string, f *tir.PrimFunc, args []graphrun.Value, key uint64) ([]graphrun.Value, error) {
	k := c.of(ctx, name, f)
	if k.err != nil {
		return nil, errors.Join(errNoCode, k.err)
	}
	call := codeCall{k.sum, key}
	outs := slices.Clone(args)
	if r, ok := c.results.get(call); ok {
		for i, a := range args {
			if t, ok := a.(*tensor.Tensor); ok {
				if data, ok := r.written[i]; ok {
					outs[i] = &tensor.Tensor{DType: t.DType, Shape: t.Shape, Data: data}
				}
			}
		}
		return outs, nil
	}
	limited, cancel := context.WithTimeout(ctx, compiledFor)
	defer cancel()
	if err := c.call(limited, k.bin, args, outs); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, errors.Join(errNoCode, err)
	}
	r, weight := &result{written: map[int][]byte{}}, int64(256)
	for i, x := range outs {
		if t, ok := x.(*tensor.Tensor); ok && maphash.Bytes(c.seed, t.Data) != maphash.Bytes(c.seed, args[i].(*tensor.Tensor).Data) {
			r.written[i] = t.Data
			weight += int64(len(t.Data))
		}
	}
	c.results.put(call, r, weight)
	return outs, nil
}

// call loads code onto a device of its own, so that what a wrong kernel writes beside its arguments harms no other call, and calls it.
func (c *codes) call(ctx context.Context, bin runtime.Binary, args, outs []graphrun.Value) error {
	dev, err := c.engine.NewDevice(runtime.DeviceOptions{MaxBytes: uint64(max(c.maxBytes, 1<<20))})
	if err != nil {
		return err
	}
	defer func() { _ = dev.Close() }() // frees memory only; there is nothing to do about a failure
	mod, err := dev.Load(ctx, bin.Format, bin.Bytes)
	if err != nil {
		return err
	}
	if n := len(mod.Names()); n != 1 {
		return fmt.Errorf("the code has %d kernels", n)
	}
	values := make([]runtime.Value, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case *tensor.Tensor:
			t, err := dev.Upload(a)
			if err != nil {
				return err
			}
			values[i] = runtime.TensorValue(t)
		case int64:
			values[i] = runtime.Int(a)
		case float64:
			values[i] = runtime.Float(a)
		default:
			return fmt.Errorf("argument %d is a %T", i, a)
		}
	}
	if _, err := mod.Kernel(mod.Names()[0]).Run(ctx, values...); err != nil {
		return err
	}
	for i, v := range values {
		t, ok := v.AsTensor()
		if !ok {
			continue
		}
		if outs[i], err = t.Download(); err != nil {
			return err
		}
	}
	return nil
}
