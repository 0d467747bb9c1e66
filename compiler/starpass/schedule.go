package starpass

import (
	"errors"
	"fmt"
	"hash/maphash"
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// Schedule is tir.Schedule(mod): its methods are the primitives of package sch, under TVM's names.
type Schedule struct {
	s      *sch.Schedule
	debug  bool // verify the module after each primitive
	frozen bool
	// tell is called with an instruction in place of making it; nil where nobody listens.
	tell func(k *sch.Kind, call string, do func() error) error
}

// schedRef is what a primitive returns of a block or loop.
type schedRef struct{ r any }

var (
	_ starlark.HasAttrs = (*Schedule)(nil)
	_ starlark.Value    = (*schedRef)(nil)
)

func (v *Schedule) String() string      { return fmt.Sprintf("Schedule(%d instructions)", len(v.s.Trace())) }
func (*Schedule) Type() string          { return "tir.Schedule" }
func (v *Schedule) Freeze()             { v.frozen = true }
func (*Schedule) Truth() starlark.Bool  { return true }
func (*Schedule) Hash() (uint32, error) { return 0, errors.New("a schedule cannot be a key") }

func (v *schedRef) String() string { return "<" + v.Type() + ">" }

// Type is TVM's name of references to blocks and loops.
func (v *schedRef) Type() string {
	if _, ok := v.r.(*sch.Block); ok {
		return "BlockRV"
	}
	return "LoopRV"
}

func (*schedRef) Freeze()                 {}
func (*schedRef) Truth() starlark.Bool    { return true }
func (v *schedRef) Hash() (uint32, error) { return uint32(maphash.Comparable(nodeSeed, v.r)), nil }

// scheduleType is tir.Schedule.
func scheduleType() starlark.Value {
	return &typeValue{
		name: "Schedule", call: builtin("Schedule", scheduleBuiltin),
		is: func(v starlark.Value) bool { _, ok := v.(*Schedule); return ok },
	}
}

func scheduleBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var mod, seed, mask starlark.Value
	var level starlark.Value
	check := true
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "mod", &mod, "seed?", &seed, "debug_mask?", &mask, "error_render_level?", &level, "enable_check?", &check); err != nil {
		return nil, err
	}
	var m *ir.Module
	switch x := mod.(type) {
	case *Module:
		m = x.m
	default:
		f, err := asNode[*tir.PrimFunc](mod, "an IRModule or a PrimFunc")
		if err != nil {
			return nil, fmt.Errorf("Schedule: %w", err)
		}
		m = ir.NewModule().With("main", f)
	}
	n := int64(-1)
	if x, ok := seed.(starlark.Int); ok {
		n, _ = x.Int64()
	}
	s, err := sch.NewSchedule(m, n)
	if err != nil {
		return nil, err
	}
	s.UseIntrinsics(runOf(t).intrinsic)
	debug := mask == starlark.String("all")
	if x, ok := mask.(starlark.Int); ok {
		debug = x.Sign() != 0
	}
	r := runOf(t)
	return r.scheduled(s, debug), r.alloc(1 << 10)
}

// AttrNames returns the primitives and the other methods.
func (*Schedule) AttrNames() []string {
	out := []string{"can_decompose_padding", "copy", "fork_seed", "func_working_on", "get", "mod", "remove_rv", "seed", "show", "trace", "undo", "work_on"}
	for _, k := range sch.Kinds() {
		out = append(out, k.Method)
		if k.Alias != "" {
			out = append(out, k.Alias)
		}
	}
	return out
}

// Attr returns a primitive or another method.
func (v *Schedule) Attr(name string) (starlark.Value, error) {
	switch name {
	case "mod":
		return &Module{m: v.s.Module()}, nil
	case "trace":
		return &traceValue{v.s.Trace()}, nil
	case "func_working_on":
		if v.s.Working() == "" {
			return starlark.None, nil
		}
		return starlark.String(v.s.Working()), nil
	}
	if name == "can_decompose_padding" {
		return builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return v.can(t, sch.KindOf("decompose_padding"), args, kwargs)
		}), nil
	}
	if f := scheduleMethods[name]; f != nil {
		return builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return f(v, runOf(t), args, kwargs)
		}), nil
	}
	if k := sch.KindOf(name); k != nil && (k.Method == name || k.Alias == name) {
		return builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return v.primitive(t, k, args, kwargs)
		}), nil
	}
	return nil, nil
}

var errFrozenSchedule = errors.New("the schedule belongs to the top level of a script, which is frozen: make one in the pass")

