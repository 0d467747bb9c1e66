package tirpass_test

import (
	"context"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestPackedArguments checks what is asserted of arguments of each kind, and how they are read.
func TestPackedArguments(t *testing.T) {
	for _, c := range []struct {
		name, params, body string
		want               []string // lines in this order
		not                string
	}{
		{"no parameter", "", "T.evaluate(0)", []string{
			`assert num_args == 0, "kernel: num_args should be 0"`, "T.ret(0)",
		}, "args pointer"},
		{"an integer", "n: T.int64", "T.evaluate(n)", []string{
			`assert num_args == 1, "kernel: num_args should be 1"`, `assert not T.isnullptr(args), "kernel: args pointer is NULL"`,
			`n_type_index: T.int32 = T.tvm_struct_get(args, 0, 13, "int32")`,
			`assert n_type_index == 1 or n_type_index == 2, "kernel: Expect arg[0] to be int"`,
			`n: T.int64 = T.tvm_struct_get(args, 0, 15, "int64")`,
		}, ""},
		{"a bool and a float", "b: T.bool, x: T.float64", "T.evaluate(x)", []string{
			`assert b_type_index == 2 or b_type_index == 1, "kernel: Expect arg[0] to be boolean"`,
			`x_type_index: T.int32 = T.tvm_struct_get(args, 1, 13, "int32")`,
			`assert x_type_index == 3 or x_type_index == 1 or x_type_index == 2, "kernel: Expect arg[1] to be float"`,
			`b: T.bool = T.Cast("bool", T.tvm_struct_get(args, 0, 15, "int64"))`,
			`x: T.float64 = T.Select(x_type_index == 3, T.tvm_struct_get(args, 1, 15, "float64"), T.Cast("float64", T.tvm_struct_get(args, 1, 15, "int64")))`,
		}, ""},
		{"a pointer", "p: T.handle", "T.evaluate(p)", []string{
			`assert p_type_index == 0 or p_type_index == 4 or p_type_index == 7 or p_type_index == 70, "kernel: Expect arg[0] to be pointer"`,
			`p: T.handle = T.tvm_struct_get(args, 0, 15, "handle")`,
		}, ""},
		{"two tensors with one extent", "a: T.handle, b: T.handle", `n = T.int32()
    A = T.match_buffer(a, (n, 4), "int8")
    B = T.match_buffer(b, (n,), "uint16")
    T.evaluate(n)`, []string{
			`assert a_type_index == 7 or a_type_index == 70, "kernel: Expect arg[0] to be pointer"`,
			`A_handle: T.handle = T.tvm_struct_get(args, 0, 15, "handle")`,
			`B_handle: T.handle = T.tvm_struct_get(args, 1, 15, "handle")`,
			`assert T.tvm_struct_get(A_handle, 0, 4, "int32") == 2, "kernel.a.ndim is expected to equal 2"`,
			`assert T.tvm_struct_get(A_handle, 0, 5, "uint8") == T.uint8(0) and T.tvm_struct_get(A_handle, 0, 6, "uint8") == T.uint8(8) and T.tvm_struct_get(A_handle, 0, 7, "uint16") == T.uint16(1), "kernel.a.dtype is expected to be int8"`,
			`n: T.int32 = T.Cast("int32", A_shape_1[0])`,
			`assert 4 == T.Cast("int32", A_shape_1[1]), "Argument kernel.a.shape[1] has an unsatisfied constraint: 4 == shape[1]"`,
			`assert T.isnullptr(T.tvm_struct_get(A_handle, 0, 3, "handle")), "kernel.a.strides: expected to be compact array"`,
			`assert T.tvm_struct_get(A_handle, 0, 8, "uint64") == T.uint64(0), "Argument kernel.a.byte_offset has an unsatisfied constraint: 0 == byte_offset"`,
			`A: T.handle("int8") = T.tvm_struct_get(A_handle, 0, 1, "handle")`, `T.attr(A, "storage_alignment", 64)`,
			`assert T.tvm_struct_get(B_handle, 0, 5, "uint8") == T.uint8(1) and T.tvm_struct_get(B_handle, 0, 6, "uint8") == T.uint8(16)`,
			`assert n == T.Cast("int32", B_shape_1[0]), "Argument kernel.b.shape[0] has an unsatisfied constraint: n == shape[0]"`,
			`B: T.handle("uint16") = T.tvm_struct_get(B_handle, 0, 1, "handle")`,
			`A_1 = T.decl_buffer((n, 4), "int8", data=A)`, `B_1 = T.decl_buffer((n,), "uint16", data=B)`,
		}, ""},
		{"no dimension", "A: T.Buffer((), \"float32\")", "T.evaluate(0)", []string{
			`== 0, "kernel.A_handle.ndim is expected to equal 0"`, `A: T.handle("float32")`,
		}, "A_shape"},
		{"strides that are known and found", "a: T.handle", `s = T.int32()
    A = T.match_buffer(a, (2, 3), "float32", strides=(s, 1))
    T.evaluate(s)`, []string{
			`assert not T.isnullptr(T.tvm_struct_get(A_handle, 0, 3, "handle")), "kernel.a.strides: expected to be given"`,
			`A_strides: T.handle("int64") = T.tvm_struct_get(A_handle, 0, 3, "handle")`,
			`s: T.int32 = T.Cast("int32", A_strides_1[0])`,
			`assert 1 == T.Cast("int32", A_strides_1[1]), "Argument kernel.a.strides[1] has an unsatisfied constraint: 1 == strides[1]"`,
		}, "compact array"},
		{"an offset that is found", "a: T.handle", `off = T.int32()
    A = T.match_buffer(a, (2,), "float64", elem_offset=off)
    T.evaluate(off)`, []string{
			`off: T.int32 = T.Cast("int32", T.tvm_struct_get(A_handle, 0, 8, "uint64")) // 8`,
		}, "byte offset"},
		{"an offset that is known", "a: T.handle", `A = T.match_buffer(a, (2,), "float32", elem_offset=3)
    T.evaluate(0)`, []string{
			`assert T.tvm_struct_get(A_handle, 0, 8, "uint64") == T.uint64(12), "Argument kernel.a.byte_offset has an unsatisfied constraint: 12 == byte_offset"`,
		}, ""},
		{"an offset that another parameter tells", "a: T.handle, k: T.int32", `A = T.match_buffer(a, (2,), "float32", elem_offset=k)
    T.evaluate(k)`, []string{
			`assert T.Cast("uint64", k) * T.uint64(4) == T.tvm_struct_get(A_handle, 0, 8, "uint64"), "Argument kernel.a.byte_offset has an unsatisfied constraint: `,
		}, ""},
		{"an extent before what defines it", "a: T.handle, b: T.handle", `n = T.int32()
    A = T.match_buffer(a, (n * 2,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    T.evaluate(n)`, []string{
			`A: T.handle("float32") = T.tvm_struct_get(A_handle, 0, 1, "handle")`, `n: T.int32 = T.Cast("int32", B_shape_1[0])`,
			`assert n * 2 == T.Cast("int32", A_shape_1[0]), "Argument kernel.a.shape[0] has an unsatisfied constraint: n * 2 == shape[0]"`,
			`A_1 = T.decl_buffer((n * 2,), data=A)`,
		}, ""},
		{"a float as the result", "A: T.Buffer((4,), \"float32\")", "T.evaluate(T.ret(A[0]))", []string{
			`T.tvm_struct_set(result, 0, 13, 3)`, `T.tvm_struct_set(result, 0, 14, 0)`, `T.tvm_struct_set(result, 0, 15, T.Cast("float64", A_1[0]))`, `T.ret(0)`, `T.ret(0)`,
		}, ""},
		{"an integer as the result", "n: T.int32", "T.evaluate(T.ret(n))", []string{
			`T.tvm_struct_set(result, 0, 13, 1)`, `T.tvm_struct_set(result, 0, 15, T.Cast("int64", n))`, `T.ret(0)`, `T.ret(0)`,
		}, ""},
		{"a pointer as the result", "p: T.handle", "T.evaluate(T.ret(p))", []string{
			`T.tvm_struct_set(result, 0, 13, 4)`, `T.tvm_struct_set(result, 0, 15, p)`, `T.ret(0)`, `T.ret(0)`,
		}, ""},
		{"evaluations that return nothing", "n: T.int32", "T.evaluate(T.call_extern(\"int32\", \"f\", n))", []string{
			`T.call_extern("int32", "f", n)`, `T.ret(0)`,
		}, "tvm_struct_set"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parseFunc(t, "@T.prim_func\ndef kernel("+c.params+"):\n    "+c.body)
			g := funcOf(mustPass(t, tirpass.MakePackedAPI, f))
			wellFormed(t, c.name, g)
			text := print(g)
			rest := text
			for _, w := range append([]string{"def kernel(self_handle: T.handle, args: T.handle, num_args: T.int32, result: T.handle(\"void\")) -> T.int32:", `T.func_attr({"calling_conv": 1})`}, c.want...) {
				_, after, ok := strings.Cut(rest, w)
				if !ok {
					t.Fatalf("%s\nis not in, or not in its place in\n%s", w, text)
				}
				rest = after
			}
			if c.not != "" && strings.Contains(text, c.not) {
				t.Errorf("%s is in\n%s", c.not, text)
			}
			if again := mustPass(t, tirpass.MakePackedAPI, g); funcOf(again) != g {
				t.Errorf("a second run makes\n%s", print(funcOf(again)))
			}
		})
	}
}

