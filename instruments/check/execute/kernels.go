package execute

import (
	"context"
	"hash/maphash"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/runtime/tensor"
)

// The bounds on what a Runner keeps: results of kernels in bytes, and compiled functions.
const (
	maxKept     = 256 << 20
	maxPrograms = 4096
)

// kernels runs PrimFuncs and remembers what they computed. A call depends on the function and its arguments only, unless the function
// calls others of its module: then nothing is remembered. Arguments are known by a hash of 64 bits with a seed of this process; a collision
// has a probability of 2^-64 for each pair of calls.
//
// The interpreter runs them. Where it would take long, generated code does, and the interpreter runs a part of the iterations: what it finds there must be
// what the code wrote, else it runs them all.
type kernels struct {
	maxSteps, maxBytes int64
	seed               maphash.Seed
	programs           *recent[content, *program]
	results            *recent[call, *result]
	codes              *codes          // nil for none
	large              map[string]bool // names of kernels that take the interpreter long
	ran, known         int             // calls that were run, and those whose results were known
	how                check.How       // of the run that goes on
	watch              *watch          // nil unless calls are compared with those of code
}

// watch is what comparing each call with one of generated code finds: the kernels that were called, and those that differ, in the order of
// their calls.
type watch struct {
	seen, bad map[string]bool
	order     []string
}

type program struct {
	*interp.Program
	alone bool // it calls no other function of its module
	owner *ir.Module
}

// content is what a function computes: attributes aside, which passes also add to functions that they leave as they are.
type content struct {
	body    tir.Stmt
	params  **tir.Var
	buffers **tir.Buffer
}

func contentOf(f *tir.PrimFunc) content {
	return content{f.Body, first(f.Params), first(f.Buffers)}
}

func first[T any](list []T) *T {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// call is a function with the hashes of its arguments.
type call struct {
	fn   content
	args uint64
}

// result is what a call returned and wrote: the data of those arguments that it changed. A call that failed does so again.
type result struct {
	value   graphrun.Value
	err     error
	written map[int][]byte
	by      by
}

// by says who computed the results of a call.
type by uint8

const (
	byInterpreter by = iota
	byCode
	byInterpreterAgainstCode // which gave something else
)

func newKernels(maxSteps, maxBytes int64) *kernels {
	return &kernels{
		maxSteps: maxSteps, maxBytes: maxBytes, seed: maphash.MakeSeed(),
		programs: newRecent[content, *program](maxPrograms), results: newRecent[call, *result](maxKept), large: map[string]bool{},
	}
}

// run is a graphrun.Options.Kernel.
func (k *kernels) run(ctx context.Context, m *ir.Module, name string, fn *tir.PrimFunc, args []graphrun.Value) (graphrun.Value, error) {
	p, err := k.compiled(m, name, fn)
	if err != nil {
		return nil, err
	}
	before, key, ok := k.hash(fn, args)
	if k.watch != nil && p.alone && ok {
		old := cloned(args)
		defer func() { k.watch.compare(ctx, k, name, fn, old, args, key.args) }()
	}
	if !p.alone || !ok {
		k.ran++
		k.count(name, byInterpreter)
		return p.Call(ctx, args)
	}
	if r, ok := k.results.get(key); ok {
		k.known++
		k.count(name, r.by)
		if r.err != nil {
			return nil, r.err
		}
		for i, data := range r.written {
			copy(args[i].(*tensor.Tensor).Data, data)
		}
		return r.value, nil
	}
	k.ran++
	v, who, err := k.compute(ctx, name, fn, p.Program, args, key.args)
	k.count(name, who)
	if err != nil {
		if ctx.Err() == nil {
			k.results.put(key, &result{err: err, by: who}, 256)
		}
		return nil, err
	}
	r := &result{value: v, written: map[int][]byte{}, by: who}
	weight := int64(256)
	for i, a := range args {
		if t, ok := a.(*tensor.Tensor); ok && maphash.Bytes(k.seed, t.Data) != before[i] {
			r.written[i] = append([]byte{}, t.Data...)
			weight += int64(len(t.Data))
		}
	}
	k.results.put(key, r, weight)
	return v, nil
}

// compare runs the code of a kernel on the arguments that it had, and notes it where the tensors then differ from those that the interpreter left.
func (w *watch) compare(ctx context.Context, k *kernels, name string, fn *tir.PrimFunc, before, after []graphrun.Value, key uint64) {
	w.seen[name] = true
	if w.bad[name] {
		return
	}
	outs, err := k.codes.run(ctx, name, fn, before, key)
	if err == nil && alike(outs, after) {
		return
	}
	w.bad[name], w.order = true, append(w.order, name)
}

func (k *kernels) count(name string, who by) {
	switch who {
	case byCode:
		k.how.Compiled++
		return
	case byInterpreterAgainstCode:
		if !slices.Contains(k.how.Refuted, name) {
			k.how.Refuted = append(k.how.Refuted, name)
		}
	}
	k.how.Interpreted++
}

// compiled returns fn ready to run.
func (k *kernels) compiled(m *ir.Module, name string, fn *tir.PrimFunc) (*program, error) {
	if p, ok := k.programs.get(contentOf(fn)); ok && (p.alone || p.owner == m) {
		return p, nil
	}
	c, err := interp.Compile(fn, &interp.Options{Name: name, Lookup: interp.ModuleLookup(m), MaxSteps: k.maxSteps, MaxBytes: k.maxBytes})
	if err != nil {
		return nil, err
	}
	p := &program{c, true, m}
	ir.Walk(fn, func(n ir.Node) bool {
		switch n := n.(type) {
		case *ir.GlobalVar:
			p.alone = false
		case *tir.StringImm: // the name in a call of a packed or foreign function may be one of the module
			if m.Lookup(n.Value) != nil {
				p.alone = false
			}
		}
		return p.alone
	})
	k.programs.put(contentOf(fn), p, 1)
	return p, nil
}

// hash returns the hashes of the data of arguments and the key of a call. ok is false where an argument is neither a tensor nor a number, or where two
// tensors share memory.
func (k *kernels) hash(fn *tir.PrimFunc, args []graphrun.Value) (data []uint64, key call, ok bool) {
	var h maphash.Hash
	h.SetSeed(k.seed)
	data = make([]uint64, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case *tensor.Tensor:
			data[i] = maphash.Bytes(k.seed, a.Data)
			maphash.WriteComparable(&h, a.DType)
			maphash.WriteComparable(&h, len(a.Shape))
			for _, n := range a.Shape {
				maphash.WriteComparable(&h, n)
			}
			maphash.WriteComparable(&h, data[i])
		case int64, float64:
			maphash.WriteComparable(&h, a)
		default:
			return nil, call{}, false
		}
	}
	return data, call{contentOf(fn), h.Sum64()}, !overlap(args)
}

// overlap tells whether two arguments share memory: what a call does then depends on more than their data. Arguments are few.
func overlap(args []graphrun.Value) bool {
	for i, a := range args {
		x, ok := a.(*tensor.Tensor)
		if !ok || len(x.Data) == 0 {
			continue
		}
		for _, b := range args[:i] {
			if y, ok := b.(*tensor.Tensor); ok && len(y.Data) > 0 && meet(x.Data, y.Data) {
				return true
			}
		}
	}
	return false
}
