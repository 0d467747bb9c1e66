package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
)

// modulePair is a module, as the functions of its text, and what a pass must make of it.
type modulePair struct{ name, before, after string }

// passArg is a pass, and whether a second run does more.
type passArg struct {
	pass  *pass.Pass
	again bool
}

// checkModules runs a pass on modules, checks what comes out, and that a second run changes nothing if again is false.
func checkModules(t *testing.T, p *passArg, list []modulePair) {
	t.Helper()
	for _, x := range list {
		t.Run(x.name, func(t *testing.T) {
			before := parseModule(t, x.before)
			shown := script.Module(before, script.Options{}).Source
			got, err := passtest.NewContext().Run(p.pass, before)
			if err != nil {
				t.Fatal(err)
			}
			if script.Module(before, script.Options{}).Source != shown {
				t.Error("the input was changed")
			}
			want := before
			if x.after != "" {
				want = parseModule(t, x.after)
			} else if got != before {
				t.Error("a new module came out where nothing changes")
			}
			compareModules(t, got, want)
			if !p.again {
				twice, err := passtest.NewContext().Run(p.pass, got)
				if err != nil {
					t.Fatal(err)
				}
				compareModules(t, twice, got)
			}
		})
	}
}

func compareModules(t *testing.T, got, want *ir.Module) {
	t.Helper()
	same := got.Len() == want.Len()
	for gv, fn := range got.Funcs() {
		for _, d := range tir.Verify(gv.Name, fn.(*tir.PrimFunc)) {
			t.Error(d)
		}
		w := want.Lookup(gv.Name)
		same = same && w != nil && ir.StructuralEqual(fn, w, ir.EqualOpts{})
	}
	if !same {
		t.Errorf("got\n%s\nwant\n%s", script.Module(got, script.Options{}).Source, script.Module(want, script.Options{}).Source)
	}
}

// TestBindTargetSides notes targets with and without hosts.
func TestBindTargetSides(t *testing.T) {
	with := func(target string) *passArg {
		p, err := tirpass.BindTarget.With(ir.NewAttrs("target", target))
		if err != nil {
			t.Fatal(err)
		}
		return &passArg{pass: p}
	}
	checkModules(t, with("wasm -host=interp"), []modulePair{
		{"public", `
    @T.prim_func
    def main():
        T.evaluate(1)`, `
    @T.prim_func
    def main():
        T.func_attr({"target": T.target("wasm", host="interp")})
        T.evaluate(1)`},
		{"private", `
    @T.prim_func(private=True)
    def main():
        T.evaluate(1)`, `
    @T.prim_func(private=True)
    def main():
        T.func_attr({"target": T.target("wasm")})
        T.evaluate(1)`},
		{"for the host", `
    @T.prim_func(private=True)
    def main():
        T.func_attr({"tir.is_host_func": True})
        T.evaluate(1)`, `
    @T.prim_func(private=True)
    def main():
        T.func_attr({"target": T.target("interp", host="interp")})
        T.evaluate(1)`},
		{"a host for a target that names none", `
    @T.prim_func
    def main():
        T.func_attr({"target": T.target("nvptx")})
        T.evaluate(1)

    @T.prim_func(private=True)
    def own():
        T.func_attr({"target": T.target("nvptx")})
        T.evaluate(1)`, `
    @T.prim_func
    def main():
        T.func_attr({"target": T.target("nvptx", host="interp")})
        T.evaluate(1)

    @T.prim_func(private=True)
    def own():
        T.func_attr({"target": T.target("nvptx")})
        T.evaluate(1)`},
		{"called from both sides", `
    @T.prim_func(private=True)
    def half(a: T.int32) -> T.int32:
        return a // 2

    @T.prim_func(private=True)
    def low(a: T.int32) -> T.int32:
        return a - 1

    @T.prim_func
    def main(A: T.Buffer((8,), "int32")):
        n: T.int32 = Module.half(16)
        m: T.int32 = Module.low(9)
        for i in T.thread_binding(8, "threadIdx.x"):
            A[i] = Module.half(A[i]) + n + m`, `
    @T.prim_func(private=True)
    def half(a: T.int32) -> T.int32:
        T.func_attr({"target": T.target("wasm")})
        return a // 2

    @T.prim_func(private=True)
    def low(a: T.int32) -> T.int32:
        T.func_attr({"target": T.target("interp")})
        return a - 1

    @T.prim_func
    def main(A: T.Buffer((8,), "int32")):
        T.func_attr({"target": T.target("wasm", host="interp")})
        n: T.int32 = Module.half_host(16)
        m: T.int32 = Module.low(9)
        for i in T.thread_binding(8, "threadIdx.x"):
            A[i] = Module.half(A[i]) + n + m

    @T.prim_func(private=True)
    def half_host(a: T.int32) -> T.int32:
        T.func_attr({"target": T.target("interp")})
        return a // 2`},
	})
	checkModules(t, with("wasm"), []modulePair{{"one side only", `
    @T.prim_func(private=True)
    def main():
        T.func_attr({"tir.is_host_func": True})
        T.evaluate(1)`, `
    @T.prim_func(private=True)
    def main():
        T.func_attr({"target": T.target("wasm")})
        T.evaluate(1)`}})
}
