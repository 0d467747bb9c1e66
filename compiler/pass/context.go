package pass

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// DefaultOptLevel is the opt_level of a context that sets none.
const DefaultOptLevel = 2

// Evaluator computes kernels at compile time, for FoldConstant.
type Evaluator interface {
	// Eval runs fn on constant inputs and returns outputs of the given types and shapes.
	Eval(ctx context.Context, fn *tir.PrimFunc, args []*ir.Blob, outs []TensorType) ([]*ir.Blob, error)
}

// Generators says what code generators make of functions.
type Generators interface {
	// Refuses returns why the code generator for a target leaves a lowered function to another one, or "" where it makes the code itself. It looks at
	// what stands in f, at the cost of walking over it.
	Refuses(f *tir.PrimFunc, t target.Target) string
}

// TensorType is the type and shape of a tensor.
type TensorType struct {
	DType dtype.DType
	Shape []int64
}

// Registry finds passes by name. A nil registry knows none.
type Registry interface {
	// Lookup returns the pass of that name, nil if there is none.
	Lookup(name string) *Pass
	// Nearest returns a known name like name, "" if none is near.
	Nearest(name string) string
}

// Context is TVM's PassContext: the settings that passes run under. It is built by
// NewContext; OverrideInstruments is all that changes it afterwards.
type Context struct {
	OptLevel int
	Required []string // passes that run whatever their level
	Disabled []string // passes that do not run in a Sequential
	Config   Config

	Target     target.Target // the zero value where the passes need none
	Evaluator  Evaluator     // nil: FoldConstant folds nothing
	Generators Generators    // nil: every generator takes every function
	Registry   Registry

	ctx         context.Context
	instruments []*Instrument
	observer    Observer // nil: nobody hears of rewrites and decisions

	diag   *diagnostics
	budget *budget.Budget // of the running pass, or of the function that it works on
	forms  *formsGiven
	step   *Step // the pass that this context was handed to; nil outside passes
	root   *int  // number of outermost passes run so far
}

type diagnostics struct {
	mu   sync.Mutex
	list []ir.Diagnostic
	ran  map[string]bool // passes that are no sequences
}

// ContextOption sets something of a new context.
type ContextOption func(*Context) error

// OptLevel sets the opt_level, 0 or more.
func OptLevel(n int) ContextOption {
	return func(c *Context) error {
		if n < 0 {
			return &ValueError{What: "opt_level", Want: fmt.Sprintf("a value of 0 or more, got %d", n)}
		}
		c.OptLevel = n
		return nil
	}
}

// RequirePass sets the names of passes that run whatever their level.
func RequirePass(names ...string) ContextOption {
	return func(c *Context) error { c.Required = names; return nil }
}

// DisablePass sets the names of passes that no Sequential runs.
func DisablePass(names ...string) ContextOption {
	return func(c *Context) error { c.Disabled = names; return nil }
}

// Configure sets config options, see NewConfig.
func Configure(values map[string]any) ContextOption {
	return func(c *Context) (err error) { c.Config, err = NewConfig(values); return err }
}

// Instruments sets the instruments, in the order in which they are asked.
func Instruments(list ...*Instrument) ContextOption {
	return func(c *Context) error { c.instruments = slices.Clone(list); return nil }
}

// WithTarget sets the target.
func WithTarget(t target.Target) ContextOption {
	return func(c *Context) error { c.Target = t; return nil }
}

// WithEvaluator sets what evaluates constants.
func WithEvaluator(e Evaluator) ContextOption {
	return func(c *Context) error { c.Evaluator = e; return nil }
}

// WithGenerators sets what tells which functions code generators take.
func WithGenerators(g Generators) ContextOption {
	return func(c *Context) error { c.Generators = g; return nil }
}

// WithRegistry sets where passes are found by name. Names in Required and Disabled that it
// does not know are reported as warnings when the first pass runs.
func WithRegistry(r Registry) ContextOption {
	return func(c *Context) error { c.Registry = r; return nil }
}

// NewContext returns a context with opt_level 2, no config and no instruments, as changed by
// opts. It inherits nothing from other contexts. Passes stop soon after ctx is done.
func NewContext(ctx context.Context, opts ...ContextOption) (*Context, error) {
	c := &Context{OptLevel: DefaultOptLevel, ctx: ctx, diag: &diagnostics{}, forms: &formsGiven{}, root: new(int)}
	for _, o := range opts {
		if err := o(c); err != nil {
			return nil, err
		}
	}
	c.Required, c.Disabled = c.spelled(c.Required), c.spelled(c.Disabled)
	return c, nil
}

