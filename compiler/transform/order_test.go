package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
)

// TestPassesSayWhatDidNotRun: passes that find nothing to do because others did not run say so, once for a function.
func TestPassesSayWhatDidNotRun(t *testing.T) {
	const (
		kernelsOnly = " was not considered: FuseOps sees kernels only; run LegalizeOps before FuseOps"
		patterns    = " was not considered: FuseOps goes by their op_pattern; run AnnotateTIROpPattern before FuseOps"
		allocations = " was not considered: StaticPlanBlockMemory sees allocations only; run LegalizeOps and CallTIRRewrite before StaticPlanBlockMemory"
	)
	plain := strings.Replace(reluKernel, "    T.func_attr({\"op_pattern\": 0})\n", "", 1)
	named := func(name string) string { return strings.Replace(plain, "def relu", "def "+name, 1) }
	main := func(body string) string {
		return "@R.function(pure=False)\ndef main(x: R.Tensor((4,), \"float32\"), z: R.Tensor(\"float32\", ndim=1), o: R.Object):\n    cls = Module\n" + body + "    return x\n"
	}
	const relu = "    %s = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((4,), \"float32\"))\n"
	call := func(name string) string { return strings.Replace(relu, "%s", name, 1) }
	for _, c := range []struct {
		name, text string
		pass       *pass.Pass
		want       string
	}{
		{"an operator", main("    a = R.add(x, x)\n"), transform.FuseOps, "pair.py:4:9: main: warning: a = relax.add" + kernelsOnly},
		{"three operators", main("    a = R.add(x, x)\n    b = R.exp(a)\n    c = R.exp(b)\n"), transform.FuseOps, "pair.py:4:9: main: warning: a = relax.add and 2 more" + kernelsOnly},
		{"operators that have no kernel", main("    a = R.exp(z)\n    b = R.shape_of(x)\n    R.print(x, format=R.str(\"x\"))\n    c = R.call_pure_packed(\"f\", x, sinfo_args=(R.Object,))\n    d = R.match_cast(o, R.Tensor((4,), \"float32\"))\n"), transform.FuseOps, ""},
		{"an operator after those", main("    a = R.exp(z)\n    b = R.exp(x)\n"), transform.FuseOps, "pair.py:5:9: main: warning: b = relax.exp" + kernelsOnly},
		{"a kernel without a pattern", main(call("a")) + plain, transform.FuseOps, "pair.py:4:9: main: warning: a = kernel relu" + patterns},
		{"two of them", main(call("a")+call("b")) + plain, transform.FuseOps, "pair.py:4:9: main: warning: a = kernel relu and 1 more" + patterns},
		{"a kernel with a pattern", main(call("a")) + reluKernel, transform.FuseOps, ""},
		{"one of two kernels with a pattern", main(call("a")) + reluKernel + named("other"), transform.FuseOps, ""},
		{
			"an operator and a kernel", main("    b = R.add(x, x)\n"+call("a")) + plain, transform.FuseOps,
			"pair.py:4:9: main: warning: b = relax.add" + kernelsOnly + "\npair.py:5:9: main: warning: a = kernel relu" + patterns,
		},
		{"FuseTIR", main("    a = R.add(x, x)\n"), transform.FuseTIR, "pair.py:4:9: main: warning: a = relax.add" + strings.ReplaceAll(kernelsOnly, "FuseOps", "FuseTIR")},

		{"a plan of an operator", main("    a = R.add(x, x)\n"), transform.StaticPlanBlockMemory, "pair.py:4:9: main: warning: a = relax.add" + allocations},
		{"a plan of kernels", main(call("a")) + plain, transform.StaticPlanBlockMemory, "pair.py:4:9: main: warning: a = relax.call_tir" + allocations},
		{"a plan of other functions", main("    a = R.call_dps_packed(\"f\", (x,), out_sinfo=R.Tensor((4,), \"float32\"))\n"), transform.StaticPlanBlockMemory, "pair.py:4:9: main: warning: a = relax.call_dps_packed" + allocations},
		{"a plan of kernels in place", main("    a = R.call_tir_inplace(cls.relu, (x, x), out_sinfo=R.Tensor((4,), \"float32\"), inplace_indices=[1])\n") + plain, transform.StaticPlanBlockMemory, "pair.py:4:9: main: warning: a = relax.call_tir_inplace" + allocations},
		{"a plan of what needs no memory", main("    a = R.reshape(x, R.shape([2, 2]))\n    b = R.shape_of(x)\n    R.print(x, format=R.str(\"x\"))\n    c = R.exp(z)\n    d = (x, x)\n    e = R.call_packed(\"f\", x, sinfo_args=(R.Object,))\n"), transform.StaticPlanBlockMemory, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			pc := passtest.NewContext()
			runPass(t, pc, c.pass, read(t, c.text))
			var said []string
			for _, d := range pc.Diagnostics() {
				said = append(said, d.String())
			}
			if got := strings.Join(said, "\n"); got != c.want {
				t.Errorf("it says\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
