package differ

import (
	"slices"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

func init() {
	register(graphOfMixed, "mixed")
}

// graphOfMixed is a graph of values of several element types, with the ends of their ranges, NaN, and infinities. All of its operators are exact: no element may differ.
func graphOfMixed(d *draw) {
	symbolic := d.symbolic && d.chance(0.7)
	g := d.graph()
	d.symbolic, d.batch = symbolic, false
	d.opset = max(d.opset, 18) // of the bitwise operators
	d.tol = tolerance{}
	dims := d.shape(0, 4)
	for i := range dims {
		if dims[i] = min(dims[i], 9); symbolic { // extents that are 1 only sometimes are not stretched
			dims[i] = max(dims[i], 2)
		}
	}
	for range d.between(1, 3) {
		s := dims
		if d.chance(0.5) {
			s = d.broadcast(dims)
		}
		g.join(g.input(d.values(g.kindOf(), pick(d, plain, small, special, special), s...)))
	}
	for range d.between(3, 12) {
		g.mixedStep(g.some())
	}
	g.finish()
}

// kindOf is an element type of mixed graphs.
func (g *graph) kindOf() onnxpb.DataType {
	return pick(g.draw, onnxpb.Float, onnxpb.Float, onnxpb.Int32, onnxpb.Int32, onnxpb.Int64, onnxpb.Int64, onnxpb.Uint8, onnxpb.Double, onnxpb.Bool, onnxpb.Int8, onnxpb.Uint32, onnxpb.Uint64)
}

// partner is a value of a type that broadcasts to a shape and does not stretch it: one of the pool, or a new one.
func (g *graph) partner(x val, k kind) val {
	var others []val
	for _, p := range g.pool {
		if dims, ok := broadcasts(x.dims, p.dims); ok && p.dt == x.dt && slices.Equal(dims, x.dims) {
			others = append(others, p)
		}
	}
	if len(others) > 0 && g.chance(0.7) {
		return others[g.IntN(len(others))]
	}
	return g.either(0.8, g.values(x.dt, k, g.broadcast(x.dims)...))
}

func (g *graph) mixedStep(x val) {
	if count(x.dims) > 4000 || len(x.dims) > 5 {
		x = g.pool[0]
	}
	switch k := g.IntN(20); {
	case k < 3 && x.dt != onnxpb.Bool && !g.symbolic: // an extent that is 1 only at times is not stretched
		g.move(x)
	case k < 5:
		g.castExactly(x)
	case k < 6 && (x.dt == onnxpb.Float || x.dt == onnxpb.Double || x.dt == onnxpb.Uint8 || x.dt == onnxpb.Int32 || x.dt == onnxpb.Int64):
		g.choose(x)
	case k < 7 && len(x.dims) > 0:
		g.places(x)
	case x.dt == onnxpb.Bool:
		g.logic(x)
	case k < 9:
		xy := g.swap(x, g.partner(x, special))
		g.as(pick(g.draw, "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"), onnxpb.Bool, x.dims, []val{g.small(xy[0]), g.small(xy[1])})
	case isFloat(x.dt):
		g.floats(x)
	default:
		g.integers(x)
	}
}

// swap puts two operands in either order.
func (g *graph) swap(x, y val) []val {
	if g.chance(0.5) {
		return []val{y, x}
	}
	return []val{x, y}
}

func (g *graph) logic(x val) {
	if g.chance(0.3) {
		g.of("Not", x.dims, []val{x})
		return
	}
	g.of(pick(g.draw, "And", "Or", "Xor", "Equal"), x.dims, g.swap(x, g.partner(x, plain)))
}

// choose adds a Where.
func (g *graph) choose(x val) {
	y := g.partner(x, special)
	c := g.partner(val{dt: onnxpb.Bool, dims: x.dims}, plain)
	xy := g.swap(x, y)
	g.as("Where", x.dt, x.dims, []val{c, xy[0], xy[1]})
}

// castExactly casts to where every value is.
func (g *graph) castExactly(x val) {
	to := g.kindOf()
	if isFloat(x.dt) && !isFloat(to) && to != onnxpb.Bool { // only what is within the range
		zero := g.constant(tensor.MustOf(nil, []float32{0}))
		lo, hi := zero, g.constant(tensor.MustOf(nil, []float32{100}))
		if x.dt != onnxpb.Float {
			x = val{g.node("Cast", []val{x}, ob.Int("to", int64(onnxpb.Float))), onnxpb.Float, x.dims}
		}
		n := val{g.node("IsNaN", []val{x}), onnxpb.Bool, x.dims}
		x = val{g.node("Where", []val{n, zero, x}), x.dt, x.dims}
		x = val{g.node("Clip", []val{x, lo, hi}), x.dt, x.dims}
	}
	g.as("Cast", to, x.dims, []val{x}, ob.Int("to", int64(to)))
}

func (g *graph) floats(x val) {
	switch g.IntN(8) {
	case 0, 1:
		g.of(pick(g.draw, "Neg", "Abs", "Relu", "Floor", "Ceil", "Round", "Sqrt"), x.dims, []val{x})
	case 2:
		g.as(pick(g.draw, "IsNaN", "IsInf"), onnxpb.Bool, x.dims, []val{x})
	case 3:
		lo := g.constant(tensor.MustOf(nil, []float32{-1}))
		hi := g.constant(tensor.MustOf(nil, []float32{2}))
		if x.dt == onnxpb.Float {
			g.of("Clip", x.dims, []val{x, lo, hi})
		}
	case 4: // by what is at hand: a 0 that is computed may have either sign
		g.of("Div", x.dims, []val{x, g.either(0.5, g.values(x.dt, special, g.broadcast(x.dims)...))})
	default:
		op := pick(g.draw, "Add", "Sub", "Mul", "Max", "Min")
		if op == "Mul" { // by powers of two, which a sum behind does not round anew
			g.of(op, x.dims, g.swap(x, g.either(0.5, g.values(x.dt, small, g.broadcast(x.dims)...))))
			return
		}
		g.of(op, x.dims, g.swap(x, g.partner(x, special)))
	}
}

func (g *graph) integers(x val) {
	wide := x.dt == onnxpb.Int32 || x.dt == onnxpb.Int64
	switch g.IntN(14) {
	case 0:
		op := pick(g.draw, "Abs", "Sign", "BitwiseNot")
		if isSigned(x.dt) && g.chance(0.5) {
			op = "Neg"
		}
		g.of(op, x.dims, []val{g.small(x)})
	case 1: // divisors are not 0, and none is -1
		t := g.values(x.dt, above, g.broadcast(x.dims)...)
		for i := range t.Len() {
			if isSigned(x.dt) && g.chance(0.3) {
				t.SetInt(i, -1-t.Int(i))
			}
		}
		y := g.either(0.7, t)
		op := pick(g.draw, "Div", "Mod")
		if op == "Mod" {
			g.of(op, x.dims, []val{x, y})
			return
		}
		g.of(op, x.dims, []val{x, y})
	case 2:
		y := g.partner(x, special)
		g.of(pick(g.draw, "BitwiseAnd", "BitwiseOr", "BitwiseXor"), x.dims, g.swap(x, y))
	case 3:
		if !isSigned(x.dt) && x.dt != onnxpb.Uint16 {
			y := g.constant(g.below(x.dt, 0, int64(x.dt.Bits()), g.broadcast(x.dims)...))
			g.of("BitShift", x.dims, []val{x, y}, ob.Str("direction", pick(g.draw, "LEFT", "RIGHT")))
		}
	case 4:
		if x.dt != onnxpb.Uint64 {
			g.of("Clip", x.dims, []val{g.halves(x), g.constant(g.values(x.dt, plain)), g.constant(g.values(x.dt, special))})
		}
	case 5:
		if wide && len(x.dims) > 0 && count(x.dims) > 0 {
			g.reduceInts(x)
		}
	case 6:
		if wide && len(x.dims) > 0 {
			g.of("CumSum", x.dims, []val{g.small(x), g.scalar(g.axis(len(x.dims)))}, ob.Int("exclusive", g.Int64N(2)), ob.Int("reverse", g.Int64N(2)))
		}
	case 7:
		if wide && len(x.dims) > 1 && count(x.dims) > 0 {
			rank := len(x.dims)
			n := g.between(1, 9)
			w := g.either(0.7, g.values(x.dt, plain, x.dims[rank-1], n))
			g.of("MatMul", append(slices.Clone(x.dims[:rank-1]), n), []val{g.small(x), w})
		}
	case 8, 9:
		xy := g.swap(x, g.partner(x, special))
		g.of(pick(g.draw, "Max", "Min"), x.dims, []val{g.halves(xy[0]), g.halves(xy[1])})
	default:
		xy := g.swap(x, g.partner(x, pick(g.draw, small, plain, special)))
		g.of(pick(g.draw, "Add", "Sub", "Mul", "Add", "Mul"), x.dims, []val{g.small(xy[0]), g.small(xy[1])})
	}
}

// halves bounds what ONNX Runtime compares by its halves in vectors.
func (g *graph) halves(x val) val {
	switch x.dt {
	case onnxpb.Int64:
		return g.small(x)
	case onnxpb.Uint64:
		return val{g.node("Mod", []val{x, g.constant(g.below(x.dt, 2, 100))}), x.dt, x.dims}
	}
	return x
}

// small bounds int32 and int64, of which sums are taken not to overflow.
func (g *graph) small(x val) val {
	if x.dt != onnxpb.Int32 && x.dt != onnxpb.Int64 {
		return x
	}
	m := g.constant(g.below(x.dt, 2, 100))
	if g.chance(0.5) || x.dt == onnxpb.Int64 {
		x = val{g.node("Mod", []val{x, m}), x.dt, x.dims}
	} else {
		x = val{g.node("Clip", []val{x, g.constant(g.below(x.dt, -50, 1)), m}), x.dt, x.dims}
	}
	return x
}

func (g *graph) reduceInts(x val) {
	op := pick(g.draw, "ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceSumSquare")
	if op != "ReduceMax" && op != "ReduceMin" { // sums are floats on the way in ONNX Runtime
		x = val{g.node("Mod", []val{x, g.constant(g.below(x.dt, 3, 8))}), x.dt, x.dims}
	}
	a := g.axis(len(x.dims))
	dims := slices.Clone(x.dims)
	keep := g.Int64N(2)
	if dims[at(a, len(dims))] = 1; keep == 0 {
		dims = slices.Delete(dims, at(a, len(x.dims)), at(a, len(x.dims))+1)
	}
	g.of(op, dims, []val{x, g.list(a)}, ob.Int("keepdims", keep))
}

// places adds what gives or takes places along an axis.
func (g *graph) places(x val) {
	rank := len(x.dims)
	a := g.axis(rank)
	e := x.dims[at(a, rank)]
	if e == 0 || x.dt == onnxpb.Bool || isFloat(x.dt) && x.dt != onnxpb.Double || x.dt == onnxpb.Uint8 {
		return
	}
	switch g.IntN(4) {
	case 0:
		if x.dt != onnxpb.Int32 && x.dt != onnxpb.Int8 {
			return
		}
		dims := slices.Clone(x.dims)
		dims[at(a, rank)] = 1
		g.as(pick(g.draw, "ArgMax", "ArgMin"), onnxpb.Int64, dims, []val{x}, ob.Int("axis", a), ob.Int("select_last_index", g.Int64N(2)))
	case 1:
		if x.dt != onnxpb.Int64 && x.dt != onnxpb.Int32 {
			return
		}
		k := g.between(1, e)
		dims := slices.Clone(x.dims)
		dims[at(a, rank)] = k
		ys := g.nodes("TopK", 2, []val{x, g.list(k)}, ob.Int("axis", a), ob.Int("largest", g.Int64N(2)))
		g.join(val{ys[0], x.dt, dims}, x)
		g.join(val{ys[1], onnxpb.Int64, dims}, x)
	case 2: // places that are computed
		if x.dt != onnxpb.Int64 && x.dt != onnxpb.Int32 {
			return
		}
		i := val{g.node("Mod", []val{x, g.constant(g.below(x.dt, e, e+1))}), x.dt, x.dims}
		dims := slices.Concat(x.dims[:at(a, rank)], i.dims, x.dims[at(a, rank)+1:])
		if len(dims) <= 4 {
			g.of("Gather", dims, []val{x, i}, ob.Int("axis", a))
		} else {
			g.of("GatherElements", x.dims, []val{x, i}, ob.Int("axis", a))
		}
	default:
		if x.dt != onnxpb.Int64 && x.dt != onnxpb.Int32 {
			return
		}
		i := val{g.node("Mod", []val{x, g.constant(g.below(x.dt, e, e+1))}), x.dt, x.dims}
		g.of("ScatterElements", x.dims, []val{g.small(x), i, g.small(g.partnerAlike(x))}, ob.Int("axis", a), ob.Str("reduction", pick(g.draw, "add", "max", "min")))
	}
}

// partnerAlike is a value of the type and shape of x.
func (g *graph) partnerAlike(x val) val {
	for _, p := range g.pool {
		if p.dt == x.dt && slices.Equal(p.dims, x.dims) && g.chance(0.5) {
			return p
		}
	}
	return g.constant(g.values(x.dt, special, x.dims...))
}
