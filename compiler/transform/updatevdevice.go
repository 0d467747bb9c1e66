package transform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// ruleDevice is the name of the rule.
const ruleDevice = "move to another device"

// UpdateVDevice replaces a virtual device of the module.
var UpdateVDevice = &pass.Pass{
	Name: "UpdateVDevice", Kind: pass.Module,
	Doc: "Puts new_vdevice in the place of the virtual device with the number index, in the module's list and in all tensors that are on it.",
	Options: []pass.Option{
		{Name: "new_vdevice", Default: "llvm:0:global", Doc: `the device: its target, number and memory scope, e.g. "metal:1:global"; what is left out is 0 and global`},
		{Name: "index", Default: int64(0), Doc: "the place of the device that it replaces in the module's list"},
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		to, err := parseDevice(c.Arg("new_vdevice").(string))
		if err != nil {
			return nil, err
		}
		devices, err := vdevicesOf(m)
		if err != nil {
			return nil, err
		}
		index := c.Arg("index").(int64)
		if len(devices) == 0 {
			c.Report(ir.Diagnostic{Severity: ir.Note, Message: "the module has no virtual devices: UpdateVDevice changes nothing"})
			return m, nil
		}
		if index < 0 || index >= int64(len(devices)) {
			return nil, fmt.Errorf("index: the module has %d virtual devices, and %d is none of them", len(devices), index)
		}
		from := devices[index]
		if sameDevice(from, to) {
			return m, nil
		}
		infos := slices.Clone(m.GlobalInfos()[infoVDevice])
		infos[index] = to
		return moveDevice(c, m.WithGlobalInfos(infoVDevice, infos), from, to)
	},
}

// moveDevice puts to in the place of from in all functions.
func moveDevice(c *pass.Context, m *ir.Module, from, to *relax.VDevice) (*ir.Module, error) {
	mu := deviceMutator(m, func(_ *relax.Var, _ string, t *relax.TensorStructInfo) *relax.VDevice {
		if sameDevice(t.VDevice, from) {
			return to
		}
		return t.VDevice
	})
	def := mu.VarDef
	mu.VarDef = func(v *relax.Var) *relax.Var {
		out := def(v)
		if out != v {
			c.Rewrite(ruleDevice, v, out)
		}
		return out
	}
	mu.Call = func(call *relax.Call) relax.Expr {
		if opName(call) != opToVDevice {
			return call
		}
		if d, _ := call.Attrs.Get(attrDstVDevice); d != nil && sameDevice(d.(*relax.VDevice), from) {
			return &relax.Call{Base: call.Base, Op: call.Op, Args: call.Args, Attrs: call.Attrs.With(attrDstVDevice, to)}
		}
		return call
	}
	return mu.Module()
}

// parseDevice reads "target:number:scope".
func parseDevice(text string) (*relax.VDevice, error) {
	d := &relax.VDevice{Target: text, Scope: "global"}
	rest := ""
	if at := strings.IndexByte(text[strings.LastIndexByte(text, '}')+1:], ':'); at >= 0 { // a target may be a dictionary
		at += strings.LastIndexByte(text, '}') + 1
		d.Target, rest = text[:at], text[at+1:]
	}
	number, scope, scoped := strings.Cut(rest, ":")
	if scoped {
		d.Scope = scope
	}
	if number != "" {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 {
			return nil, fmt.Errorf(`new_vdevice: %q does not name a device, which is written as "llvm", "cuda:1" or "metal:0:global"`, text)
		}
		d.ID = n
	}
	if strings.TrimSpace(d.Target) == "" || d.Scope == "" {
		return nil, fmt.Errorf(`new_vdevice: %q does not name a device, which is written as "llvm", "cuda:1" or "metal:0:global"`, text)
	}
	return d, nil
}
