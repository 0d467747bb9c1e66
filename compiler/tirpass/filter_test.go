package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tirpass"
)

const filtered = `@I.ir_module
class Module:
    @T.prim_func(private=True)
    def host(A: T.Buffer((4,), "float32")):
        T.func_attr({"tir.is_host_func": True, "target": "llvm", "calling_conv": 1})
        A[0] = T.float32(0)

    @T.prim_func(private=True)
    def device(A: T.Buffer((4,), "float32")):
        T.func_attr({"target": "cuda", "calling_conv": T.int32(2), "kind": "gemm", "zero": 0})
        A[0] = T.float32(1)
`

// TestFilter keeps the functions that the option names.
func TestFilter(t *testing.T) {
	m, found := parse.Module("text.py", filtered, parse.Options{})
	if len(found) > 0 {
		t.Fatal(found[0])
	}
	for _, x := range []struct {
		fcond []any
		want  string
	}{
		{nil, "host device"},
		{[]any{"tir.is_host_func", true}, "host"},
		{[]any{"tir.is_host_func", false}, "device"},
		{[]any{"tir.is_host_func", nil}, "device"},
		{[]any{"zero", true}, ""},
		{[]any{"zero", false}, "host device"},
		{[]any{"zero", 0}, "device"},
		{[]any{"calling_conv", 2}, "device"},
		{[]any{"calling_conv", []any{1, 3}}, "host"},
		{[]any{"calling_conv", []any{1, 2}}, "host device"},
		{[]any{"kind", "gemm", "calling_conv", 1}, ""},
		{[]any{"target.kind", []any{"llvm", "c"}}, "host"},
		{[]any{"target.kind", "cuda", "kind", "gemm"}, "device"},
		{[]any{"kind", []any{nil, "conv"}}, "host"},
	} {
		for i, v := range x.fcond {
			if list, ok := v.([]any); ok {
				for k := range list {
					list[k] = ir.Normalize(list[k])
				}
				x.fcond[i] = []ir.Value(list)
			}
		}
		out, err := passtest.NewContext().Run(with(t, tirpass.Filter, "fcond", ir.NewAttrs(x.fcond...)), m)
		if err != nil {
			t.Errorf("%v: %v", x.fcond, err)
			continue
		}
		var names []string
		for gv := range out.Funcs() {
			names = append(names, gv.Name)
		}
		if got := strings.Join(names, " "); got != x.want {
			t.Errorf("%v leaves %q, want %q", x.fcond, got, x.want)
		}
		if (out == m) != (x.want == "host device") {
			t.Errorf("%v: the same module: %v", x.fcond, out == m)
		}
	}
}

// TestFilterCalled refuses to remove what is called, by a graph and by a kernel.
func TestFilterCalled(t *testing.T) {
	for _, text := range []string{`@I.ir_module
class Module:
    @T.prim_func(private=True)
    def device(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        B[0] = A[0]

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.call_tir(Module.device, (x,), out_sinfo=R.Tensor((4,), "float32"))
        return y
`, `@I.ir_module
class Module:
    @T.prim_func(private=True)
    def device(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(1)

    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        T.func_attr({"here": 1})
        Module.device(A.data)
`} {
		m, found := parse.Module("text.py", text, parse.Options{})
		if len(found) > 0 {
			t.Fatal(found[0])
		}
		_, err := passtest.NewContext().Run(with(t, tirpass.Filter, "fcond", ir.NewAttrs("here", 1)), m)
		if err == nil || !strings.Contains(err.Error(), "fcond rules out function device, but function main, which stays, calls it") {
			t.Errorf("error %v", err)
		}
	}
}

// TestConstantsListed lists equal constants once, behind those that are listed.
func TestConstantsListed(t *testing.T) {
	const text = `@I.ir_module
class Module:
    @T.prim_func
    def a(A: T.Buffer((2,), "int32")):
        J_data = T.allocate_const([1, 2], "int32", [2])
        J = T.Buffer((2,), "int32", data=J_data)
        K_data = T.allocate_const([1, 3], "int32", [2])
        K = T.Buffer((2,), "int32", data=K_data)
        A[0] = J[0] + K[0]

    @T.prim_func
    def b(A: T.Buffer((2,), "int32")):
        K_data = T.allocate_const([1, 3], "int32", [2])
        K = T.Buffer((2,), "int32", data=K_data)
        L_data = T.allocate_const([1, 3], "uint32", [2])
        L = T.Buffer((2,), "uint32", data=L_data)
        A[0] = K[0] + T.Cast("int32", L[1])
`
	m, found := parse.Module("text.py", text, parse.Options{})
	if len(found) > 0 {
		t.Fatal(found[0])
	}
	out, _ := passtest.Check(t, passtest.NewContext(), tirpass.ExtractPrimFuncConstants, m)
	list, _ := out.Attrs().Get("constants")
	if n := len(list.([]ir.Value)); n != 3 {
		t.Fatalf("%d constants, want 3", n)
	}
	for i, want := range []int64{2, 3, 3} {
		if got := list.([]ir.Value)[i].(*relax.Constant).Data.Elem(1)[0]; int64(got) != want {
			t.Errorf("constant %d has %d, want %d", i, got, want)
		}
	}
}
