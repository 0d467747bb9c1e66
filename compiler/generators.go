package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/native"
	wasmloader "github.com/irscope/irscope/runtime/wasm"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
	"github.com/irscope/irscope/target/interp"
	"github.com/irscope/irscope/target/wasm"
	"github.com/irscope/irscope/target/x86"
)

// generator is how functions for one kind of target become kernels that run.
type generator struct {
	kind   string // of target
	build  codegen.Build
	loader func(EngineOptions) runtime.Loader // of the format that build makes
	// refuses says why it leaves a function to its fallback, "" where it does not; nil where it refuses none.
	refuses func(f *tir.PrimFunc) string
	// fallback is the kind whose generator takes the functions that this one refuses, lowered as they are; empty where it refuses none.
	fallback string
	// bare says that its kernels run as code of the processor's own, which one verifier keeps inside the device.
	bare bool
}

// generators is the table of code generators, one for each kind of package target.
var generators = []generator{
	{"wasm", wasm.BuildFuncs, func(EngineOptions) runtime.Loader { return wasmloader.NewLoader(wasmloader.Options{}) }, nil, "", false},
	{"x86", x86.Build, func(o EngineOptions) runtime.Loader { return native.NewLoader(native.Options{Threads: o.Threads}) }, x86.Refuses, "wasm", true},
	{"interp", interp.Build, func(EngineOptions) runtime.Loader { return interp.NewLoader() }, nil, "", false},
}

// EngineOptions configures an engine; the zero value is fine.
type EngineOptions struct {
	// Threads is how many threads run one kernel, where its code is for the processor and its loops allow it; 0 means 1. Results do not depend on it.
	Threads int
	// ForOthers is for programs of people who are not trusted with this machine: the engine loads no machine code.
	ForOthers bool
}

// NewEngine returns an engine that runs whatever the compiler makes, on one thread: it has the loaders of all kinds of target. Close it when done.
func NewEngine() *runtime.Engine { return NewEngineWith(EngineOptions{}) }

// NewEngineWith is NewEngine with options.
func NewEngineWith(opts EngineOptions) *runtime.Engine {
	var loaders []runtime.Loader
	for _, g := range generators {
		if !g.bare || !opts.ForOthers {
			loaders = append(loaders, g.loader(opts))
		}
	}
	return runtime.NewEngine(loaders...)
}

// IsMachineCode reports whether code for a target is machine code, which an engine for others does not load.
func IsMachineCode(t target.Target) bool {
	g, err := generatorFor(t)
	return err == nil && g.bare
}

// OwnersTarget is the target of programs that the owner of this machine runs and names no target for: machine code where it runs here, else the default.
func OwnersTarget() target.Target {
	for _, g := range generators {
		if !g.bare {
			continue
		}
		t := target.Of(g.kind)
		if _, err := ForMachine(t); err == nil {
			return t
		}
	}
	return target.Default()
}

// standIn is the kind whose generator serves GPUs: the interpreter runs their threads, as no code is made for them yet.
const standIn = "interp"

// stoodIn reports whether the interpreter runs what is for a target: a GPU.
func stoodIn(t target.Target) bool { return !t.IsZero() && !t.Kind().Code && t.HasKey("gpu") }

// RunKinds is the table of the kinds of targets whose programs run here: code is generated for them, or the interpreter stands in.
func RunKinds() target.Table {
	return slices.DeleteFunc(target.Kinds(), func(k *target.Kind) bool { return !k.Code && !stoodIn(target.Of(k.Name)) })
}

// generatorFor returns the generator for a target.
func generatorFor(t target.Target) (generator, error) {
	if stoodIn(t) {
		return generatorOf(standIn)
	}
	return generatorOf(t.Kind().Name)
}

// generatorOf returns the generator for a kind of target.
func generatorOf(kind string) (generator, error) {
	for _, g := range generators {
		if g.kind == kind {
			return g, nil
		}
	}
	return generator{}, fmt.Errorf("there is no code generator for targets of kind %s, only passes: code is made for %s", kind, strings.Join(target.CodeKinds().Names(), " and "))
}

// Generators tells passes which functions the code generator of a target takes.
type Generators struct{}

// Refuses implements pass.Generators.
func (Generators) Refuses(f *tir.PrimFunc, t target.Target) string {
	g, err := generatorFor(t)
	if err != nil || g.refuses == nil {
		return ""
	}
	return g.refuses(f)
}

// group is the functions of a module that are compiled together: those of one target.
type group struct {
	target target.Target
	funcs  []codegen.Func
}

// groups sorts the PrimFuncs of a module by the targets that they note, in the order in which these come up;
// t is that of functions which note none. All of a module for a GPU are one group.
func groups(m *ir.Module, t target.Target) ([]group, error) {
	if stoodIn(t) { // a kernel and the host's function that launches it run together
		return []group{{target: t.WithoutHost(), funcs: codegen.Funcs(m)}}, nil
	}
	var out []group
	of := map[string]target.Target{"": t.WithoutHost()} // what the texts of attributes mean
	for _, f := range codegen.Funcs(m) {
		text := f.Prim.Attrs.Str(ir.AttrTarget, "")
		own, ok := of[text]
		if !ok {
			parsed, err := target.Parse(text)
			if err != nil {
				return nil, fmt.Errorf("function %s: its attribute target: %w", f.Name, err)
			}
			own = parsed.WithoutHost()
			of[text] = own
		}
		i := slices.IndexFunc(out, func(g group) bool { return g.target.Equal(own) })
		if i < 0 {
			i = len(out)
			out = append(out, group{target: own})
		}
		out[i].funcs = append(out[i].funcs, f)
	}
	return out, checkCalls(out)
}

// checkCalls reports a function that calls one for another target: kernels are linked within a module.
func checkCalls(list []group) error {
	if len(list) < 2 {
		return nil
	}
	home := map[string]int{}
	for i, g := range list {
		for _, f := range g.funcs {
			home[f.Name] = i
		}
	}
	var err error
	for i, g := range list {
		for _, f := range g.funcs {
			ir.Walk(f.Prim.Body, func(n ir.Node) bool {
				if c, ok := n.(*tir.Call); ok && err == nil {
					if gv, ok := c.Op.(*ir.GlobalVar); ok {
						if to, ok := home[gv.Name]; ok && to != i {
							err = fmt.Errorf("function %s for target %s calls %s for target %s: only Relax functions can call functions of several targets",
								f.Name, g.target, gv.Name, list[to].target)
						}
					}
				}
				return err == nil
			})
		}
	}
	return err
}
