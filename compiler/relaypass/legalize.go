package relaypass

import (
	"fmt"
	"maps"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// The names of TVM's two tables of legalizations.
const (
	legalizeMap    = "FTVMLegalize"
	qnnLegalizeMap = "FTVMQnnLegalize"
)

// Legalize replaces calls by what the target computes in their place.
var Legalize = &pass.Pass{
	Name: "relay.Legalize", Level: 1, Kind: pass.Function, Required: []string{inferType},
	Doc: "Replaces calls of operators by others that say the same and suit the target: quantized products by products of int16 (FTVMQnnLegalize), an erf of float16 by one of float32, and a clip that changes nothing by its operand (FTVMLegalize).",
	Options: []pass.Option{
		{Name: "legalize_map_attr_name", Default: legalizeMap, Choices: []ir.Value{legalizeMap, qnnLegalizeMap}, Doc: "the table of rules: FTVMLegalize, or FTVMQnnLegalize, which is relay.qnn.transform.Legalize in TVM"},
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		return legalizeOps(c, m, legalizations[c.Arg("legalize_map_attr_name").(string)])
	},
}

// LegalizeRule returns what a call becomes, nil where it stays. What it returns has the type of the call, and may be nested.
type LegalizeRule func(l *Legalization) (relax.Expr, error)

// Legalization is a call that a rule may replace.
type Legalization struct{ s *site }

// Call is the call.
func (l *Legalization) Call() *relax.Call { return l.s.value.(*relax.Call) }

// Value is what an operand is bound to in the function, or the operand itself.
func (l *Legalization) Value(e relax.Expr) relax.Expr { return l.s.bound.Value(e) }

// Tensor is what is known of an operand, nil if it is no tensor or its rank is not known.
func (l *Legalization) Tensor(e relax.Expr) *relax.TensorStructInfo { return l.s.tensor(e) }

// Info is what is known of an operand.
func (l *Legalization) Info(e relax.Expr) relax.StructInfo { return l.s.ctx.SInfoOf(e) }

// Declined says why the call stays although a user may have expected otherwise, and returns nil.
func (l *Legalization) Declined(why string) (relax.Expr, error) { return l.s.declined(why), nil }

// CustomLegalize is Legalize with rules by Relay's names of operators ("nn.conv2d"), which go before those of the table that the option names.
func CustomLegalize(rules map[string]LegalizeRule) *pass.Pass {
	p := *Legalize
	custom := map[string]LegalizeRule{}
	for name, rule := range rules {
		custom[strings.TrimPrefix(strings.TrimPrefix(name, "relax."), op.RelayPrefix)] = rule
	}
	p.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		all := maps.Clone(legalizations[c.Arg("legalize_map_attr_name").(string)])
		maps.Copy(all, custom)
		return legalizeOps(c, m, all)
	}
	return &p
}

// legalizeOps visits each call once: what a rule returns is not replaced again.
func legalizeOps(c *pass.Context, m *ir.Module, rules map[string]LegalizeRule) (*ir.Module, error) {
	return pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		var failed error
		out, err := rewriteOnce(c, "legalize", f, func(s *site) relax.Expr {
			call, ok := s.value.(*relax.Call)
			if !ok || failed != nil {
				return nil
			}
			rule := rules[relayName(call)]
			if rule == nil {
				return nil
			}
			to, err := rule(&Legalization{s})
			if err != nil {
				failed = fmt.Errorf("the rule for %s: %w", relayName(call), err)
				return nil
			}
			return to
		})
		if failed != nil {
			return nil, failed
		}
		return out, err
	})(c, m)
}

// legalizations are the rules for the targets that are here: processors without products of 8-bit integers.
var legalizations = map[string]map[string]LegalizeRule{
	legalizeMap:    {"clip": legalizeClip, "erf": legalizeErf},
	qnnLegalizeMap: {"qnn.conv2d": legalizeQuantized("relax.nn.conv2d"), "qnn.dense": legalizeQuantized("relay.nn.dense")},
}

// legalizeClip removes a clip behind a requantize whose bounds are those of the type (TVM's qnn/op/_qnn.py).
func legalizeClip(l *Legalization) (relax.Expr, error) {
	call := l.Call()
	x := call.Args[0]
	if l.s.call(x, "relay.qnn.requantize") == nil {
		return nil, nil
	}
	lo, hi, known := clipRange(call)
	t := l.Tensor(x)
	if !known || t == nil {
		return l.Declined("the bounds or the type are not known")
	}
	least, most, typed := bounds(t.DType)
	if !typed || lo != least || hi != most {
		return l.Declined("the bounds are not those of the type")
	}
	return x, nil
}

// legalizeErf computes the erf of float16 in float32 (TVM's topi/x86/math_alter_op.py, which takes float32 for float64 too).
func legalizeErf(l *Legalization) (relax.Expr, error) {
	x := l.Call().Args[0]
	t := l.Tensor(x)
	if t == nil || t.DType != dtype.Float16T {
		return nil, nil
	}
	return op.AsType(op.Unary("erf", op.AsType(x, dtype.Float32T)), t.DType), nil
}

// legalizeQuantized takes the zero points from data and weights in int16 and multiplies these (TVM's qnn/op/legalizations.py, no_fast_int8_hw).
func legalizeQuantized(product string) LegalizeRule {
	return func(l *Legalization) (relax.Expr, error) {
		call := l.Call()
		data, weight, dataZero, weightZero := call.Args[0], call.Args[1], call.Args[2], call.Args[3]
		for _, e := range []relax.Expr{data, weight} {
			if t := l.Tensor(e); t == nil || t.DType.Bits != 8 {
				return l.Declined("the operands are not of 8 bits")
			}
		}
		zeros := []*relax.TensorStructInfo{l.Tensor(dataZero), l.Tensor(weightZero)}
		if zeros[0] == nil || zeros[0].NDim != 0 || zeros[1] == nil || zeros[1].NDim > 1 {
			return l.Declined("the zero point of the data is no scalar, or that of the weights has several axes")
		}
		short := func(e relax.Expr) relax.Expr { return op.AsType(e, dtype.Int16T) }
		shifted := op.Subtract(short(data), short(dataZero))
		var weights relax.Expr = op.Subtract(short(weight), short(weightZero))
		if zeros[1].NDim == 1 {
			axis := max(layoutOf(call.Attrs.Str("kernel_layout", "OI")).Pos('O'), 0)
			b, err := op.New("relay.nn.bias_add", []relax.Expr{short(weight), op.Unary("negative", short(weightZero))}, ir.NewAttrs("axis", int64(axis)))
			if err != nil {
				return nil, err
			}
			weights = b
		}
		attrs := call.Attrs
		if product == "relax.nn.conv2d" {
			attrs = attrs.Without("channels").Without("kernel_size")
		}
		return op.New(product, []relax.Expr{shifted, weights}, attrs)
	}
}