// TestPackedRefusals checks the errors of functions that cannot be packed.
func TestPackedRefusals(t *testing.T) {
	nothing := tir.NewVar("v", dtype.Void)
	many := make([]any, 1025)
	for i := range many {
		many[i] = index("n")
	}
	for _, c := range []struct {
		f    *tir.PrimFunc
		want string
	}{
		{fn(tir.NoOp(), nothing), "parameter v of type void has no packed form"},
		{fn(tir.NoOp(), many...), "kernel has 1025 parameters, more than the 1024 that can be passed: combine tensors"},
		{fn(tir.NoOp(), many[1:]...), ""},
	} {
		_, err := passtest.NewContext().Run(tirpass.MakePackedAPI, moduleOf(c.f))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	// A function without an entry for each parameter has no tensors.
	bare := &tir.PrimFunc{Params: []*tir.Var{index("n")}, Body: tir.NoOp(), RetType: ir.VoidType(), Attrs: ir.NewAttrs(ir.AttrGlobalSymbol, "kernel")}
	if text := print(funcOf(mustPass(t, tirpass.MakePackedAPI, bare))); !strings.Contains(text, "Expect arg[0] to be int") {
		t.Errorf("got\n%s", text)
	}
	// Without a name for others, or packed already, a function stays as it is.
	for _, attrs := range []*ir.Attrs{nil, ir.NewAttrs(ir.AttrGlobalSymbol, "kernel", ir.AttrCallingConv, 1)} {
		f := fn(tir.NoOp(), index("n")).WithFuncAttrs(attrs).(*tir.PrimFunc)
		if g := funcOf(mustPass(t, tirpass.MakePackedAPI, f)); g != f {
			t.Errorf("got\n%s", print(g))
		}
	}
}

// TestBindTarget notes the target of the option, of the run, or keeps that of the function.
func TestBindTarget(t *testing.T) {
	f := fn(tir.NoOp())
	for _, c := range []struct {
		option string
		f      *tir.PrimFunc
		want   string
		fails  string
	}{
		{"", f, "wasm", ""},
		{"wasm -mattr=-simd128", f, "wasm -mattr=-simd128", ""},
		{"", f.WithFuncAttrs(f.Attrs.With(ir.AttrTarget, "metal")).(*tir.PrimFunc), "metal", ""},
		{"nothing -x=", f, "", "option target: "},
	} {
		p, err := tirpass.BindTarget.With(ir.NewAttrs("target", c.option))
		if err != nil {
			t.Fatal(err)
		}
		out, err := passtest.NewContext().Run(p, moduleOf(c.f))
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("target %q: got %v, want %s", c.option, err, c.fails)
			}
		case err != nil:
			t.Errorf("target %q: %v", c.option, err)
		default:
			if got := funcOf(out).Attrs.Str(ir.AttrTarget, ""); got != c.want {
				t.Errorf("target %q: the function has %q, want %q", c.option, got, c.want)
			}
		}
	}
	bare, err := pass.NewContext(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bare.Run(tirpass.BindTarget, moduleOf(f)); err == nil || !strings.Contains(err.Error(), "no target is set: give one, such as wasm") {
		t.Errorf("without a target: %v", err)
	}
}

