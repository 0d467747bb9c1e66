package pass

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
)

// lookup finds a pass by its name or, as TVM does, by a name in its transform namespaces.
func (c *Context) lookup(name string) *Pass {
	if c.Registry == nil {
		return nil
	}
	if _, short, ok := strings.Cut(name, "transform."); ok {
		name = short
	}
	return c.Registry.Lookup(name)
}

func (c *Context) nearest(name string) string {
	if c.Registry == nil {
		return ""
	}
	return c.Registry.Nearest(name)
}

// warnUnknownNames reports names in Required and Disabled that no pass has, neither one of the
// registry nor one inside of p, which is about to run.
func (c *Context) warnUnknownNames(p *Pass) {
	if c.Registry == nil {
		return
	}
	warn := func(where string, names []string) {
		for _, n := range names {
			if c.Registry.Lookup(n) == nil && !p.Holds(n) {
				e := &UnknownPassError{Name: n, Where: where, Near: c.Registry.Nearest(n)}
				c.Report(ir.Diagnostic{Severity: ir.Warning, Message: e.Error()})
			}
		}
	}
	warn("required_pass", c.Required)
	warn("disabled_pass", c.Disabled)
}

// Holds reports whether p or a pass inside of it has a name.
func (p *Pass) Holds(name string) bool {
	return p.Name == name || slices.ContainsFunc(p.Children, func(c *Pass) bool { return c.Holds(name) })
}
