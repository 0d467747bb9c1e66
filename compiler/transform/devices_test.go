package transform_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

const twoDevices = `
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice({"kind": "metal"}, 1)]})
`

func TestRealizeVDevicePairs(t *testing.T) {
	runPairs(t, transform.RealizeVDevice,
		pair{name: "nothing says where", before: twoDevices + `
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.exp(x)
        return y
`},
		pair{name: "hints, operands and other names", before: twoDevices + `
    @R.function
    def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        with R.dataflow():
            a = R.hint_on_device(x, R.cpu())
            b = R.exp(a)
            c = R.hint_on_device(b, R.cuda())
            d = R.add(c, y)
            e = R.hint_on_device(d, R.metal(1))
            R.output(e)
        return e
`, after: twoDevices + `
    @R.function
    def main(x: R.Tensor((2,), "float32", "llvm"), y: R.Tensor((2,), "float32", "cuda")) -> R.Tensor((2,), "float32", "vdevice:2"):
        with R.dataflow():
            a: R.Tensor((2,), "float32", "llvm") = x
            b: R.Tensor((2,), "float32", "llvm") = R.exp(a)
            c: R.Tensor((2,), "float32", "cuda") = R.to_vdevice(b, "cuda")
            d: R.Tensor((2,), "float32", "cuda") = R.add(c, y)
            e: R.Tensor((2,), "float32", "vdevice:2") = R.to_vdevice(d, "vdevice:2")
            R.output(e)
        return e
`},
		pair{name: "fields of tuples, functions that are called, what calls say of results", before: twoDevices + `
    @R.function
    def main(t: R.Tuple(R.Tensor((2,), "float32", "cuda"), R.Tensor((2,), "float32")), p: R.Tensor((), "bool")):
        cls = Module
        a = t[0]
        b = t[1]
        c = R.call_dps_packed("f", (b,), out_sinfo=R.Tensor((2,), "float32"))
        d = R.hint_on_device(c, R.cpu())
        e = cls.part((a, d))
        if p:
            r = e
        else:
            r = a
        return r

    @R.function(private=True)
    def part(t: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32"))) -> R.Tensor((2,), "float32"):
        n = T.int64()
        u = t
        x = u[0]
        y = R.match_cast(x, R.Tensor((n,), "float32"))
        z = R.match_cast(y, R.Tensor((2,), "float32"))
        return z
`, after: twoDevices + `
    @R.function
    def main(t: R.Tuple(R.Tensor((2,), "float32", "cuda"), R.Tensor((2,), "float32", "llvm")), p: R.Tensor((), "bool")) -> R.Tensor((2,), "float32", "cuda"):
        cls = Module
        a: R.Tensor((2,), "float32", "cuda") = t[0]
        b: R.Tensor((2,), "float32", "llvm") = t[1]
        c = R.call_dps_packed("f", (b,), out_sinfo=R.Tensor((2,), "float32", "llvm"))
        d: R.Tensor((2,), "float32", "llvm") = c
        e: R.Tensor((2,), "float32", "cuda") = cls.part((a, d))
        if p:
            r = e
        else:
            r = a
        return r

    @R.function(private=True)
    def part(t: R.Tuple(R.Tensor((2,), "float32", "cuda"), R.Tensor((2,), "float32", "llvm"))) -> R.Tensor((2,), "float32", "cuda"):
        n = T.int64()
        u: R.Tuple(R.Tensor((2,), "float32", "cuda"), R.Tensor((2,), "float32", "llvm")) = t
        x: R.Tensor((2,), "float32", "cuda") = u[0]
        y = R.match_cast(x, R.Tensor((n,), "float32", "cuda"))
        z = R.match_cast(y, R.Tensor((2,), "float32", "cuda"))
        return z
`},
		pair{name: "a device that the module lacks", before: twoDevices + `
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.hint_on_device(x, R.cuda(1))
        return y
`, err: "in main: binding of y: hint_on_device asks for device 1 of DLPack's kind 2 with memory scope \"global\", which the module's 3 virtual devices lack: list it in I.module_global_infos"},
	)
}