// primitive calls an instruction.
func (v *Schedule) primitive(t *starlark.Thread, k *sch.Kind, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if v.frozen {
		return nil, errFrozenSchedule
	}
	r := runOf(t)
	if err := r.work(1000); err != nil {
		return nil, err
	}
	list, err := scheduleArgs(t, k, args, kwargs)
	if err != nil && v.tell != nil {
		return nil, v.tell(k, "sch."+k.Method+"(...)", func() error { return err })
	}
	if err != nil {
		return nil, err
	}
	out, err := v.s.Do(k, list...)
	if err != nil {
		return nil, err
	}
	if v.debug {
		if err := v.verify(k); err != nil {
			return nil, err
		}
	}
	refs := make([]starlark.Value, len(out))
	for i, x := range out {
		refs[i] = scheduled(x)
	}
	if err := r.alloc(int64(64 * (1 + len(out)))); err != nil {
		return nil, err
	}
	switch k.Outputs {
	case sch.None:
		return starlark.None, nil
	case sch.One:
		return refs[0], nil
	}
	return starlark.NewList(refs), nil
}

// can is whether an instruction could be called.
func (v *Schedule) can(t *starlark.Thread, k *sch.Kind, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if v.frozen {
		return nil, errFrozenSchedule
	}
	if err := runOf(t).work(1000); err != nil {
		return nil, err
	}
	list, err := scheduleArgs(t, k, args, kwargs)
	if err != nil {
		return nil, err
	}
	ok, err := v.s.Can(k, list...)
	return starlark.Bool(ok), err
}

// scheduled returns a reference as a value of scripts.
func scheduled(x any) starlark.Value {
	if x == nil { // a factor to be inferred
		return starlark.None
	}
	if e, ok := x.(tir.Expr); ok {
		return &Node{e}
	}
	return &schedRef{x}
}

// verify checks what a primitive made, with debug_mask.
func (v *Schedule) verify(k *sch.Kind) error {
	if k.Pure {
		return nil
	}
	for gv, f := range v.s.Module().Funcs() {
		fn, ok := f.(*tir.PrimFunc)
		if !ok {
			continue
		}
		for _, d := range tir.Verify(gv.Name, fn) {
			if d.Severity == ir.Error {
				return fmt.Errorf("%s: the result is not well-formed: %s", k.Method, d.Message)
			}
		}
	}
	return nil
}

var scheduleMethods = map[string]func(*Schedule, *run, starlark.Tuple, []starlark.Tuple) (starlark.Value, error){
	"copy": func(v *Schedule, r *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := starlark.UnpackArgs("copy", args, kwargs); err != nil {
			return nil, err
		}
		return &Schedule{s: v.s.Copy(), debug: v.debug}, r.alloc(int64(64 * (1 + len(v.s.Trace()))))
	},
	"fork_seed": func(v *Schedule, _ *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := starlark.UnpackArgs("fork_seed", args, kwargs); err != nil {
			return nil, err
		}
		return starlark.MakeInt64(v.s.ForkSeed()), nil
	},
	"seed": func(v *Schedule, _ *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var n int
		if err := starlark.UnpackArgs("seed", args, kwargs, "seed", &n); err != nil {
			return nil, err
		}
		return starlark.None, v.s.Seed(int64(n))
	},
	"get":       (*Schedule).get,
	"remove_rv": (*Schedule).remove,
	"show":      (*Schedule).show,
	"undo": func(v *Schedule, _ *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := starlark.UnpackArgs("undo", args, kwargs); err != nil {
			return nil, err
		}
		if v.frozen {
			return nil, errFrozenSchedule
		}
		return starlark.None, v.s.Undo()
	},
	"work_on": func(v *Schedule, _ *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var name string
		if err := starlark.UnpackArgs("work_on", args, kwargs, "func_name", &name); err != nil {
			return nil, err
		}
		return starlark.None, v.s.WorkOn(name)
	},
}

// get is sch.get(rv): the block, loop or number that a reference refers to.
func (v *Schedule) get(_ *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	if err := starlark.UnpackArgs("get", args, kwargs, "rand_var_or_sref", &x); err != nil {
		return nil, err
	}
	switch x := x.(type) {
	case *schedRef:
		n, err := v.s.Get(x.r)
		if err != nil {
			return nil, fmt.Errorf("get: %w", err)
		}
		return &Node{n}, nil
	case *Node:
		if w, ok := x.n.(*tir.Var); ok {
			if n, ok := v.s.Value(w); ok {
				return starlark.MakeInt64(n), nil
			}
		}
	}
	return nil, fmt.Errorf("get: expected what a primitive returned, got %s", describe(x))
}

func (v *Schedule) remove(_ *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	if err := starlark.UnpackArgs("remove_rv", args, kwargs, "rand_var", &x); err != nil {
		return nil, err
	}
	var r any
	switch x := x.(type) {
	case *schedRef:
		r = x.r
	case *Node:
		r = x.n
	default:
		return nil, fmt.Errorf("remove_rv: expected what a primitive returned, got %s", describe(x))
	}
	return starlark.None, v.s.Remove(r)
}

// show prints the module and the trace.
func (v *Schedule) show(r *run, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	text := script.Module(v.s.Module(), script.Options{}).Source + "\n" + sch.Text(v.s.Trace())
	if err := r.alloc(int64(len(text))); err != nil {
		return nil, err
	}
	return starlark.None, r.print(strings.TrimSuffix(text, "\n"))
}
