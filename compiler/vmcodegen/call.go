package vmcodegen

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/vm"
)

// contextBuiltins are operators that become builtins which get the machine first.
var contextBuiltins = map[string]string{
	"relax.vm.alloc_storage": "vm.builtin.alloc_storage",
}

// plainBuiltins are operators that become builtins with the same arguments.
var plainBuiltins = map[string]string{
	"relax.vm.alloc_tensor": "vm.builtin.alloc_tensor",
	"relax.null_value":      "vm.builtin.null_value",
	"relax.print":           "relax.run.print",
	"relax.assert_op":       "relax.run.assert_op",
	"relax.size":            "relax.run.size",
	"relax.shape_to_tensor": "relax.run.shape_to_tensor",
}

func (g *generator) callExpr(c *relax.Call) (vm.Arg, error) {
	switch op := c.Op.(type) {
	case *ir.Op:
		return g.callOperator(c, op.Name)
	case *ir.GlobalVar:
		args, err := g.args(c.Args)
		if err != nil {
			return 0, err
		}
		callee, err := g.global(op.Name)
		if err != nil {
			return 0, err
		}
		dst := g.result(c)
		g.b.EmitCallArg(callee, args, dst)
		return vm.Register(dst), nil
	case *relax.ExternFunc:
		args, err := g.args(c.Args)
		if err != nil {
			return 0, err
		}
		dst := g.result(c)
		g.b.EmitCall(op.Symbol, args, dst)
		return vm.Register(dst), nil
	}
	fn, err := g.value(c.Op)
	if err != nil {
		return 0, err
	}
	args, err := g.args(c.Args)
	if err != nil {
		return 0, err
	}
	return g.call("vm.builtin.invoke_closure", append([]vm.Arg{vm.VM(), fn}, args...)), nil
}

// result returns the register for the result of c: none for calls made for their effect.
func (g *generator) result(c *relax.Call) vm.Reg {
	if t, ok := c.SInfo.(*relax.TupleStructInfo); ok && len(t.Fields) == 0 {
		return vm.VoidReg
	}
	return g.fresh()
}

func (g *generator) callOperator(c *relax.Call, name string) (vm.Arg, error) {
	if name == "relax.vm.kill_object" {
		// The register loses its value: the machine frees it with the last reference.
		a, err := g.value(c.Args[0])
		if err != nil {
			return 0, err
		}
		if a.Kind() == vm.ArgReg {
			g.b.EmitCall("vm.builtin.null_value", nil, vm.Reg(a.Value()))
		}
		return vm.Void(), nil
	}
	if name == "relax.call_builtin_with_ctx" {
		ext := c.Args[0].(*relax.ExternFunc)
		var fields []relax.Expr
		if t, ok := c.Args[1].(*relax.Tuple); ok {
			fields = t.Fields
		}
		args, err := g.args(fields)
		if err != nil {
			return 0, err
		}
		if !withoutMachine(ext.Symbol) {
			args = append([]vm.Arg{vm.VM()}, args...)
		}
		dst := g.result(c)
		g.b.EmitCall(ext.Symbol, args, dst)
		return vm.Register(dst), nil
	}
	args, err := g.args(c.Args)
	if err != nil {
		return 0, err
	}
	if fn := contextBuiltins[name]; fn != "" {
		return g.call(fn, append([]vm.Arg{vm.VM()}, args...)), nil
	}
	if fn := plainBuiltins[name]; fn != "" {
		dst := g.result(c)
		g.b.EmitCall(fn, args, dst)
		return vm.Register(dst), nil
	}
	return 0, g.unlowered("operator "+name, lowers(name)...)
}

// withoutMachine reports whether the lowering calls a builtin with context that takes none.
func withoutMachine(name string) bool {
	return name == "vm.builtin.make_closure" || name == "vm.builtin.call_tir_dyn"
}
