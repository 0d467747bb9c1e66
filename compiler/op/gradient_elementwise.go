package op

import "github.com/irscope/irscope/compiler/relax"

// The rules below are named after the operators; x and y are arguments, z is the value and g its adjoint.

func gradNone(g *GradientContext) []relax.Expr { return g.none() }

// gradAdd: g, g.
func gradAdd(g *GradientContext) []relax.Expr {
	return []relax.Expr{g.fit(g.Grad, 0), g.fit(g.Grad, 1)}
}

// gradSubtract: g, -g.
func gradSubtract(g *GradientContext) []relax.Expr {
	return []relax.Expr{g.fit(g.Grad, 0), g.fit(Unary("negative", g.Grad), 1)}
}

// gradMultiply: g y, g x.
func gradMultiply(g *GradientContext) []relax.Expr {
	return []relax.Expr{g.fit(Multiply(g.Grad, g.operand(1)), 0), g.fit(Multiply(g.Grad, g.operand(0)), 1)}
}

// gradDivide: g / y, -g z / y.
func gradDivide(g *GradientContext) []relax.Expr {
	y := g.operand(1)
	return []relax.Expr{
		g.fit(Divide(g.Grad, y), 0),
		g.fit(Divide(Multiply(Unary("negative", g.Grad), g.Result), y), 1),
	}
}

// gradPower: g y x^(y-1), g z ln x. The second is that of x > 0.
func gradPower(g *GradientContext) []relax.Expr {
	x, y := g.operand(0), g.operand(1)
	return []relax.Expr{
		g.fit(Multiply(Multiply(g.Grad, y), Binary("power", x, Subtract(y, g.number(1)))), 0),
		g.fit(Multiply(Multiply(g.Grad, g.Result), Unary("log", x)), 1),
	}
}

// gradExtremum: g where x, or else y, is the one that is taken. Of equal ones maximum takes x and minimum y.
func gradExtremum(second, first string) GradientFunc {
	return func(g *GradientContext) []relax.Expr {
		x, y, zero := g.operand(0), g.operand(1), g.number(0)
		return []relax.Expr{
			g.fit(Where(Binary(second, x, y), zero, g.Grad), 0),
			g.fit(Where(Binary(first, x, y), zero, g.Grad), 1),
		}
	}
}

// gradWhere: g where cond is true, g elsewhere. TVM v0.23 forgets to add up what was broadcast.
func gradWhere(g *GradientContext) []relax.Expr {
	cond := g.Call.Args[0]
	x, y := Where(cond, g.Grad, g.number(0)), Where(cond, g.number(0), g.Grad)
	return []relax.Expr{nil, g.fit(x, 1), g.fit(y, 2)}
}

// gradAbs: -g for x below 0, else g.
func gradAbs(g *GradientContext) []relax.Expr {
	sign := Where(Binary("less", g.Call.Args[0], g.number(0)), Unary("negative", g.number(1)), g.number(1))
	return []relax.Expr{Multiply(g.Grad, sign)}
}

// gradCos: -g sin x.
func gradCos(g *GradientContext) []relax.Expr {
	return []relax.Expr{Multiply(Unary("negative", g.Grad), Unary("sin", g.Call.Args[0]))}
}

// gradExp: g z.
func gradExp(g *GradientContext) []relax.Expr { return []relax.Expr{Multiply(g.Grad, g.Result)} }

// gradLog: g / x.
func gradLog(g *GradientContext) []relax.Expr { return []relax.Expr{Divide(g.Grad, g.Call.Args[0])} }

// gradNegative: -g.
func gradNegative(g *GradientContext) []relax.Expr { return []relax.Expr{Unary("negative", g.Grad)} }

// gradSigmoid: g z (1 - z).
func gradSigmoid(g *GradientContext) []relax.Expr {
	return []relax.Expr{Multiply(Multiply(g.Grad, g.Result), Subtract(g.number(1), g.Result))}
}

// gradSin: g cos x.
func gradSin(g *GradientContext) []relax.Expr {
	return []relax.Expr{Multiply(g.Grad, Unary("cos", g.Call.Args[0]))}
}

// gradSqrt: g / 2 z.
func gradSqrt(g *GradientContext) []relax.Expr {
	return []relax.Expr{Divide(Multiply(g.number(0.5), g.Grad), g.Result)}
}

// gradTanh: g (1 - z²).
func gradTanh(g *GradientContext) []relax.Expr {
	return []relax.Expr{Multiply(g.Grad, Subtract(g.number(1), Multiply(g.Result, g.Result)))}
}

// gradRelu: 0 for x below 0, else g.
func gradRelu(g *GradientContext) []relax.Expr {
	return []relax.Expr{Where(Binary("less", g.Call.Args[0], g.number(0)), g.number(0), g.Grad)}
}

// gradSilu: g (s + z (1 - s)) for the sigmoid s of x.
func gradSilu(g *GradientContext) []relax.Expr {
	s := Unary("sigmoid", g.Call.Args[0])
	return []relax.Expr{Multiply(g.Grad, Add(s, Multiply(g.Result, Subtract(g.number(1), s))))}
}

// gradAsType: g as it was before. To or from integers there is none: the value moves in steps. TVM v0.23 casts there, too.
func gradAsType(g *GradientContext) []relax.Expr {
	from, ok := g.bb.Context().SInfoOf(g.Result).(*relax.TensorStructInfo)
	if to := g.infoOf(0); ok && to != nil && from.DType.IsFloat() && to.DType.IsFloat() {
		return []relax.Expr{AsType(g.Grad, to.DType)}
	}
	return g.none()
}
