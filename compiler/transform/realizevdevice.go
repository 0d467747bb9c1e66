package transform

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

const (
	opToVDevice    = "relax.to_vdevice"
	opHintOnDevice = "relax.hint_on_device"
	attrDstVDevice = "dst_vdevice"
)

// RealizeVDevice finds out on which device each tensor is.
//
// What is computed together is on one device: the operands and results of a call, a value and its other names. Only hint_on_device and
// to_vdevice lead from one to another. So devices spread over these connections (devicelinks.go): first those that are certain, as a parameter, a result or
// a hint names them, then those on which the operands of hints should be. After TVM's src/relax/transform/realize_vdevice.cc, but each
// field of a tuple is on a device of its own here, and devices spread to functions that are called.
var RealizeVDevice = &pass.Pass{
	Name: "RealizeVDevice", Kind: pass.Module,
	Doc: "Gives tensors the virtual devices that follow from those of parameters, results and hints, and replaces each hint_on_device by its operand, or by to_vdevice where that is on another device.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		devices, err := vdevicesOf(m)
		if err != nil {
			return nil, err
		}
		l := &deviceLinks{m: m, devices: devices, near: map[devicePlace][]devicePlace{}, known: map[devicePlace]*relax.VDevice{}}
		if err := l.collect(c); err != nil {
			return nil, err
		}
		if len(l.certain) == 0 && len(l.hinted) == 0 {
			return m, nil
		}
		l.spread(l.certain)
		l.spread(l.hinted)
		return l.realize(c)
	},
}

// realize writes the devices into the functions, those that are called first.
func (l *deviceLinks) realize(c *pass.Context) (*ir.Module, error) {
	mu := deviceMutator(l.m, func(v *relax.Var, path string, t *relax.TensorStructInfo) *relax.VDevice {
		if d := l.known[devicePlace{v, path}]; d != nil {
			return d
		}
		return t.VDevice
	})
	if c.Observed() {
		mu.Rewrote = func(b relax.Binding, list []relax.Binding) {
			if opName(b.BoundValue()) == opHintOnDevice {
				c.RewriteAll("realize a hint", []ir.Node{b}, nodesOf(list))
			}
		}
	}
	mu.Call = func(call *relax.Call) relax.Expr {
		if opName(call) != opHintOnDevice {
			return call
		}
		to, err := hintedDevice(l.devices, call)
		if err != nil {
			mu.Fail(err)
			return call
		}
		if t, ok := mu.Builder().Context().SInfoOf(call.Args[0]).(*relax.TensorStructInfo); ok && sameDevice(t.VDevice, to) {
			return call.Args[0]
		}
		return &relax.Call{Base: call.Base, Op: ir.NewOp(opToVDevice), Args: call.Args, Attrs: ir.NewAttrs(attrDstVDevice, to)}
	}
	done := map[string]bool{}
	var visit func(name string, f *relax.Function) error
	visit = func(name string, f *relax.Function) error {
		if done[name] {
			return nil
		}
		done[name] = true
		for _, callee := range calledFunctions(l.m, f) {
			if err := visit(callee, l.m.Lookup(callee).(*relax.Function)); err != nil {
				return err
			}
		}
		if err := c.Err(); err != nil {
			return err
		}
		c.Working(name)
		out, err := mu.Function(f)
		if err != nil {
			return fmt.Errorf("in %s: %w", name, err)
		}
		if out != f {
			c.Rewrite("place the values of a function", f, out)
			mu.Builder().UpdateFunc(name, out)
		}
		return nil
	}
	var errs []error
	for gv, fn := range l.m.Funcs() {
		if f, ok := fn.(*relax.Function); ok {
			errs = append(errs, visit(gv.Name, f))
		}
	}
	c.Working("")
	return mu.Builder().Module(), errors.Join(errs...)
}

// calledFunctions returns the names of the Relax functions that f uses, in order.
func calledFunctions(m *ir.Module, f *relax.Function) []string {
	var out []string
	ir.Walk(f, func(n ir.Node) bool {
		if gv, ok := n.(*ir.GlobalVar); ok {
			if _, graph := m.Lookup(gv.Name).(*relax.Function); graph {
				out = append(out, gv.Name)
			}
		}
		_, info := n.(relax.StructInfo)
		return !info
	})
	return out
}