// TestAnnotateEntry marks the only function, or the only public one.
func TestAnnotateEntry(t *testing.T) {
	const key = "tir.is_entry_func"
	public, private := fn(tir.NoOp()), fn(tir.NoOp()).WithFuncAttrs(nil)
	entry := public.WithFuncAttrs(public.Attrs.With(key, true))
	for _, c := range []struct {
		name string
		m    *ir.Module
		want string // the entry
	}{
		{"one", ir.NewModule().With("f", public), "f"},
		{"one private", ir.NewModule().With("f", private), "f"},
		{"one public", ir.NewModule().With("f", private).With("g", public).With("h", private), "g"},
		{"two public", ir.NewModule().With("f", public).With("g", public), ""},
		{"no public", ir.NewModule().With("f", private).With("g", private), ""},
		{"none", ir.NewModule(), ""},
		{"marked", ir.NewModule().With("f", entry), "f"},
	} {
		out, err := passtest.NewContext().Run(tirpass.AnnotateEntryFunc, c.m)
		if err != nil {
			t.Fatal(err)
		}
		for gv, f := range out.Funcs() {
			if got := f.FuncAttrs().Bool(key, false); got != (gv.Name == c.want) {
				t.Errorf("%s: %s is marked: %v", c.name, gv.Name, got)
			}
		}
		if (c.want == "" || c.name == "marked") && out != c.m {
			t.Errorf("%s: the module is another one", c.name)
		}
	}
}