func TestUpdateVDevicePairs(t *testing.T) {
	onCuda := `
    @R.function
    def main(x: R.Tensor((2,), "float32", "cuda"), t: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32", "cuda"))):
        a: R.Tensor((2,), "float32", "llvm") = R.to_vdevice(x, "llvm")
        b = R.exp(a)
        c: R.Tensor((2,), "float32", "cuda") = R.to_vdevice(b, "cuda")
        d = t[1]
        e: R.Tensor((2,), "float32", "cuda") = R.add(c, d)
        n = T.int64()
        f = R.match_cast(e, R.Tensor((n,), "float32", "cuda"))
        g = R.call_dps_packed("f", (f,), out_sinfo=R.Tensor((2,), "float32", "cuda"))
        return g
`
	runPairs(t, transform.UpdateVDevice,
		pair{
			name: "tensors, fields of tuples, copies, casts and what calls say", args: ir.NewAttrs("new_vdevice", "rocm:3:shared", "index", 1), before: twoDevices + onCuda, after: `
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("rocm", 3, "shared"), I.vdevice({"kind": "metal"}, 1)]})

    @R.function
    def main(x: R.Tensor((2,), "float32", "vdevice:1"), t: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32", "vdevice:1"))):
        a: R.Tensor((2,), "float32", "llvm") = R.to_vdevice(x, "llvm")
        b = R.exp(a)
        c: R.Tensor((2,), "float32", "vdevice:1") = R.to_vdevice(b, "vdevice:1")
        d = t[1]
        e: R.Tensor((2,), "float32", "vdevice:1") = R.add(c, d)
        n = T.int64()
        f = R.match_cast(e, R.Tensor((n,), "float32", "vdevice:1"))
        g = R.call_dps_packed("f", (f,), out_sinfo=R.Tensor((2,), "float32", "vdevice:1"))
        return g
`,
		},
		pair{name: "the same device", args: ir.NewAttrs("new_vdevice", "cuda", "index", 1), before: twoDevices + onCuda},
		pair{name: "no such device", args: ir.NewAttrs("index", 3), before: twoDevices + onCuda, err: "index: the module has 3 virtual devices, and 3 is none of them"},
		pair{name: "a negative index", args: ir.NewAttrs("index", -1), before: twoDevices + onCuda, err: "index: the module has 3 virtual devices, and -1 is none of them"},
		pair{name: "no device", args: ir.NewAttrs("new_vdevice", "cuda:x"), before: twoDevices + onCuda, err: `new_vdevice: "cuda:x" does not name a device, which is written as "llvm", "cuda:1" or "metal:0:global"`},
		pair{name: "no target", args: ir.NewAttrs("new_vdevice", ":1"), before: twoDevices + onCuda, err: `new_vdevice: ":1" does not name a device, which is written as "llvm", "cuda:1" or "metal:0:global"`},
	)
}

// TestDevicesKeepMeaning puts random hints and devices into random functions. Where values are does not change them.
func TestDevicesKeepMeaning(t *testing.T) {
	realized := 0
	seed.Check(t, func(t *rapid.T) {
		m := drawModule(t)
		want := outputs(t, m, 2, false)
		devices := []ir.Node{&relax.VDevice{Target: "llvm", Scope: "global"}, &relax.VDevice{Target: "cuda", Scope: "global"}}
		m = m.WithGlobalInfos("vdevice", devices)
		mu := op.NewExprMutator(m)
		mu.Call = func(c *relax.Call) relax.Expr {
			if len(c.Args) == 0 || rapid.IntRange(0, 3).Draw(t, "hint") > 0 {
				return c
			}
			if _, tensor := relax.SInfoOf(c.Args[0]).(*relax.TensorStructInfo); !tensor {
				return c
			}
			hint := &relax.Call{Op: ir.NewOp("relax.hint_on_device"), Args: c.Args[:1], Attrs: ir.NewAttrs("device_type", 1+rapid.IntRange(0, 1).Draw(t, "device"), "index", 0, "memory_scope", "global")}
			return c.WithArgs(append([]relax.Expr{mu.Emit(hint, "")}, c.Args[1:]...))
		}
		before := must(mu.Module())
		after, _ := check(t, passtest.NewContext(), transform.RealizeVDevice, before)
		if after != before {
			realized++
		}
		q := must(transform.UpdateVDevice.With(ir.NewAttrs("new_vdevice", "metal:1", "index", 1)))
		moved, _ := check(t, passtest.NewContext(), q, after)
		for _, x := range []*ir.Module{after, moved} {
			if sameOutputs(t, want, outputs(t, x, 2, false)); t.Failed() {
				t.Fatalf("made\n%s\nof\n%s", script.Module(x, script.Options{}).Source, script.Module(before, script.Options{}).Source)
			}
		}
	})
	if realized == 0 {
		t.Error("no hint was realized")
	}
}
