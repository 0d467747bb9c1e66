package starpass_test

import (
	"bytes"
	"context"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/starpass"
)

// failer is what tests and properties have in common.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func passContext(tb failer, opts ...pass.ContextOption) *pass.Context {
	tb.Helper()
	opts = append([]pass.ContextOption{pass.WithRegistry(pipeline.NewRegistry()), pass.WithEvaluator(compiler.Interpreter{})}, opts...)
	c, err := pass.NewContext(context.Background(), opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func module(tb failer, text string) *ir.Module {
	tb.Helper()
	m, found := parse.Module("in.py", text, parse.Options{AllowMissingConstants: true})
	for _, d := range found {
		tb.Fatalf("%s", d)
	}
	return m
}

// printed leaves out the struct info that follows from values.
func printed(m *ir.Module) string {
	return script.Module(m, script.Options{HideStructInfo: true}).Source
}

// run runs a script on a module and returns the module and what was printed.
func run(tb failer, source string, m *ir.Module, limits starpass.Limits) (*ir.Module, string, error) {
	tb.Helper()
	var out bytes.Buffer
	limits.Print = &out
	s, err := starpass.Parse("t.star", source, limits)
	if err != nil {
		return nil, "", err
	}
	got, err := s.Run(starpass.RunOptions{Context: passContext(tb), Module: m})
	return got, out.String(), err
}

const relaxText = `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((2, 3), dtype="float32"):
        with R.dataflow():
            a: R.Tensor((2, 3), dtype="float32") = R.add(x, x)
            b: R.Tensor((2, 3), dtype="float32") = R.multiply(a, x)
            R.output(b)
        if c:
            d: R.Tensor((2, 3), dtype="float32") = R.add(b, x)
            e: R.Tensor((2, 3), dtype="float32") = d
        else:
            f: R.Tensor((2, 3), dtype="float32") = R.add(b, x)
            e: R.Tensor((2, 3), dtype="float32") = f
        return e

    @T.prim_func
    def double(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                B[vi] = A[vi] * T.float32(2) + T.float32(0)
`
