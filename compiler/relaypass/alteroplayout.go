package relaypass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// AlterOpLayout brings operators into the layouts in which a target computes them best, and what comes after them along.
var AlterOpLayout = &pass.Pass{
	Name: "relay.AlterOpLayout", Level: 3, Kind: pass.Function, Required: []string{inferType},
	Doc: "Brings operators into the layouts that their rules ask for, by layout_transform, and what comes after them along. Rules come from a target or from who runs the pass.",
	Options: []pass.Option{
		{Name: "rules", Default: "none", Choices: []ir.Value{"none", "cpu"}, Doc: "whose rules are taken besides those that are registered: cpu splits the channels of convolutions by the lanes of the target"},
	},
	ReadsTarget: true,
	Run:         func(c *pass.Context, m *ir.Module) (*ir.Module, error) { return alterOpLayout(c, m, nil) },
}

// Alteration says how an operator is to be computed: its name, if it is another one, and its attributes with the new layouts, which it takes
// its operands in. The operands are brought there by the pass.
type Alteration struct {
	Op    string
	Attrs *ir.Attrs
	// Args are what the operands become, over those of the call and in their layouts; nil where they stay.
	Args []relax.Expr
}

// AlterRule is TVM's FTVMAlterOpLayout: it returns what becomes of a call, nil where it stays. The types are those that the tensors among
// its operands have in the module. The attributes of the call are those that follow from what comes before it.
type AlterRule func(call *relax.Call, types []*relax.TensorStructInfo) (*Alteration, error)

// CustomAlterOpLayout is AlterOpLayout with rules by Relay's names of operators ("nn.conv2d"), which go before those of the option.
func CustomAlterOpLayout(rules map[string]AlterRule) *pass.Pass {
	p := *AlterOpLayout
	p.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) { return alterOpLayout(c, m, rules) }
	return &p
}

func alterOpLayout(c *pass.Context, m *ir.Module, custom map[string]AlterRule) (*ir.Module, error) {
	rules := map[string]AlterRule{}
	if c.Arg("rules") == "cpu" {
		rules["nn.conv2d"] = blockConv2D(c, int64(max(c.TargetOf().VectorLanes(dtype.Float32T), 4)))
	}
	for name, rule := range custom {
		rules[strings.TrimPrefix(strings.TrimPrefix(name, "relax."), op.RelayPrefix)] = rule
	}
	if len(rules) == 0 {
		return m, nil
	}
	return pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		return rewriteLayouts(c, f, func(call *relax.Call, types []*relax.TensorStructInfo) (*altered, error) {
			name := relayName(call)
			rule := rules[name]
			if rule == nil {
				return nil, nil
			}
			to, err := rule(call, types)
			if err != nil || to == nil {
				return nil, err
			}
			if to.Op == "" {
				to.Op = call.Op.(*ir.Op).Name
			}
			if layoutRules()[to.Op] == nil {
				return nil, fmt.Errorf("the rule for %s returned %s, whose layouts are not known: want an operator with a layout, such as relay.nn.contrib_conv2d_NCHWc", name, to.Op)
			}
			if to.Args != nil && len(to.Args) != len(call.Args) {
				return nil, fmt.Errorf("the rule for %s returned %d operands for %d", name, len(to.Args), len(call.Args))
			}
			return &altered{op: to.Op, attrs: to.Attrs, keep: true, args: to.Args}, nil
		})
	})(c, m)
}

// blockConv2D splits the channels of a convolution, as the schedules for x86 do that TVM takes where nothing was tuned (topi/x86/conv2d_alter_op.py,
// conv2d_avx_common.py): those of the result by the most lanes that divide their number, those of the data by at most as many.
func blockConv2D(c *pass.Context, lanes int64) AlterRule {
	return func(call *relax.Call, types []*relax.TensorStructInfo) (*Alteration, error) {
		declined := func(why string) (*Alteration, error) {
			c.Declined(layoutRule, call, why)
			return nil, nil
		}
		attrs := call.Attrs
		if len(types) != 2 || attrs.Str("data_layout", "") != "NCHW" || attrs.Str("kernel_layout", "") != "OIHW" || !slices.Contains([]string{"", "NCHW"}, attrs.Str("out_layout", "")) {
			return declined("the layouts are not NCHW and OIHW")
		}
		data, ok := types[0].Dims()
		weight, static := types[1].StaticDims()
		if !ok || !static || len(data) != 4 || len(weight) != 4 {
			return declined("the shapes are not known")
		}
		in, known := tir.AsInt(data[1])
		out, groups := weight[0], attrs.Int("groups", 1)
		if !known || in < 1 || out < 1 {
			return declined("the numbers of channels are not known")
		}
		outBlock := largestDivisor(out, lanes)
		inBlock := largestDivisor(in, outBlock)
		attrs = attrs.With("channels", out).With("kernel_size", weight[2:]).With("data_layout", fmt.Sprintf("NCHW%dc", inBlock)).With("out_layout", fmt.Sprintf("NCHW%dc", outBlock))
		switch {
		case groups == 1:
			return &Alteration{Op: op.RelayPrefix + "nn.contrib_conv2d_NCHWc", Attrs: attrs.With("kernel_layout", fmt.Sprintf("OIHW%di%do", inBlock, outBlock))}, nil
		case groups == in && groups == out && inBlock == outBlock:
			return &Alteration{Op: op.RelayPrefix + "nn.contrib_depthwise_conv2d_NCHWc", Attrs: attrs.With("kernel_layout", fmt.Sprintf("OIHW1i%do", outBlock))}, nil
		}
		return declined("the convolution has groups")
	}
}

// largestDivisor is the greatest number up to most that divides n.
func largestDivisor(n, most int64) int64 {
	for d := min(n, most); d > 1; d-- {
		if n%d == 0 {
			return d
		}
	}
	return 1
}
