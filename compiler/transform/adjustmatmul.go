package transform

import (
	"math/big"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

const ruleMatmulOrder = "multiply in the cheaper order"

// AdjustMatmulOrder chooses the order of products of three matrices.
var AdjustMatmulOrder = &pass.Pass{
	Name: "AdjustMatmulOrder", Level: 1, Kind: pass.Function,
	Doc: "Computes products of three matrices in the order that takes fewer operations, as x*(A*B) to (x*A)*B. Two weights (parameters behind the first num_input ones) are multiplied first, as that can be done before the model runs.",
	Run: pass.EachRelax(BeforeInplace(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		weights, err := compileTime(f)
		if err != nil {
			return nil, err
		}
		o := newMatmulOrder(f, weights)
		return rewriteCalls(c, ruleMatmulOrder, f, o.any, o.rewrite)
	})),
}

// matmulOrder matches the four forms of a product of three matrices.
type matmulOrder struct {
	weights                     map[*relax.Var]bool
	a, b, c                     dpl.Pattern
	inner                       [4]dpl.Pattern // the inner product of each form
	left, right, leftT, rightT  dpl.Pattern
	permutedLeft, permutedRight dpl.Pattern
	any                         dpl.Pattern
	prover                      *arith.Analyzer
}

func newMatmulOrder(f *relax.Function, weights map[*relax.Var]bool) *matmulOrder {
	o := &matmulOrder{weights: weights, a: dpl.Wildcard(), b: dpl.Wildcard(), c: dpl.Wildcard(), prover: arith.NewAnalyzer()}
	product := func(x, y dpl.Pattern) dpl.Pattern { return dpl.Op("relax.matmul", x, y) }
	o.inner = [4]dpl.Pattern{product(o.a, o.b), product(o.b, o.c), product(o.b, o.a), product(o.c, o.b)}
	o.permutedLeft, o.permutedRight = dpl.Op("relax.permute_dims", o.inner[2]), dpl.Op("relax.permute_dims", o.inner[3])
	o.left, o.right = product(o.inner[0], o.c), product(o.a, o.inner[1])
	o.leftT, o.rightT = product(o.permutedLeft, o.c), product(o.a, o.permutedRight)
	o.any = dpl.Or(o.left, o.right, o.leftT, o.rightT)
	o.bound(f)
	return o
}

// bound tells the prover what the attributes of f say of its symbolic variables. That an extent is positive goes without saying: of an empty tensor any
// order is as cheap.
func (o *matmulOrder) bound(f *relax.Function) {
	upper, _ := attrsOf(f, "tir_var_upper_bound")
	lower, _ := attrsOf(f, "tir_var_lower_bound")
	for _, v := range relax.DefinedSymbolicVars(f) {
		b := arith.Bound{Min: max(1, lower.Int(v.Name, 1)), Max: arith.PosInf}
		if n, ok := upper.Get(v.Name); ok {
			if n, ok := n.(int64); ok {
				b.Max = n - 1
			}
		}
		o.prover.UpdateBound(v, b)
	}
}

func attrsOf(f *relax.Function, key string) (*ir.Attrs, bool) {
	v, _ := f.Attrs.Get(key)
	a, ok := v.(*ir.Attrs)
	return a, ok
}

// rewrite returns the product in the other order, nil if that is not cheaper.
func (o *matmulOrder) rewrite(s *site) relax.Expr {
	a, b, c := s.found[o.a], s.found[o.b], s.found[o.c]
	early := [3]bool{o.early(s, a), o.early(s, b), o.early(s, c)}
	if early[0] && early[1] && early[2] {
		return s.declined("the whole product can be computed before the inputs are known")
	}
	dims := [3][]tir.Expr{}
	for i, p := range []dpl.Pattern{o.a, o.b, o.c} {
		t := s.tensor(p)
		if t == nil {
			return s.declined("the rank of an operand is not known")
		}
		d, ok := t.Dims()
		if !ok {
			return s.declined("the shape of an operand is not known")
		}
		dims[i] = d
	}
	outer, inner := s.expr.(*relax.Call), o.innerOf(s)
	if !s.plainMatmul(inner) || s.tensorOf(outer) == nil || s.tensorOf(outer).DType != s.tensor(o.a).DType || s.tensor(o.c).DType != s.tensor(o.a).DType {
		return s.declined("the products have other element types than the operands")
	}
	transposed := s.found.Has(o.leftT) || s.found.Has(o.rightT)
	switch {
	case s.found.Has(o.leftT):
		if !o.transposes(s, o.permutedLeft) || len(dims[0]) != 2 || len(dims[1]) != 2 {
			return s.declined("permute_dims does not transpose a matrix")
		}
		a, b, early[0], early[1] = op.PermuteDims(a), op.PermuteDims(b), false, false
		dims[0], dims[1] = []tir.Expr{dims[0][1], dims[0][0]}, []tir.Expr{dims[1][1], dims[1][0]}
	case s.found.Has(o.rightT):
		if !o.transposes(s, o.permutedRight) || len(dims[1]) != 2 || len(dims[2]) != 2 {
			return s.declined("permute_dims does not transpose a matrix")
		}
		b, c, early[1], early[2] = op.PermuteDims(b), op.PermuteDims(c), false, false
		dims[1], dims[2] = []tir.Expr{dims[1][1], dims[1][0]}, []tir.Expr{dims[2][1], dims[2][0]}
	}
	if len(dims[1]) < 2 || len(dims[1]) > 2 && (len(dims[0]) == 1 || len(dims[2]) == 1) {
		return s.declined("with a vector between or beside stacks of matrices the order matters")
	}
	var leftFirst bool
	switch {
	case early[0] && early[1]:
		leftFirst = true
	case early[1] && early[2]:
		leftFirst = false
	default:
		cheaper, known := o.cheaper(s.ctx, dims)
		if !known {
			return s.declined("it is not known which order is cheaper")
		}
		leftFirst = cheaper
	}
	switch {
	case !transposed && leftFirst == s.found.Has(o.left):
		return s.declined("the order is the better one already")
	case leftFirst:
		return op.Matmul(op.Matmul(a, b, dtype.Void), c, dtype.Void)
	}
	return op.Matmul(a, op.Matmul(b, c, dtype.Void), dtype.Void)
}

