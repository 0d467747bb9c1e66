package parse_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/parse"
)

// inPrimFunc is a PrimFunc with some names and a statement.
func inPrimFunc(s string) string {
	return "@T.prim_func\ndef f(A: T.Buffer((8, 8), \"float32\"), n: T.int32):\n    with T.block(\"b\"):\n        " + s + "\n"
}

func inFunction(s string) string {
	return "@R.function\ndef f(x: R.Tensor((4, 4), \"float32\"), n: R.Prim(\"int64\")):\n    y = " + s + "\n    return y\n"
}

// TestArgumentForms gives the same arguments by position, by name, by older names and by a star: the
// modules are equal.
func TestArgumentForms(t *testing.T) {
	for _, forms := range [][]string{
		{inPrimFunc("A[0, 0] = T.Select(n > 0, A[0, 1], 0)"), inPrimFunc("A[0, 0] = T.Select(false_value=0, condition=n > 0, true_value=A[0, 1])"), inPrimFunc("A[0, 0] = T.Select(*[n > 0, A[0, 1], 0])"), inPrimFunc("A[0, 0] = T.Select(n > 0, A[0, 1], 0, None)"), inPrimFunc("A[0, 0] = T.Select(n > 0, A[0, 1], 0, span=None)")},
		{inPrimFunc("T.evaluate(T.call_extern(\"int32\", \"g\", n))"), inPrimFunc("T.evaluate(T.call_extern(\"g\", n, dtype=\"int32\"))")},
		{inPrimFunc("T.evaluate(T.reinterpret(\"float32\", n))"), inPrimFunc("T.evaluate(T.reinterpret(n, dtype=\"float32\"))"), inPrimFunc("T.evaluate(T.reinterpret(value=n, dtype=\"float32\"))")},
		{inPrimFunc("T.evaluate(T.exp(A[0, 0]))"), inPrimFunc("T.evaluate(T.exp(x=A[0, 0]))"), inPrimFunc("T.evaluate(T.exp(A[0, 0], dtype=\"float32\"))")},
		{inPrimFunc("B = T.alloc_buffer((4,), \"float32\")"), inPrimFunc("B = T.alloc_buffer([4], dtype=\"float32\", scope=\"global\", data=None)"), inPrimFunc("B = T.sblock_alloc_buffer(4)")},
		{inPrimFunc("T.evaluate(T.dp4a(n, n, n))"), inPrimFunc("T.evaluate(T.dp4a(\"int32\", n, n, n))"), inPrimFunc("T.evaluate(T.dp4a(n, n, acc=n))")},
		{inPrimFunc("T.evaluate(T.simdgroup_load(A.data, 0, A.data, 8))"), inPrimFunc("T.evaluate(T.simdgroup_load(A.data, 0, A.data, 8, 8, 8, False))"), inPrimFunc("T.evaluate(T.metal.simdgroup_load(A.data, 0, A.data, 8))")},
		{inPrimFunc("T.evaluate(T.ptx_cp_async(\"float16\", A.data, 0, A.data, 8, 16))"), inPrimFunc("T.evaluate(T.s_tir.cp_async_raw(\"float16\", A.data, 0, A.data, 8, 16))")},
		{inPrimFunc("T.evaluate(T.ptx_wait_group(0))"), inPrimFunc("T.evaluate(T.ptx.cp.async_.wait_group(0))")},
		{inPrimFunc("v = T.Var(\"v\", \"int32\")\n        T.evaluate(v + A.shape[0])"), inPrimFunc("v = T.Var(\"v\", ty=\"int32\")\n        T.evaluate(v + A.ty.shape[0])")},
		{inPrimFunc("return n"), inPrimFunc("T.Return(n)")},
		{inPrimFunc("with T.attr(0, \"pragma_x\", 1):\n            T.evaluate(n)"), inPrimFunc("with T.attr(T.int32(0), \"pragma_x\", 1):\n            T.evaluate(n)")},
		{inPrimFunc("t = T.env_thread(\"threadIdx.x\")\n        with T.launch_thread(t, 4):\n            T.evaluate(t)"), inPrimFunc("t = T.env_thread(\"threadIdx.x\")\n        with T.attr(t, \"thread_extent\", 4):\n            T.evaluate(t)")},
		{inFunction("R.sum(x, [1], True)"), inFunction("R.sum(x, axis=[1], keepdims=True)"), inFunction("R.sum(keepdims=True, x=x, axis=1)")},
		{inFunction("R.call_dps_packed(\"g\", (x,), R.Tensor((4,), \"float32\"))"), inFunction("R.call_dps_packed(\"g\", x, out_sinfo=R.Tensor((4,), \"float32\"))"), inFunction("R.call_dps_packed(func=\"g\", args=(x,), out_ty=[R.Tensor((4,), \"float32\")])")},
		{inFunction("R.call_packed(\"g\", x, k=1, sinfo_args=R.Object())"), inFunction("R.call_packed(\"g\", *[x], k=1, ty_args=[R.Object])")},
		{inFunction("R.match_cast(x, R.Tensor((\"m\", 4), \"float32\"))"), inFunction("R.match_cast(value=x, ty=R.Tensor((\"m\", 4), \"float32\"))")},
		{inFunction("R.print(x, format=\"{}\")"), inFunction("R.print(R.str(\"{}\"), x)")},
		{inFunction("R.assert_op(R.const(True), x, format=\"\")"), inFunction("R.assert_op(R.const(True), [x])")},
		{inFunction("R.arange(4)"), inFunction("R.arange(0, 4, 1, \"int64\")"), inFunction("R.arange(start=0, end=4, dtype=\"int64\")")},
		{inFunction("R.hint_on_device(x, R.cuda(1))"), inFunction("R.hint_on_device(x, 2, 1)"), inFunction("R.hint_on_device(x, device_type=R.device(\"cuda\", 1))")},
		{inFunction("R.linear(x, x, x)"), inFunction("R.linear(x, weight=x, bias=x)")},
		{inFunction("R.nn.relu6(x)"), inFunction("R.clip(x, 0, 6)")},
		{inFunction("R.shape([2, 4])"), inFunction("R.ShapeExpr([2, 4])")},
	} {
		var first *ir.Module
		for _, text := range forms {
			m, diags := parse.Module("t.py", text, parse.Options{})
			if len(diags) > 0 {
				t.Errorf("%s\n%s", diags[0].Format(), text)
				continue
			}
			if first == nil {
				first = m
			} else if d := ir.FirstModuleMismatch(first, m, ir.EqualOpts{MapFreeVars: true}); d != nil {
				t.Errorf("%s\nis not\n%s\n%s", text, forms[0], d)
			}
		}
	}
}

