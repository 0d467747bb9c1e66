package transform

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/compiler/tir"
)

// FusionPattern is what FuseOpsByPattern makes functions of: TVM's FusionPattern.
type FusionPattern struct {
	// Name is what the functions have as Composite: the name of a generator, a dot, and what is computed.
	Name    string
	Pattern dpl.Pattern
	// Annotations name parts of the pattern for Check and Attrs.
	Annotations map[string]dpl.Pattern
	// Check, if not nil, may refuse a match, with a reason.
	Check func(*PatternCheckContext) error
	// Attrs, if not nil, returns further attributes of the function, given what the annotations matched.
	Attrs func(annotated map[string]relax.Expr) *ir.Attrs
}

// PatternCheckContext is what is known of a match.
type PatternCheckContext struct {
	Matched   *relax.Call                 // what the whole pattern matched
	Annotated map[string]relax.Expr       // what the annotations matched
	Bindings  map[*relax.Var]relax.Expr   // the calls and fields that become the function
	Usages    map[*relax.Var][]*relax.Var // of the variables of the dataflow block: what uses them
	Infer     *relax.InferContext
}

// Backend is what an external code generator brings: patterns of what it computes, and itself.
type Backend struct {
	Patterns []FusionPattern
	Codegens []Codegen
}

// Codegen is an external code generator: what computes functions whose attribute Codegen is its name. RunCodegen calls it.
type Codegen struct {
	Name string
	// Compile makes code of a function of m that is named symbol. Options are the generator's own.
	Compile func(c *pass.Context, m *ir.Module, symbol string, f *relax.Function, options *ir.Attrs) (*Compiled, error)
}

// Compiled is the code of a function.
type Compiled struct {
	// Kernel has the parameters of the function, then the constants, and then the results, as buffers.
	Kernel *tir.PrimFunc
	// Constants are those of the function: calls pass them behind its arguments.
	Constants []*relax.Constant
}

// RegisterBackend returns a registry of passes that knows the patterns and generators of backends too; base may be nil. Passes find them by the
// registry of their context. Of patterns of one name the one that was registered last counts; two generators of a name are an error.
func RegisterBackend(base pass.Registry, list ...Backend) (pass.Registry, error) {
	for _, b := range list {
		for _, p := range b.Patterns {
			if !strings.Contains(p.Name, ".") || p.Pattern == nil {
				return nil, fmt.Errorf("pattern %q: expected a pattern, and a name that begins with that of a code generator and a dot, such as dnnl.conv2d", p.Name)
			}
		}
		for _, g := range b.Codegens {
			if codegenOf(base, g.Name) != nil {
				return nil, fmt.Errorf("there is a code generator %s already: give this one another name", g.Name)
			}
			if g.Compile == nil || g.Name == "" {
				return nil, fmt.Errorf("code generator %q: expected a name and a function that compiles", g.Name)
			}
		}
		base = &backendRegistry{base, b}
	}
	return base, nil
}

type backendRegistry struct {
	base    pass.Registry
	backend Backend
}

// Lookup returns the pass of that name.
func (r *backendRegistry) Lookup(name string) *pass.Pass {
	if r.base == nil {
		return nil
	}
	return r.base.Lookup(name)
}

// Nearest returns the name of a pass like name.
func (r *backendRegistry) Nearest(name string) string {
	if r.base == nil {
		return ""
	}
	return r.base.Nearest(name)
}

// Unwrap returns the registry that r adds to.
func (r *backendRegistry) Unwrap() pass.Registry { return r.base }

// backends calls f for the backends that r knows, the latest first and that of this compiler last, until it returns false.
func backends(r pass.Registry, f func(Backend) bool) {
	for r != nil {
		if b, ok := r.(*backendRegistry); ok && !f(b.backend) {
			return
		}
		w, ok := r.(pass.Wrapper)
		if !ok {
			break
		}
		r = w.Unwrap()
	}
	f(ownBackend())
}

func codegenOf(r pass.Registry, name string) (out *Codegen) {
	backends(r, func(b Backend) bool {
		for _, g := range b.Codegens {
			if g.Name == name {
				out = &g
				return false
			}
		}
		return true
	})
	return out
}

// patternsNamed returns the pattern of that name, or all whose names begin with it, the latest first. With a star behind it, it is the beginning of
// names only.
func patternsNamed(r pass.Registry, name string) ([]FusionPattern, error) {
	name, prefix := strings.CutSuffix(name, "*")
	var exact, all []FusionPattern
	var names []string
	backends(r, func(b Backend) bool {
		for i := len(b.Patterns) - 1; i >= 0; i-- {
			p := b.Patterns[i]
			names = append(names, p.Name)
			switch {
			case p.Name == name && !prefix:
				if exact != nil {
					continue // the latest counts
				}
				exact = []FusionPattern{p}
			case strings.HasPrefix(p.Name, name):
				all = append(all, p)
			}
		}
		return true
	})
	switch {
	case exact != nil:
		return exact, nil
	case (name != "" || prefix) && len(all) > 0:
		return all, nil
	}
	help := "known are " + strings.Join(names, ", ")
	if near := nearest.Name(name, func(yield func(string) bool) {
		for _, n := range names {
			if !yield(n) {
				return
			}
		}
	}); near != "" {
		help = "did you mean " + near + "?"
	}
	return nil, fmt.Errorf("patterns: no pattern is called %q, and no name of one begins so; %s", name, help)
}
