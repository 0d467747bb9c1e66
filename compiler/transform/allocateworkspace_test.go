package transform_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
)

// generated is a module in which a function for a generator, and the composite in it, need attrs.
func generated(outer, inner string, main string) string {
	return `
@I.ir_module
class Module:
    @R.function
    def run(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        R.func_attr({"Codegen": "lib"` + outer + `, "global_symbol": "run"})

        @R.function
        def part(p: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
            R.func_attr({"Composite": "lib.exp", "Primitive": True` + inner + `})
            with R.dataflow():
                e: R.Tensor((2, 3), "float32") = R.exp(p)
                R.output(e)
            return e

        y: R.Tensor((2, 3), "float32") = part(x)
        return y
` + main
}

const (
	workspaceMain = `
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((2, 3), "float32"):
        cls = Module
        a = R.nn.relu(x)
        with R.dataflow():
            b = cls.run(a)
            d = cls.run(b)
            R.output(d)
        if c:
            e = cls.run(d)
            r = R.add(e, e)
        else:
            r = R.nn.relu(d)
        return r

    @R.function
    def other(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        with R.dataflow():
            y = R.nn.relu(x)
            R.output(y)
        return y
`
	workspaceAfter = `
@I.ir_module
class Module:
    @R.function
    def run1(x: R.Tensor((2, 3), "float32"), workspace: R.Tensor((64,), "uint8")) -> R.Tensor((2, 3), "float32"):
        R.func_attr({"Codegen": "lib", "global_symbol": "run1"})

        @R.function
        def part(p: R.Tensor((2, 3), "float32"), workspace_1: R.Tensor((64,), "uint8")) -> R.Tensor((2, 3), "float32"):
            R.func_attr({"Composite": "lib.exp", "Primitive": True})
            with R.dataflow():
                e: R.Tensor((2, 3), "float32") = R.exp(p)
                R.output(e)
            return e

        y: R.Tensor((2, 3), "float32") = part(x, workspace)
        return y

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((2, 3), "float32"):
        cls = Module
        a = R.nn.relu(x)
        with R.dataflow():
            workspace_main = R.builtin.alloc_tensor(R.shape([64]), R.dtype("uint8"), R.prim_value(0))
            b = cls.run1(a, workspace_main)
            d = cls.run1(b, workspace_main)
            R.output(d)
        if c:
            workspace_main1 = R.builtin.alloc_tensor(R.shape([64]), R.dtype("uint8"), R.prim_value(0))
            e = cls.run1(d, workspace_main1)
            r = R.add(e, e)
        else:
            r = R.nn.relu(d)
        return r

    @R.function
    def other(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        with R.dataflow():
            y = R.nn.relu(x)
            R.output(y)
        return y
`
)

func TestAllocateWorkspacePairs(t *testing.T) {
	const size = `, "WorkspaceSize": 64`
	runPairs(t, transform.AllocateWorkspace,
		pair{name: "calls in a block and in a branch", before: generated(size, size, workspaceMain), after: workspaceAfter},
		pair{name: "no workspace", before: generated("", "", workspaceMain)},
		pair{name: "no bytes", before: generated(`, "WorkspaceSize": 0`, "", workspaceMain)},
		pair{name: "a name", before: generated(`, "WorkspaceSize": "much"`, "", workspaceMain), err: "the attribute WorkspaceSize of run is much, want a number of bytes"},
	)
}

func TestAllocateWorkspaceKeepsMeaning(t *testing.T) {
	m := read(t, generated(`, "WorkspaceSize": 16`, `, "WorkspaceSize": 8`, workspaceMain))
	out, _ := check(t, passtest.NewContext(), transform.AllocateWorkspace, m)
	sameOutputs(t, outputs(t, m, 2, false), outputs(t, out, 2, false))
}
