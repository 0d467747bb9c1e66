package pass

import (
	"fmt"
	"maps"

	"github.com/irscope/irscope/compiler/ir/nearest"
)

// Register returns a registry that finds passes by their names, and what base finds by other names; base may be nil. It is how a program
// makes passes of its own known, so that others can require them and contexts can name them. Two passes of a name are an error.
func Register(base Registry, passes ...*Pass) (Registry, error) {
	r := &registered{base: base, own: map[string]*Pass{}}
	for _, p := range passes {
		if r.Lookup(p.Name) != nil {
			return nil, fmt.Errorf("there is a pass %s already: give this one another name", p.Name)
		}
		r.own[p.Name] = p
	}
	return r, nil
}

type registered struct {
	base Registry
	own  map[string]*Pass
}

// Lookup returns the pass of that name.
func (r *registered) Lookup(name string) *Pass {
	if p := r.own[name]; p != nil || r.base == nil {
		return p
	}
	return r.base.Lookup(name)
}

// Wrapper is a registry that adds something to another one.
type Wrapper interface {
	Registry
	// Unwrap returns the other one, or nil.
	Unwrap() Registry
}

// Unwrap returns the registry that r adds to.
func (r *registered) Unwrap() Registry { return r.base }

// Nearest returns a known name like name.
func (r *registered) Nearest(name string) string {
	if near := nearest.Name(name, maps.Keys(r.own)); near != "" || r.base == nil {
		return near
	}
	return r.base.Nearest(name)
}
