package relaypass

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
)

// EliminateCommonSubexpr computes equal values once, as transform.EliminateCommonSubexpr does, by Relay's rules of what counts.
var EliminateCommonSubexpr = &pass.Pass{
	Name: "relay.EliminateCommonSubexpr", Level: 3, Kind: pass.Function, Required: []string{inferType},
	Doc:     "Computes equal calls of operators and equal fields of tuples once. Calls of functions, calls without arguments, what has effects, and what the option fskip names are computed as often as they are written.",
	Options: []pass.Option{{Name: "fskip", Default: []ir.Value{}, Elem: "", Doc: "names of operators that are left alone, such as nn.conv2d; in TVM a function that says so of an expression"}},
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		skip := map[string]bool{}
		for _, v := range c.Arg("fskip").([]ir.Value) {
			name := v.(string)
			if op.Lookup(name) == nil && op.Lookup("relax."+name) == nil && op.Lookup(op.RelayPrefix+name) == nil {
				return nil, fmt.Errorf("fskip: no operator is called %q", name)
			}
			skip[strings.TrimPrefix(strings.TrimPrefix(name, op.RelayPrefix), "relax.")] = true
		}
		out, err := transform.ShareEqualValues(c, f, func(b relax.Binding) bool {
			vb, ok := b.(*relax.VarBinding)
			if !ok {
				return false
			}
			switch e := vb.Value.(type) {
			case *relax.Call:
				_, ok := e.Op.(*ir.Op)
				return ok && len(e.Args) > 0 && !skip[relayName(e)]
			case *relax.TupleGetItem:
				return true
			case *relax.Tuple:
				return vb.Var.Dataflow // a node, whose fields are compared; a let is another variable
			}
			return false
		})
		if err != nil || out == f {
			return f, err
		}
		ctx := op.NewBlockBuilder(c.Step().Input).Context()
		return dropUnused(out, func(e relax.Expr) bool { return isPure(e, ctx) }), nil
	}),
}
