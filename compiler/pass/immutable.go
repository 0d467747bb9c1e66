package pass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
)

// immutabilityCheck returns a function that fails if m changed in the meantime. Without
// testing.immutable_module it does nothing.
func (c *Context) immutabilityCheck(m *ir.Module) func(*Pass) error {
	if on, _ := c.Config.Get("testing.immutable_module").(bool); !on {
		return func(*Pass) error { return nil }
	}
	before := moduleHash(m)
	return func(p *Pass) error {
		if moduleHash(m) != before {
			//lint:ignore ST1005 the text is TVM's
			return fmt.Errorf("Immutable module has been modified in pass: %s", p.Name)
		}
		return nil
	}
}

func moduleHash(m *ir.Module) uint64 {
	var h uint64 = 14695981039346656037
	for gv, fn := range m.Funcs() {
		for _, b := range []byte(gv.Name) {
			h = (h ^ uint64(b)) * 1099511628211
		}
		h = (h ^ ir.StructuralHash(fn)) * 1099511628211
	}
	return h
}
