package driver

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// prepare makes the arguments of an execution: those that are given, and random ones.
func (t *Task) prepare(sig *artifact.Signature, binding map[string]int64) (*Execution, error) {
	x, err := t.arguments(sig, binding)
	t.Executions = append(t.Executions, x)
	if err != nil {
		return nil, err
	}
	return x, nil
}

// arguments makes an execution with its arguments, which is not one of the task yet. It is there with an error, too, with those that were made.
func (t *Task) arguments(sig *artifact.Signature, binding map[string]int64) (*Execution, error) {
	x := &Execution{Args: make([]*tensor.Tensor, len(sig.Params)), Body: &event.Executed{Function: sig.Name, Bindings: binding}, Measured: &event.Measured{}}
	in, sizes := t.Job.Inputs, binding
	if in.Given != nil || len(in.Named) > 0 {
		sizes = maps.Clone(binding)
		for i, p := range sig.Params {
			if x.Args[i] = in.Named[p.Name].Tensor; in.Given != nil && x.Args[i] == nil {
				x.Args[i] = in.Given(i)
			}
			if x.Args[i] != nil {
				sizes = sizesOf(p, x.Args[i], sizes)
			}
		}
	}
	if len(in.Named) > 0 {
		x.Body.Bindings = settled(binding, sizes)
	}
	for i, p := range sig.Params {
		source := cmp.Or(in.Named[p.Name].From, "given")
		if x.Args[i] == nil {
			made, err := t.makeUp(sig, p, i, sizes, x)
			if err != nil {
				return x, &InputError{Param: p, Err: err}
			}
			source = fmt.Sprintf("seed %d", t.Job.Settings.Seed)
			x.MadeUp = append(x.MadeUp, made)
		}
		x.Body.Inputs = append(x.Body.Inputs, describe(p.Name, x.Args[i], source))
	}
	return x, nil
}

// makeUp makes argument i: random, but for what a PrimFunc writes, which is zeros, and its numbers.
func (t *Task) makeUp(sig *artifact.Signature, p artifact.Param, i int, sizes map[string]int64, x *Execution) (m MadeUp, err error) {
	m.Name = p.Name
	if sig.Kernel && p.Type.Kind == artifact.KindPrim {
		n, ok := sizes[p.Name]
		if !ok {
			n = 1
		}
		m.As = strconv.FormatInt(n, 10)
		x.Args[i], err = number(p.Type.DType, n)
		return m, err
	}
	in := t.Job.Inputs
	seed := uint64(t.Job.Settings.Seed) + uint64(i)
	if x.Args[i], m.Ones, err = randomInput(p, sizes, t.Job.Memory, seed, in.Guess); err != nil {
		return m, err
	}
	if m.As = fmt.Sprintf("random, seed %d", seed); sig.Kernel && p.Written {
		clear(x.Args[i].Data)
		m.As, m.Ones = "zeros", nil
	}
	return m, nil
}

// settled returns a binding with the sizes that given tensors settle in place of its own.
func settled(binding, sizes map[string]int64) map[string]int64 {
	out := maps.Clone(binding)
	for name := range out {
		out[name] = sizes[name]
	}
	return out
}

// sizesOf adds the symbolic dimensions of a parameter that a given tensor settles.
func sizesOf(p artifact.Param, given *tensor.Tensor, sizes map[string]int64) map[string]int64 {
	if sizes == nil {
		sizes = map[string]int64{}
	}
	if p.Type.Kind == artifact.KindPrim && given.Len() == 1 {
		sizes[p.Name] = int64(given.Float(0))
	}
	for k, d := range p.Type.Shape {
		if d.Expr != "" && k < len(given.Shape) {
			sizes[d.Expr] = given.Shape[k]
		}
	}
	return sizes
}

// InputError says why an input cannot be made up.
type InputError struct {
	Param artifact.Param
	Err   error
}

// Error implements error.
func (e *InputError) Error() string { return fmt.Sprintf("input %s: %v", e.Param.Name, e.Err) }

// Unwrap describes the error for an event.
func (e *InputError) Unwrap() error { return Input("%s", e.Error()) }

// number makes an argument of one element.
func number(name string, n int64) (*tensor.Tensor, error) {
	dt, err := dtype.Parse(name)
	if err != nil {
		return nil, err
	}
	t, err := tensor.New(dt, nil)
	if err == nil {
		t.SetFloat(0, float64(n))
	}
	return t, err
}

// randomInput makes a seeded random tensor for a parameter of at most limit bytes, 0 for any. It returns the dimensions that are 1 since the
// binding does not say what they are. With guess this goes for all of them; without, those that are computed from others, and those of a shape
// that is not known, are an error.
func randomInput(p artifact.Param, binding map[string]int64, limit int64, seed uint64, guess bool) (t *tensor.Tensor, ones []string, err error) {
	if p.Type.Kind != artifact.KindTensor || p.Type.DType == "" || guess && p.Type.NDim == nil {
		return nil, nil, fmt.Errorf("its type is %s; only tensors of a known element type can be generated", p.Type)
	}
	dt, err := dtype.Parse(p.Type.DType)
	if err != nil {
		return nil, nil, err
	}
	var shape []int64
	if p.Type.Shape == nil && p.Type.NDim != nil && *p.Type.NDim > 0 {
		if !guess {
			return nil, nil, errors.New("its shape is not known; set it in shapes")
		}
		shape = slices.Repeat([]int64{1}, *p.Type.NDim)
	}
	for _, d := range p.Type.Shape {
		n := d.Value
		if d.Expr != "" {
			var ok bool
			if n, ok = binding[d.Expr]; !ok {
				if !guess && strings.ContainsAny(d.Expr, " ()*+-/") {
					return nil, nil, fmt.Errorf("its dimension %s is computed from others; set the shape in shapes", d.Expr)
				}
				n, ones = 1, append(ones, d.Expr)
			}
		}
		if n < 0 {
			return nil, nil, fmt.Errorf("dimension %s is %d", d, n)
		}
		shape = append(shape, n)
	}
	size, err := tensor.ByteSize(dt, shape)
	if err != nil {
		return nil, nil, err
	}
	if limit > 0 && size > limit {
		return nil, nil, fmt.Errorf("it takes %d MiB, and a run is limited to %d MiB", size>>20, limit>>20)
	}
	if t, err = tensor.New(dt, shape); err != nil {
		return nil, nil, err
	}
	t.Random(seed)
	return t, ones, nil
}
