package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/transform"
)

const symbolicKernel = `
    @T.prim_func(private=True)
    def twice(a: T.handle, b: T.handle):
        m, k = T.int64(), T.int64()
        A = T.match_buffer(a, (m, k))
        B = T.match_buffer(b, (m, k))
        for i, j in T.grid(m, k):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
`

func TestSpecializePrimFuncPairs(t *testing.T) {
	kernel := func(name, m, k, scope string) string {
		at := ""
		if scope != "" {
			at = `, scope="` + scope + `"`
		}
		return strings.NewReplacer("twice", name, "(a, (m, k)", "(a, ("+m+", "+k+"), \"float32\""+at, "(b, (m, k)", "(b, ("+m+", "+k+"), \"float32\""+at,
			"grid(m, k)", "grid("+m+", "+k+")", "        m, k = T.int64(), T.int64()\n", "        T.func_attr({\"scoped\": 1})\n").Replace(symbolicKernel)
	}
	before := `
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global.texture"), I.vdevice("opencl", 0, "global")]})
` + symbolicKernel + `
    @R.function
    def main(x: R.Tensor((2, 3), "float32", "vdevice:0"), y: R.Tensor((4, 3), "float32", "vdevice:1"), z: R.Tensor((2, 3), "float32", "vdevice:0")):
        cls = Module
        a = R.call_tir(cls.twice, (x,), out_sinfo=R.Tensor((2, 3), "float32", "vdevice:0"))
        b = R.call_tir(cls.twice, (y,), out_sinfo=R.Tensor((4, 3), "float32", "vdevice:1"))
        c = R.call_tir(cls.twice, (z,), out_sinfo=R.Tensor((2, 3), "float32", "vdevice:0"))
        return (a, b, c)
`
	after := strings.Replace(before, symbolicKernel, kernel("twice", "T.int64(2)", "T.int64(3)", "global.texture")+kernel("twice1", "T.int64(4)", "T.int64(3)", ""), 1)
	after = strings.Replace(after, "cls.twice, (y", "cls.twice1, (y", 1)
	runPairs(t, transform.SpecializePrimFuncBasedOnCallSite,
		pair{name: "scopes and extents of three calls", before: before, after: after},
		pair{name: "no kernels", before: "@R.function\ndef main(x: R.Tensor((2, 3), \"float32\")):\n    a = R.exp(x)\n    return a\n"},
	)
}

// TestSpecializePrimFuncLeavesUses specializes a copy of a kernel that is known outside.
func TestSpecializePrimFuncLeavesUses(t *testing.T) {
	m := read(t, `
@I.ir_module
class Module:
`+strings.Replace(symbolicKernel, "(private=True)", "", 1)+`
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        cls = Module
        a = R.call_tir(cls.twice, (x,), out_sinfo=R.Tensor((2, 3), "float32"))
        return a
`)
	out, _ := check(t, passtest.NewContext(), transform.SpecializePrimFuncBasedOnCallSite, m)
	if out.Lookup("twice") != m.Lookup("twice") || out.Lookup("twice1") == nil {
		t.Errorf("the pass made\n%s", script.Module(out, script.Options{}).Source)
	}
	sameOutputs(t, outputs(t, m, 2, true), outputs(t, out, 2, true))
}

// TestSpecializePrimFuncKeepsMeaning specializes kernels that are called with other extents, also symbolic ones.
func TestSpecializePrimFuncKeepsMeaning(t *testing.T) {
	m := read(t, `
@I.ir_module
class Module:
`+symbolicKernel+`
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor(("n", 3), "float32"), z: R.Tensor((1, 0), "float32")):
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.twice, (x,), out_sinfo=R.Tensor((2, 3), "float32"))
        b = R.call_tir(cls.twice, (y,), out_sinfo=R.Tensor((n, 3), "float32"))
        c = R.call_tir(cls.twice, (z,), out_sinfo=R.Tensor((1, 0), "float32"))
        d = R.call_tir(cls.twice, (a,), out_sinfo=R.Tensor((2, 3), "float32"))
        return (a, b, c, d)
`)
	out, _ := check(t, passtest.NewContext(), transform.SpecializePrimFuncBasedOnCallSite, m)
	if source := script.Module(out, script.Options{}).Source; strings.Count(source, "def twice") != 3 {
		t.Errorf("expected three kernels:\n%s", source)
	}
	sameOutputs(t, outputs(t, m, 5, true), outputs(t, out, 5, true))
}
