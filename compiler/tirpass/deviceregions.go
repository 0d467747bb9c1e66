package tirpass

import (
	"errors"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// AnnotateDeviceRegions marks what runs on the device.
var AnnotateDeviceRegions = &pass.Pass{
	Name: "tir.AnnotateDeviceRegions", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Marks the parts of functions that only threads of a device can run with the target of the device, in functions whose target has a host.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if !f.Attrs.Has(ir.AttrTarget) {
			return nil, errors.New("AnnotateDeviceRegions: Require the target attribute: run tir.BindTarget first")
		}
		text := f.Attrs.Str(ir.AttrTarget, "")
		if hostOf(text) == "" {
			c.Declined("mark what runs on the device", f, "its target has no host, so all of it runs in one place")
			return f, nil
		}
		device := &tir.StringImm{Value: withoutHost(text)}
		m := &tir.Mapper{}
		m.Stmt = func(s tir.Stmt) tir.Stmt {
			a, ok := s.(*tir.AttrStmt)
			if !ok {
				return m.MapStmt(s)
			}
			switch a.Key {
			case ir.AttrTarget:
				return a // it is marked
			case tir.KeyThreadExtent, "pipeline_exec_scope", "device_scope":
				out := &tir.AttrStmt{Base: a.Base, Node: device, Key: ir.AttrTarget, Value: tir.Int32(0), Body: a}
				c.Rewrite("mark what runs on the device", a, out)
				return out
			}
			return m.MapStmt(s)
		}
		return f.WithBody(m.Stmt(f.Body)), nil
	}),
}
