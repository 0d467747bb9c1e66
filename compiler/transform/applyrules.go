package transform

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/dlight"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// applyRules gives each PrimFunc that has no schedule yet that of the first rule of DLight that fits it.
func applyRules(c *pass.Context, m *ir.Module, names []ir.Value) (*ir.Module, error) {
	rules := make([]*dlight.Rule, len(names))
	for i, n := range names {
		var err error
		if rules[i], err = dlight.Parse(n.(string)); err != nil {
			return nil, fmt.Errorf("option rules: %w", err)
		}
	}
	common := c.TargetOf()
	return pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if f.Attrs.Bool(AttrIsScheduled, false) {
			c.Declined("schedule", f, "it has a schedule already")
			return f, nil
		}
		t := common
		if text := f.Attrs.Str(ir.AttrTarget, ""); text != "" {
			var err error
			if t, err = target.Parse(text); err != nil {
				c.Declined("schedule", f, "its target is not known here: "+err.Error())
				return f, nil
			}
		}
		if t.IsZero() {
			return nil, errors.New("no target is set: rules choose by it, such as nvidia/geforce-rtx-3090-ti")
		}
		for _, r := range rules {
			name := "schedule by rule " + r.Name
			out, err := r.Apply(f, t, m.Origins(), func(schedule string, why error) {
				c.Declined(name+" on "+schedule, f, why.Error())
			})
			if err != nil {
				c.Declined(name, f, err.Error())
				continue
			}
			marked := out.WithFuncAttrs(out.Attrs.With(AttrIsScheduled, true)).(*tir.PrimFunc)
			c.Rewrite(name, f, marked)
			return marked, nil
		}
		return f, nil
	})(c, m)
}
