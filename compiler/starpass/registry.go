package starpass

import (
	"maps"

	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/compiler/pass"
)

// registry finds the passes that a script has made, behind those of the compiler: a name that both have is the compiler's.
type registry struct {
	base pass.Registry
	r    *run
}

// Lookup returns the pass of that name.
func (g registry) Lookup(name string) *pass.Pass {
	if g.base != nil {
		if p := g.base.Lookup(name); p != nil {
			return p
		}
	}
	if p := g.r.made[name]; p != nil {
		return p.bind(g.r)
	}
	return nil
}

// Nearest returns a known name like name.
func (g registry) Nearest(name string) string {
	if near := nearest.Name(name, maps.Keys(g.r.made)); near != "" || g.base == nil {
		return near
	}
	return g.base.Nearest(name)
}

// register notes a pass by its name, for those that require it. Of several of a name the last counts.
func (r *run) register(p *Pass) *Pass {
	if r.made == nil {
		r.made = map[string]*Pass{}
	}
	r.made[p.name] = p
	return p
}

// knowing returns c with a registry that knows the passes of the script.
func (r *run) knowing(c *pass.Context) *pass.Context {
	out := *c
	out.Registry = registry{c.Registry, r}
	return &out
}

// Registry returns a registry that knows the passes that the script exports, and those of base, which may be nil. A name that both have is
// an error.
func (p *Program) Registry(base pass.Registry) (pass.Registry, error) {
	return pass.Register(base, p.passes...)
}