// early tells whether an operand is a weight or follows from weights.
func (o *matmulOrder) early(s *site, e relax.Expr) bool {
	v, ok := s.bindings.Value(e).(*relax.Var)
	return ok && o.weights[v]
}

func (o *matmulOrder) innerOf(s *site) dpl.Pattern {
	for i, p := range []dpl.Pattern{o.left, o.right, o.leftT, o.rightT} {
		if s.found.Has(p) {
			return o.inner[i]
		}
	}
	panic("no form of a product matched")
}

// transposes tells whether a permute_dims exchanges both axes of a matrix.
func (o *matmulOrder) transposes(s *site, p dpl.Pattern) bool {
	axes, _ := permuteAxes(s, s.call(p))
	return len(axes) == 2 && axes[0] == 1
}

// permuteAxes returns the axes of a permute_dims, written out.
func permuteAxes(s *site, call *relax.Call) ([]int64, bool) {
	t := s.tensorOf(call.Args[0])
	if t == nil {
		return nil, false
	}
	axes := call.Attrs.Ints("axes")
	if len(axes) == 0 {
		for i := range t.NDim {
			axes = append(axes, int64(t.NDim-1-i))
		}
		return axes, true
	}
	out := make([]int64, len(axes))
	for i, a := range axes {
		if out[i] = a; a < 0 {
			out[i] = a + int64(t.NDim)
		}
	}
	return out, true
}

// cheaper tells whether (A*B)*C takes fewer operations than A*(B*C), and whether that is known. With A of N rows and R columns and C of M rows and K columns
// the first takes (R+K)*N*M and the second (M+N)*R*K: it is less if and only if 1/R + 1/K < 1/M + 1/N, which follows from bounds on the
// extents, equal ones on both sides apart.
func (o *matmulOrder) cheaper(ctx *relax.InferContext, dims [3][]tir.Expr) (left, known bool) {
	one := tir.Expr(tir.Int(1))
	a, c := dims[0], dims[2]
	if len(a) == 1 {
		a = []tir.Expr{one, a[0]}
	}
	if len(c) == 1 {
		c = []tir.Expr{c[0], one}
	}
	n, r, m, k := a[len(a)-2], a[len(a)-1], c[len(c)-2], c[len(c)-1]
	x, y := []tir.Expr{r, k}, []tir.Expr{m, n}
	for i := 0; i < len(x); i++ {
		for j := range y {
			if ctx.Equal(x[i], y[j]) == relax.True {
				x, y = append(x[:i:i], x[i+1:]...), append(y[:j:j], y[j+1:]...)
				i--
				break
			}
		}
	}
	if o.reciprocals(x, false).Cmp(o.reciprocals(y, true)) < 0 {
		return true, true
	}
	return false, o.reciprocals(y, false).Cmp(o.reciprocals(x, true)) < 0
}

// reciprocals returns a lower or upper bound on the sum of the reciprocals of positive extents.
func (o *matmulOrder) reciprocals(list []tir.Expr, lower bool) *big.Rat {
	sum := new(big.Rat)
	for _, e := range list {
		b := o.prover.ConstIntBound(e)
		n := max(1, b.Min)
		if lower {
			n = b.Max
		}
		if n < arith.PosInf {
			sum.Add(sum, big.NewRat(1, max(1, n)))
		}
	}
	return sum
}
