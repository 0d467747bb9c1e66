package relaypass

import (
	"fmt"
	"maps"
	"math"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// relayGradient returns, for each argument of a call, what the adjoint of the result adds to that of the argument, nil where it adds nothing. The
// calls that it returns may be nested.
type relayGradient func(d *derivation) []relax.Expr

// derivation is what a rule knows: a call x of which the value is z, and the adjoint g of that.
type derivation struct {
	bb   *relax.BlockBuilder
	call *relax.Call
	z, g relax.Expr
	err  error
}

// relayGradients are the rules by Relay's names, for the operators that have one in python/tvm/relay/op/_tensor_grad.py of TVM v0.18. Comparisons,
// shapes and what casts to integers move in steps and need none.
var relayGradients = sync.OnceValue(func() map[string]relayGradient {
	out := map[string]relayGradient{}
	for _, table := range []map[string]relayGradient{elementGradients(), shapeGradients(), reduceGradients(), nnGradients()} {
		maps.Copy(out, table)
	}
	return out
})

// gradientOf returns what each argument of a call adds to its adjoint.
func gradientOf(bb *relax.BlockBuilder, call *relax.Call, z, g relax.Expr) ([]relax.Expr, error) {
	name := relayName(call)
	rule := relayGradients()[name]
	if rule == nil {
		return nil, fmt.Errorf("the operator %s has no gradient", name)
	}
	d := &derivation{bb: bb, call: call, z: z, g: g}
	out := rule(d)
	if d.err != nil {
		return nil, fmt.Errorf("gradient of %s: %w", name, d.err)
	}
	return out, nil
}

// fail says why a call cannot be differentiated; the first reason counts. It returns nothing for each argument.
func (d *derivation) fail(format string, args ...any) []relax.Expr {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
	return make([]relax.Expr, len(d.call.Args))
}

func (d *derivation) x(i int) relax.Expr { return d.call.Args[i] }

// info is what is known of a tensor; it is never nil.
func (d *derivation) info(e relax.Expr) *relax.TensorStructInfo {
	if t, ok := d.bb.Context().SInfoOf(e).(*relax.TensorStructInfo); ok {
		return t
	}
	return relax.TensorOfRank(dtype.Void, -1)
}

// extents are those of a tensor, which must be known.
func (d *derivation) extents(e relax.Expr) []tir.Expr {
	t := d.info(e)
	dims, ok := t.Dims()
	if !ok {
		d.fail("the shape of %s is not known", relax.FormatSInfo(t))
	}
	return dims
}

// static are the extents of a tensor, which must be numbers.
func (d *derivation) static(e relax.Expr) []int64 {
	t := d.info(e)
	dims, ok := t.StaticDims()
	if !ok {
		d.fail("the extents of %s are no numbers", relax.FormatSInfo(t))
	}
	return dims
}

// number is a constant of the element type of the adjoint.
func (d *derivation) number(v float64) relax.Expr {
	k, ok := numberOf(d.info(d.g).DType, v)
	if !ok {
		d.fail("the element type of the result is not known")
		return d.g
	}
	return k
}

// fit adds e, which has the shape of the result, up along the axes that argument i was broadcast along.
func (d *derivation) fit(e relax.Expr, i int) relax.Expr {
	from, known := d.info(d.z).Dims()
	to, known2 := d.info(d.x(i)).Dims()
	if known && known2 && d.bb.Context().EqualDims(from, to) == relax.True {
		return e
	}
	return callOf("relax.collapse_sum_like", nil, e, d.x(i))
}

// zero, ones and like are tensors of the shape of another.
func zerosLike(e relax.Expr) relax.Expr { return callOf("relay.zeros_like", nil, e) }

func reshapedLike(e, like relax.Expr) relax.Expr { return callOf("relay.reshape_like", nil, e, like) }

func repeatedLike(e, like relax.Expr) relax.Expr {
	return callOf("relay.broadcast_to_like", nil, e, like)
}
func chosen(cond, x, y relax.Expr) relax.Expr { return callOf("relay.where", nil, cond, x, y) }

func negative(e relax.Expr) relax.Expr { return op.Unary("negative", e) }
func squareOf(e relax.Expr) relax.Expr { return op.Multiply(e, e) }

// of makes a rule for one argument from its derivative.
func of(rule func(d *derivation, x relax.Expr) relax.Expr) relayGradient {
	return func(d *derivation) []relax.Expr { return []relax.Expr{rule(d, d.x(0))} }
}

// none is the rule of what does not depend on its arguments, or not in a way that has a slope.
func none(d *derivation) []relax.Expr { return make([]relax.Expr, len(d.call.Args)) }

// elementGradients are the rules of operators on single elements.
func elementGradients() map[string]relayGradient {
	same := of(func(d *derivation, _ relax.Expr) relax.Expr { return d.g })
	// root is g / sqrt(a + b x²).
	root := func(a, b float64) relayGradient {
		return of(func(d *derivation, x relax.Expr) relax.Expr {
			return op.Divide(d.g, op.Unary("sqrt", op.Add(d.number(a), op.Multiply(d.number(b), squareOf(x)))))
		})
	}
	// times is g f(x).
	times := func(f string, sign float64) relayGradient {
		return of(func(d *derivation, x relax.Expr) relax.Expr {
			g := d.g
			if sign < 0 {
				g = negative(g)
			}
			return op.Multiply(g, op.Unary(f, x))
		})
	}
	logarithm := func(base float64) relayGradient {
		return of(func(d *derivation, x relax.Expr) relax.Expr {
			return op.Divide(d.g, op.Multiply(x, d.number(math.Log(base))))
		})
	}
	return map[string]relayGradient{
		"copy": same, "zeros_like": none, "ones_like": none, "zeros": none, "ones": none, "dyn.zeros": none, "dyn.ones": none,
		"log":   of(func(d *derivation, x relax.Expr) relax.Expr { return op.Divide(d.g, x) }),
		"log2":  logarithm(2),
		"log10": logarithm(10),
		"sin":   times("cos", 1), "cos": times("sin", -1), "sinh": times("cosh", 1), "cosh": times("sinh", 1),
		"tan":  of(func(d *derivation, x relax.Expr) relax.Expr { return op.Divide(d.g, squareOf(op.Unary("cos", x))) }),
		"asin": root(1, -1), "asinh": root(1, 1), "acosh": root(-1, 1),
		"acos": of(func(d *derivation, x relax.Expr) relax.Expr {
			return op.Divide(negative(d.g), op.Unary("sqrt", op.Subtract(d.number(1), squareOf(x))))
		}),
		"atan": of(func(d *derivation, x relax.Expr) relax.Expr { return op.Divide(d.g, op.Add(d.number(1), squareOf(x))) }),
		"atanh": of(func(d *derivation, x relax.Expr) relax.Expr {
			return op.Divide(d.g, op.Subtract(d.number(1), squareOf(x)))
		}),
		"exp":  of(func(d *derivation, _ relax.Expr) relax.Expr { return op.Multiply(d.g, d.z) }),
		"sqrt": of(func(d *derivation, _ relax.Expr) relax.Expr { return op.Divide(op.Multiply(d.g, d.number(0.5)), d.z) }),
		"sigmoid": of(func(d *derivation, _ relax.Expr) relax.Expr {
			return op.Multiply(op.Multiply(d.g, d.z), op.Subtract(d.number(1), d.z))
		}),
		"tanh": of(func(d *derivation, _ relax.Expr) relax.Expr {
			return op.Multiply(d.g, op.Subtract(d.number(1), squareOf(d.z)))
		}),
		"negative": of(func(d *derivation, _ relax.Expr) relax.Expr { return negative(d.g) }),
		"erf": of(func(d *derivation, x relax.Expr) relax.Expr {
			return op.Multiply(op.Multiply(d.number(2/math.Sqrt(math.Pi)), op.Unary("exp", negative(squareOf(x)))), d.g)
		}),
		"nn.relu": of(func(d *derivation, x relax.Expr) relax.Expr {
			return chosen(op.Binary("less", x, d.number(0)), zerosLike(d.g), d.g)
		}),
		"abs": of(func(d *derivation, x relax.Expr) relax.Expr {
			return chosen(op.Binary("less", x, d.number(0)), negative(d.g), d.g)
		}),
		"clip":      of(gradClip),
		"astype":    of(gradCast),
		"cast_like": func(d *derivation) []relax.Expr { return []relax.Expr{gradCast(d, d.x(0)), nil} },
		"add":       func(d *derivation) []relax.Expr { return []relax.Expr{d.fit(d.g, 0), d.fit(d.g, 1)} },
		"subtract":  func(d *derivation) []relax.Expr { return []relax.Expr{d.fit(d.g, 0), d.fit(negative(d.g), 1)} },
		"multiply": func(d *derivation) []relax.Expr {
			return []relax.Expr{d.fit(op.Multiply(d.g, d.x(1)), 0), d.fit(op.Multiply(d.g, d.x(0)), 1)}
		},
		"divide": func(d *derivation) []relax.Expr {
			return []relax.Expr{d.fit(op.Divide(d.g, d.x(1)), 0), d.fit(negative(op.Divide(op.Multiply(d.g, d.z), d.x(1))), 1)}
		},
		"where": func(d *derivation) []relax.Expr {
			zero := zerosLike(d.g)
			return []relax.Expr{nil, d.fit(chosen(d.x(0), d.g, zero), 1), d.fit(chosen(d.x(0), zero, d.g), 2)}
		},
	}
}

// gradCast is the adjoint as it was before. To or from integers there is none; TVM casts there, too.
func gradCast(d *derivation, x relax.Expr) relax.Expr {
	if from := d.info(x).DType; from.IsFloat() && d.info(d.z).DType.IsFloat() {
		return op.AsType(d.g, from)
	}
	return nil
}

// gradClip is zero outside of the bounds. TVM takes the bounds for integers.
func gradClip(d *derivation, x relax.Expr) relax.Expr {
	var k [2]relax.Expr
	for i := range k {
		p, ok := d.x(i + 1).(*relax.PrimValue)
		v := math.NaN()
		if ok {
			switch n := p.Value.(type) {
			case *tir.IntImm:
				v = float64(n.Value)
			case *tir.FloatImm:
				v = n.Value
			}
		}
		if math.IsNaN(v) {
			d.fail("a bound is no number")
			return nil
		}
		k[i] = d.number(v)
	}
	zero := zerosLike(d.g)
	return chosen(op.Binary("less", x, k[0]), zero, chosen(op.Binary("less", k[1], x), zero, d.g))
}

// attrsOf are attributes given as pairs.
func attrsOf(pairs ...any) *ir.Attrs { return ir.NewAttrs(pairs...) }
