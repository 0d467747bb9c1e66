package transform_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

func TestLambdaLiftPairs(t *testing.T) {
	runPairs(t, transform.LambdaLift,
		pair{name: "no lambda", before: `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    y = R.exp(x)
    return y
`},
		pair{name: "a recursive closure that is used as a value", before: `
@R.function
def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
    @R.function
    def f(a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        g = f
        if c:
            s = g(a)
        else:
            s = R.add(a, x)
        return s

    r = f(x)
    return r
`, after: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        f = R.make_closure(Module.main_f, (c, x))
        r = R.invoke_pure_closure(f, (x,), sinfo_args=(R.Tensor((4,), "float32"),))
        return r

    @R.function(private=True)
    def main_f(a: R.Tensor((4,), "float32"), c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        f = R.make_closure(Module.main_f, (c, x))
        g = f
        if c:
            s = R.invoke_pure_closure(g, (a,), sinfo_args=(R.Tensor((4,), "float32"),))
        else:
            s = R.add(a, x)
        return s
`},
		pair{name: "a function that returns a function", before: `
@R.function
def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    @R.function
    def outer(c1: R.Tensor((4,), "float32")) -> R.Callable((R.Tensor((4,), "float32"),), R.Tensor((4,), "float32")):
        @R.function
        def inner(x1: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            s = R.add(x1, c1)
            return s

        return inner

    f = outer(x)
    r = f(y)
    return r
`, after: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        f = Module.main_outer(x)
        r = R.invoke_pure_closure(f, (y,), sinfo_args=(R.Tensor((4,), "float32"),))
        return r

    @R.function(private=True)
    def main_outer(c1: R.Tensor((4,), "float32")) -> R.Object:
        inner = R.make_closure(Module.main_inner, (c1,))
        return inner

    @R.function(private=True)
    def main_inner(x1: R.Tensor((4,), "float32"), c1: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        s = R.add(x1, c1)
        return s
`},
		pair{name: "with effects, and one that captures another", before: `
@R.function(pure=False)
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    @R.function(pure=False)
    def say(a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        _ = R.print(x, format="{}")
        b = R.add(a, x)
        return b

    @R.function(pure=False)
    def twice(a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        b = say(a)
        d = say(b)
        return d

    r = twice(x)
    return r
`, after: `
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        say = R.make_closure(Module.main_say, (x,))
        twice = R.make_closure(Module.main_twice, (say,))
        r = R.invoke_closure(twice, (x,), sinfo_args=(R.Tensor((4,), "float32"),))
        return r

    @R.function(pure=False, private=True)
    def main_say(a: R.Tensor((4,), "float32"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        _ = R.print(x, format="{}")
        b = R.add(a, x)
        return b

    @R.function(pure=False, private=True)
    def main_twice(a: R.Tensor((4,), "float32"), say: R.Object) -> R.Tensor((4,), "float32"):
        b = R.invoke_closure(say, (a,), sinfo_args=(R.Tensor((4,), "float32"),))
        d = R.invoke_closure(say, (b,), sinfo_args=(R.Tensor((4,), "float32"),))
        return d
`},
		pair{name: "two of one name", before: `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    @R.function
    def f(a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        @R.function
        def g(b: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            d = R.sin(b)
            return d
        e = g(a)
        return e
    @R.function
    def g(a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        b = R.cos(a)
        return b
    r = f(x)
    s = g(r)
    return s
`, after: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        r = Module.main_f(x)
        s = Module.main_g_0(r)
        return s

    @R.function(private=True)
    def main_f(a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        e = Module.main_f_g(a)
        return e

    @R.function(private=True)
    def main_f_g(b: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        d = R.sin(b)
        return d

    @R.function(private=True)
    def main_g_0(a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        b = R.cos(a)
        return b
`},
	)
}

func TestInlinePrivateFunctionsPairs(t *testing.T) {
	runPairs(t, transform.InlinePrivateFunctions,
		pair{name: "extents come from the arguments, calls inside of calls", before: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 3), "float32")) -> R.Tensor((12,), "float32"):
        with R.dataflow():
            a = R.exp(x)
            b = Module.outer(a)
            R.output(b)
        return b

    @R.function(private=True)
    def outer(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n * m",), "float32"):
        n = T.int64()
        m = T.int64()
        a = R.sin(x)
        b = Module.flat(a)
        return b

    @R.function(private=True)
    def flat(x: R.Tensor(("k", "l"), "float32")) -> R.Tensor(("k * l",), "float32"):
        k = T.int64()
        l = T.int64()
        r = R.reshape(x, R.shape([k * l]))
        return r
`, after: `
@R.function
def main(x: R.Tensor((4, 3), "float32")) -> R.Tensor((12,), "float32"):
    with R.dataflow():
        a = R.exp(x)
        a1 = R.sin(a)
        b = R.reshape(a1, R.shape([12]))
        R.output(b)
    return b
`},
		pair{name: "recursive functions, and functions that are values", before: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        a = Module.loop(x, c)
        f = Module.value
        b = f(a)
        d = Module.value(b)
        return d

    @R.function(private=True)
    def loop(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        if c:
            s = Module.loop(x, c)
        else:
            s = x
        return s

    @R.function(private=True)
    def value(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        r = R.exp(x)
        return r
`, after: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        a = Module.loop(x, c)
        f = Module.value
        b = f(a)
        r = R.exp(b)
        return r

    @R.function(private=True)
    def loop(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        if c:
            s = Module.loop(x, c)
        else:
            s = x
        return s

    @R.function(private=True)
    def value(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        r = R.exp(x)
        return r
`},
		pair{name: "branches in a dataflow block", before: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            a = Module.part(x, c)
            R.output(a)
        return a

    @R.function(private=True)
    def part(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        if c:
            s = R.exp(x)
        else:
            s = x
        return s
`},
	)
}

// called returns a module whose main calls a random function, called part, twice: a private one, or one that is defined in main, which
// uses the condition and the second input from there.
func called(src *rapid.T, local bool) *ir.Module {
	m := drawModule(src)
	part := ir.MustLookup[*relax.Function](m, "main")
	part = part.WithFuncAttrs(part.Attrs.Without(ir.AttrGlobalSymbol)).(*relax.Function)
	main := relax.CopyFunction(part)
	bb := op.NewBlockBuilder(nil)
	var callee relax.Expr = bb.UpdateFunc("part", part)
	args := []relax.Expr{main.Params[0], main.Params[1], main.Params[2]}
	bb.BeginFunction("main", main.Params, relax.FuncOpts{})
	if local {
		bb.RemoveFunc("part")
		inner := relax.CopyFunction(part)
		inner = relax.Bind(inner.WithParams(inner.Params[1:2]), relax.Subst{
			Vars:  map[*relax.Var]relax.Expr{inner.Params[0]: main.Params[0], inner.Params[2]: main.Params[2]},
			Prims: sameSymbols(inner, main),
		}).(*relax.Function)
		callee, args = must(bb.Emit(inner, "part")), args[1:2]
	}
	a := must(bb.Emit(&relax.Call{Op: callee, Args: args}, "a"))
	b := must(bb.Emit(&relax.Call{Op: callee, Args: args}, "b"))
	out := must(bb.Emit(&relax.Tuple{Fields: []relax.Expr{a, b}}, ""))
	must(bb.EndFunction(out))
	return bb.Module()
}

func TestLiftAndInlineKeepMeaning(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		local := rapid.Bool().Draw(t, "local")
		p := transform.InlinePrivateFunctions
		if local {
			p = transform.LambdaLift
		}
		m := called(t, local)
		want := outputs(t, m, 2, false)
		out, _ := check(t, passtest.NewContext(pass.OptLevel(3)), p, m)
		if out == m {
			t.Fatalf("nothing changed in\n%s", passtest.Text(m))
		}
		sameOutputs(t, want, outputs(t, out, 2, false))
		if t.Failed() {
			t.Fatalf("%s made\n%s\nof\n%s", p.Name, passtest.Text(out), passtest.Text(m))
		}
	})
}

// sameSymbols maps the symbolic variables of one function to those of another, in order.
func sameSymbols(from, to *relax.Function) map[*tir.Var]tir.Expr {
	out := map[*tir.Var]tir.Expr{}
	for i, v := range relax.DefinedSymbolicVars(from) {
		out[v] = relax.DefinedSymbolicVars(to)[i]
	}
	return out
}
