package transform

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ruleSample is the name of the rule.
const ruleSample = "sample from sums of probabilities"

// DispatchSampling gives the operator that samples from distributions a kernel.
var DispatchSampling = &pass.Pass{
	Name: "DispatchSampling", Kind: pass.Module,
	Doc: "Replaces multinomial_from_uniform by a cumsum of the probabilities and a kernel that finds where the sums exceed the uniform sample.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		l := newLegalizer(c, "DispatchSampling", m)
		l.share()
		out, err := eachFunction(c, m, func(gv *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			mu := newMutator(c, m, ruleSample)
			mu.Call = func(call *relax.Call) relax.Expr {
				if opName(call) != "relax.multinomial_from_uniform" {
					return call
				}
				out, err := l.sample(mu, call)
				if errors.Is(err, errSkip) {
					c.Declined(ruleSample, call, reasonOf(err))
					return call
				}
				if err != nil {
					mu.Fail(fmt.Errorf("multinomial_from_uniform: %w", err))
					return call
				}
				return out
			}
			out, err := mu.Function(f)
			if err == nil {
				l.edit.Set(gv.Name, out)
			}
			return out, err
		})
		if err != nil || out == m {
			return m, err
		}
		l.shared.apply(l.edit)
		return l.edit.Done(), nil
	},
}

// sample returns the call of a kernel for a call of multinomial_from_uniform, whose arguments are probabilities, uniform samples and the
// rows of probabilities to sample from.
func (l *legalizer) sample(mu *relax.ExprMutator, call *relax.Call) (relax.Expr, error) {
	out, ok := relax.SInfoOf(call).(*relax.TensorStructInfo)
	if !ok {
		return nil, skipf("the result is not a tensor")
	}
	types := make([]any, 0, 4)
	for i, a := range call.Args {
		t, ok := relax.SInfoOf(a).(*relax.TensorStructInfo)
		if !ok || t.DType.IsVoid() {
			return nil, skipf("the element type of argument %d is not known", i)
		}
		dims, known := t.Dims()
		switch {
		case !known:
			return nil, skipf("the shape of argument %d is not known", i)
		case len(dims) != 2:
			return nil, fmt.Errorf("argument %d is %s, want a tensor with two axes", i, relax.FormatSInfo(t))
		case i > 0 && !tir.IsConst(dims[1], 1):
			return nil, fmt.Errorf("argument %d is %s, want a tensor of shape (n, 1)", i, relax.FormatSInfo(t))
		case i == 0 && !t.DType.IsFloat():
			return nil, fmt.Errorf("the probabilities are %s, want floating-point numbers", relax.FormatSInfo(t))
		}
		types = append(types, t.DType)
	}
	origin := call.Origin
	if origin == 0 && mu.At() != nil {
		origin = mu.At().Meta().Origin
	}
	kernel, err := sampleKernel(append(types, out.DType)...)
	if err != nil {
		return nil, err
	}
	base := ir.Base{Span: call.Span, Origin: origin}
	sums, err := op.New("relax.cumsum", call.Args[:1], ir.NewAttrs("axis", 1, "dtype", types[0].(dtype.DType), "exclusive", false))
	if err != nil {
		return nil, err
	}
	gv := ir.NewGlobalVar(l.add("get_sample_index", ir.WithOrigin(kernel, origin)))
	return &relax.Call{
		Base: base, Op: ir.NewOp(opCallTIR), Args: []relax.Expr{gv, &relax.Tuple{Fields: []relax.Expr{mu.Emit(sums, ""), call.Args[1], call.Args[2]}}},
		SInfoArgs: []relax.StructInfo{out}, SInfo: out,
	}, nil
}

// sampleKernel is the kernel that writes for each sample the first place where the sum of the probabilities exceeds it, or the last place. After
// generic_get_sample_index of TVM's python/tvm/relax/backend/gpu_generic/sampling.py. The types are those of its buffers.
func sampleKernel(types ...any) (*tir.PrimFunc, error) {
	m, found := parse.Module("get_sample_index.py", fmt.Sprintf(sampleText, types...), parse.Options{})
	if m == nil || len(found) > 0 {
		return nil, fmt.Errorf("the kernel for types %v: %v", types, found)
	}
	for _, fn := range m.Funcs() {
		if f, ok := fn.(*tir.PrimFunc); ok {
			return f, nil
		}
	}
	return nil, fmt.Errorf("the kernel for types %v is no PrimFunc", types)
}

const sampleText = `@T.prim_func(private=True)
def get_sample_index(probs: T.handle, samples: T.handle, rows: T.handle, places: T.handle):
    batch, size, count = T.int64(), T.int64(), T.int64()
    P = T.match_buffer(probs, (batch, size), "%s")
    U = T.match_buffer(samples, (count, 1), "%s")
    R = T.match_buffer(rows, (count, 1), "%s")
    O = T.match_buffer(places, (count, 1), "%s")
    for n, k in T.grid(count, size):
        with T.block("T_get_sample_index"):
            i, j = T.axis.remap("SS", [n, k])
            T.writes(O[i, 0])
            if U[i, T.int64(0)] < P[R[i, T.int64(0)], j] or j + T.int64(1) == size:
                if j == T.int64(0):
                    O[i, 0] = 0
                else:
                    if U[i, T.int64(0)] >= P[R[i, T.int64(0)], j - T.int64(1)]:
                        O[i, 0] = j
`