// spelled returns names as the passes themselves spell them, where the registry knows a name
// as an alias.
func (c *Context) spelled(names []string) []string {
	if c.Registry == nil {
		return names
	}
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n
		if p := c.Registry.Lookup(n); p != nil {
			out[i] = p.Name
		}
	}
	return out
}

// Context returns the context.Context of the run.
func (c *Context) Context() context.Context { return c.ctx }

// Err returns the cause if the run was canceled, else nil. Long loops in passes call it
// every few thousand steps.
func (c *Context) Err() error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	return nil
}

// FunctionSteps is what a pass over PrimFuncs may spend on one of them: far more than any
// kernel needs, and about a second.
const FunctionSteps = 1 << 24

// Budget returns what the running pass may spend on the function that it works on. Passes over
// PrimFuncs have a limit for each; others have none, and only end with the context. It is
// nil outside passes.
func (c *Context) Budget() *budget.Budget { return c.budget }

// Working notes the function that the running pass works on, so that a failure or a panic
// names it; "" is none. The lifting of function passes does it for them.
func (c *Context) Working(function string) {
	if c.step != nil {
		c.step.function = function
	}
}

// Step returns the pass that c was handed to, nil outside passes.
func (c *Context) Step() *Step { return c.step }

// Instruments returns the instruments in order.
func (c *Context) Instruments() []*Instrument { return slices.Clone(c.instruments) }

// Report adds a diagnostic, naming the running pass.
func (c *Context) Report(d ir.Diagnostic) {
	if d.Pass == "" && c.step != nil {
		d.Pass = c.step.Pass.Name
	}
	c.diag.mu.Lock()
	defer c.diag.mu.Unlock()
	c.diag.list = append(c.diag.list, d)
}

// Ran reports whether a pass of that name has run to its end, for messages to those who
// started it: what a pass does must not depend on it.
func (c *Context) Ran(name string) bool {
	c.diag.mu.Lock()
	defer c.diag.mu.Unlock()
	return c.diag.ran[name]
}

// done notes that p has run.
func (c *Context) done(p *Pass) {
	c.diag.mu.Lock()
	defer c.diag.mu.Unlock()
	if c.diag.ran == nil {
		c.diag.ran = map[string]bool{}
	}
	c.diag.ran[p.Name] = true
}

// Diagnostics returns what was reported so far.
func (c *Context) Diagnostics() []ir.Diagnostic {
	c.diag.mu.Lock()
	defer c.diag.mu.Unlock()
	return slices.Clone(c.diag.list)
}

// ConfigValue returns a config option for the running pass, which must have declared the key.
func (c *Context) ConfigValue(key string) ir.Value {
	if c.step != nil && !slices.Contains(c.step.Pass.Config, key) {
		panic(fmt.Sprintf("pass %s reads config option %s, which it does not declare", c.step.Pass.Name, key))
	}
	return c.Config.Get(key)
}

// ConfigBool returns a bool option for the running pass.
func (c *Context) ConfigBool(key string) bool { return c.ConfigValue(key).(bool) }

// ConfigInt returns an integer option for the running pass.
func (c *Context) ConfigInt(key string) int64 { return c.ConfigValue(key).(int64) }

// ConfigFields returns a structured option for the running pass, all fields set.
func (c *Context) ConfigFields(key string) *ir.Attrs { return c.ConfigValue(key).(*ir.Attrs) }

// Arg returns an option of the running pass.
func (c *Context) Arg(name string) ir.Value { return c.step.Pass.Arg(name) }

// Level returns opt_level for the running pass, which must have declared ReadsLevel.
func (c *Context) Level() int {
	if c.step != nil && !c.step.Pass.ReadsLevel {
		panic(fmt.Sprintf("pass %s reads opt_level, which it does not declare", c.step.Pass.Name))
	}
	return c.OptLevel
}

// TargetOf returns the target for the running pass, which must have declared ReadsTarget.
func (c *Context) TargetOf() target.Target {
	if c.step != nil && !c.step.Pass.ReadsTarget {
		panic(fmt.Sprintf("pass %s reads the target, which it does not declare", c.step.Pass.Name))
	}
	return c.Target
}

// PassEnabled reports whether a Sequential runs p under c, and why not: a disabled name
// does not, a required name does, others by level.
func (c *Context) PassEnabled(p *Pass) (bool, SkipReason) {
	switch {
	case slices.Contains(c.Disabled, p.Name):
		return false, SkipReason{SkipDisabled, "disabled"}
	case slices.Contains(c.Required, p.Name):
		return true, SkipReason{}
	case c.OptLevel >= p.Level:
		return true, SkipReason{}
	}
	return false, SkipReason{SkipLevel, fmt.Sprintf("level %d > %d", p.Level, c.OptLevel)}
}
