package tirpass

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/dlight"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// attrIsScheduled is the function attribute of PrimFuncs that have a schedule.
const attrIsScheduled = "tir.is_scheduled"

// DefaultGPUSchedule runs the loops of functions for a GPU by its threads.
var DefaultGPUSchedule = &pass.Pass{
	Name: "tir.DefaultGPUSchedule", Kind: pass.Module,
	Doc:         "Runs the spatial loops of each block of functions for a GPU, by their own target or else that of the run, by threads, as far as none of its loops is, and marks all PrimFuncs as scheduled. Functions that are marked already, and those for a CPU, stay as they are otherwise.",
	ReadsTarget: true,
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		common := c.TargetOf()
		return pass.EachPrimFunc(func(c *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			out, err := onThreads(c, f, common, m.Origins())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", gv.Name, err)
			}
			if out.Attrs.Bool(attrIsScheduled, false) {
				return out, nil
			}
			marked := out.WithFuncAttrs(out.Attrs.With(attrIsScheduled, true)).(*tir.PrimFunc)
			c.Rewrite("mark as scheduled", out, marked)
			return marked, nil
		})(c, m)
	},
}

// onThreads gives f the default schedule, if it has none and is for a GPU.
func onThreads(c *pass.Context, f *tir.PrimFunc, t target.Target, origins *ir.Origins) (*tir.PrimFunc, error) {
	if f.Attrs.Bool(attrIsScheduled, false) {
		c.Declined("run by threads", f, "it has a schedule already")
		return f, nil
	}
	if text := f.Attrs.Str(ir.AttrTarget, ""); text != "" {
		var err error
		if t, err = target.Parse(text); err != nil {
			return nil, fmt.Errorf("its attribute target: %w", err)
		}
	}
	if t.IsZero() {
		return nil, errors.New("no target is set: give one, such as cuda")
	}
	if !onDevice(t.Kind().Name) {
		c.Declined("run by threads", f, "it is for targets of kind "+t.Kind().Name+", which have no threads")
		return f, nil
	}
	out, err := dlight.DefaultGPU(f, t, origins)
	if err != nil {
		return nil, err
	}
	c.Rewrite("run by threads", f, out)
	return out, nil
}