// TestArgumentErrors gives arguments wrongly: each error says what was expected, at its place.
func TestArgumentErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{inPrimFunc("T.evaluate()"), "4:9: T.evaluate needs its argument value; it takes value"},
		{inPrimFunc("T.evaluate(n, n)"), "4:23: T.evaluate takes at most 1 argument, got 2; it takes value"},
		{inPrimFunc("T.init(n)"), "4:16: T.init takes no arguments, got 1; "},
		{inPrimFunc("T.evaluate(n, value=n)"), "4:29: T.evaluate is given its argument value twice; "},
		{inPrimFunc("T.evaluate(valeu=n)"), "4:20: T.evaluate has no argument valeu; did you mean value?"},
		{inPrimFunc("T.block(name=3)"), "4:22: the argument name must be a string, got 3; "},
		{inPrimFunc("T.block(no_realize=\"x\")"), `4:28: the argument no_realize must be True or False, got "x"; `},
		{inPrimFunc("B = T.allocate([4], \"float32\", annotations={\"tirx.a\": 1, \"tir.a\": 2})"), `4:52: the annotations "tir.a" and "tirx.a" are the same one; leave out one of them`},
		{inPrimFunc("B = T.alloc_buffer((4,), align=\"x\")"), `4:40: the argument align must be an integer, got "x"; `},
		{inPrimFunc("T.buffer_store(n, 1, [0])"), "4:24: expected a buffer, got the variable n; "},
		{inPrimFunc("T.evaluate(T.Cast(3, n))"), `4:27: expected an element type, got 3; element types are strings such as "float32"`},
		{inPrimFunc("T.block_attr(3)"), "4:22: expected a dictionary of attributes, got 3; "},
		{inPrimFunc("T.evaluate(T.exp())"), "4:20: T.exp needs its argument x; it takes x"},
		{inPrimFunc("T.evaluate(T.call_extern())"), `4:20: T.call_extern needs the type of its result; give it by name, as in dtype="float32"`},
		{inPrimFunc("T.evaluate(A.vload())"), "4:20: A.vload needs its argument begin; it takes begin, dtype, predicate"},
		{inPrimFunc("T.evaluate(A.vlod([0, 0]))"), `4:20: a buffer has no attribute "vlod"; did you mean .vload?`},
		{inPrimFunc("T.evaluate(len(n))"), "4:24: expected a list or a tuple, got the variable n; "},
		{inPrimFunc("T.evaluate(int(\"x\"))"), `4:24: int takes a number that is known while the text is read, got "x"; `},
		{inPrimFunc("T.blok(\"b\")"), `4:9: T has no "blok"; did you mean T.block?`},
		{inPrimFunc("T.evaluate(tvm.foo(1))"), "4:20: tvm.foo cannot be called from a script; values of the host program are defined for the run (define NAME=VALUE)"},
		{inPrimFunc("T.If(n)"), "4:9: T.If cannot be read from text; write the statement in Python's form"},
		{inFunction("T.grid(4)"), "3:9: T.grid can only stand in a PrimFunc; "},
		{inFunction("R.add(x)"), "3:9: R.add needs its argument x2; it takes x1, x2"},
		{inFunction("R.add(x, x, x)"), "3:21: R.add takes at most 2 arguments, got 3; it takes x1, x2"},
		{inFunction("R.sum(x, axes=1)"), "3:18: R.sum has no argument axes; did you mean axis?"},
		{inFunction("R.call_tir(\"g\", x)"), "3:9: R.call_tir needs the struct info of its result; add out_sinfo=R.Tensor(...)"},
		{inFunction("R.ad(x)"), "3:9: unknown operator R.ad; did you mean R.add?"},
		{inFunction("I.module_attrs({})"), "3:9: I.module_attrs can only stand in a module; "},
		{"@I.ir_module\nclass M:\n    R.func_attr({})\n", "3:5: R.func_attr cannot stand in a module; "},
		{"@T.prim_func\ndef f(A: T.Buffer((A,), \"float32\")):\n    T.evaluate(A[0])\n", "2:20: undefined name \"A\"; define it before it is used, or define A=... for the run"},
		{"@T.macro\ndef m(a, b):\n    T.evaluate(a)\n" + inPrimFunc("m(n)"), "7:9: m needs its argument b; it takes a, b"},
	} {
		_, diags := parse.File("t.py", c.text, parse.Options{})
		if len(diags) == 0 {
			t.Errorf("no error in\n%s\nwant %s", c.text, c.want)
			continue
		}
		d := diags[0]
		if got := strings.TrimPrefix(d.Span.String(), "t.py:") + ": " + d.Message + "; " + d.Help; got != c.want {
			t.Errorf("the error is\n%s\nwant\n%s", got, c.want)
		}
	}
}
