package tirpass_test

import (
	"context"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestVerifyMemoryUsesTheTargetOfTheFunction verifies functions under a context for wasm.
func TestVerifyMemoryUsesTheTargetOfTheFunction(t *testing.T) {
	loop := "    for i in range(128):\n        B[i] = A[i]"
	bound := "    for i in T.thread_binding(128, thread=\"threadIdx.x\"):\n        B[i] = A[i]"
	own := "    C = T.alloc_buffer((128,), \"float32\")\n    for i in range(128):\n        C[i] = T.float32(1)"
	for _, c := range []struct{ name, target, body, want string }{
		{"plain loop for cuda", `T.target("cuda")`, loop, "accesses buffer B of target cuda outside of its threads"},
		{"plain loop for cuda in JSON", `T.target({"kind": "cuda", "arch": "sm_80"})`, loop, "target cuda"},
		{"with options", `T.target("vulkan -max_num_threads=256")`, loop, "target vulkan"},
		{"bound to a thread", `T.target("cuda")`, bound, ""},
		{"memory of its own", `T.target("cuda")`, own, ""},
		{"for the CPU", `T.target("llvm")`, loop, ""},
		{"without a target of its own", ``, loop, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			attrs := ""
			if c.target != "" {
				attrs = "    T.func_attr({\"target\": " + c.target + "})\n"
			}
			f := parseFunc(t, "@T.prim_func\ndef kernel(A: T.Buffer((128,), \"float32\"), B: T.Buffer((128,), \"float32\")):\n"+attrs+c.body)
			_, err := passtest.NewContext().Run(tirpass.VerifyMemory, moduleOf(f))
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "kernel")):
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestSplitHostDevice compares with what TVM writes.
func TestSplitHostDevice(t *testing.T) {
	for _, c := range []struct{ name, before, want string }{
		{"for a device", `
    @T.prim_func
    def main(n: T.int32):
        T.func_attr({"target": T.target("cuda", host="llvm -opt-level=0")})
        T.attr(T.target("cuda", host="llvm"), "target", 0)
        T.evaluate(n)`, `
    @T.prim_func
    def main(n: T.int32):
        T.func_attr({"target": T.target("cuda", host="llvm -opt-level=0")})
        cls.main_kernel(n)

    @T.prim_func(private=True)
    def main_kernel(n: T.int32):
        T.func_attr({"target": T.target("cuda"), "tir.noalias": True, "tir.is_global_func": True})
        T.evaluate(n)`},
		{"for a CPU", `
    @T.prim_func
    def main(n: T.int32):
        T.func_attr({"target": T.target("cuda")})
        T.attr(T.target("llvm"), "target", 0)
        T.evaluate(n)`, `
    @T.prim_func
    def main(n: T.int32):
        T.func_attr({"target": T.target("cuda")})
        err: T.int32 = cls.main_kernel(n)
        assert err == 0, "Error executing compute kernel"

    @T.prim_func(private=True)
    def main_kernel(n: T.int32) -> T.int32:
        T.func_attr({"target": T.target("llvm"), "tir.noalias": True, "tir.is_global_func": True})
        T.evaluate(n)
        return 0`},
		{"a name that is taken", `
    @T.prim_func
    def main(n: T.int32):
        T.attr(T.target("cuda"), "target", 0)
        T.evaluate(n)

    @T.prim_func
    def main_kernel():
        T.evaluate(0)`, `
    @T.prim_func
    def main(n: T.int32):
        cls.main_kernel_1(n)

    @T.prim_func(private=True)
    def main_kernel_1(n: T.int32):
        T.func_attr({"target": T.target("cuda"), "tir.noalias": True, "tir.is_global_func": True})
        T.evaluate(n)

    @T.prim_func
    def main_kernel():
        T.evaluate(0)`},
		{"buffers", `
    @T.prim_func
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), k: T.int32):
        with T.attr(T.target({"kind": "cuda", "host": {"kind": "llvm"}}), "target", 0):
            tx = T.launch_thread("threadIdx.x", 16)
            B[tx] = A[tx] + k`, `
    @T.prim_func
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), k: T.int32):
        cls.main_kernel(A.data, B.data, k)

    @T.prim_func(private=True)
    def main_kernel(A_data: T.handle("int32"), B_data: T.handle("int32"), k: T.int32):
        T.func_attr({"target": "cuda", "tir.noalias": True, "tir.is_global_func": True})
        A = T.decl_buffer((16,), "int32", data=A_data)
        B = T.decl_buffer((16,), "int32", data=B_data)
        tx = T.launch_thread("threadIdx.x", 16)
        B[tx] = A[tx] + k`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, want := parseModule(t, c.before), parseModule(t, c.want)
			got, err := passtest.NewContext().Run(tirpass.SplitHostDevice, before)
			if err != nil {
				t.Fatal(err)
			}
			for gv, fn := range got.Funcs() {
				for _, d := range tir.Verify(gv.Name, fn.(*tir.PrimFunc)) {
					t.Error(d)
				}
				if w := want.Lookup(gv.Name); w == nil || !ir.StructuralEqual(fn, w, ir.EqualOpts{}) {
					t.Errorf("%s differs: got\n%s\nwant\n%s", gv.Name, script.Module(got, script.Options{}).Source, script.Module(want, script.Options{}).Source)
				}
			}
		})
	}
}

func parseModule(t *testing.T, functions string) *ir.Module {
	t.Helper()
	m, found := parse.Module("text.py", "@I.ir_module\nclass Module:"+functions+"\n", parse.Options{})
	for _, d := range found {
		t.Fatalf("%s", d.Format())
	}
	return m
}

// TestSplitHostDeviceFreeVariables checks which variables and buffers become parameters of the kernel.
func TestSplitHostDeviceFreeVariables(t *testing.T) {
	for _, c := range []struct{ name, before, call, kernel string }{
		{"variables that the part defines", `
        with T.attr(T.target("cuda"), "target", 0):
            for i in range(n):
                with T.LetStmt(i + m) as x:
                    T.evaluate(x)
            y = T.int32()
            T.evaluate(T.Let(y + y, where={y: m}))
            c = T.allocate([4], "int32", "global")
            C = T.decl_buffer((4,), "int32", data=c)
            C[0] = n
            d = T.allocate_const([1], "int32", [1])
            D = T.decl_buffer((1,), "int32", data=d)
            C[1] = D[0]`, "cls.main_kernel(m, n)", "def main_kernel(m: T.int32, n: T.int32):"},
		{"pointers first, then by name", `
        with T.attr(T.target("cuda"), "target", 0):
            B[n] = A[m]`, "cls.main_kernel(A.data, B.data, m, n)", "def main_kernel(A: T.handle(\"int32\"), B: T.handle(\"int32\"), m: T.int32, n: T.int32):"},
		{"variables of shapes", `
        with T.attr(T.target("cuda"), "target", 0):
            S = T.decl_buffer((m * 2, 4), "int32", data=A.data)
            S[0, 0] = 1`, "cls.main_kernel(A.data, m)", "def main_kernel(A: T.handle(\"int32\"), m: T.int32):"},
		{"what a block allocates and matches", `
        with T.attr(T.target("cuda"), "target", 0):
            with T.block("b"):
                T.reads()
                T.writes()
                C = T.alloc_buffer((4,), "int32")
                V = T.match_buffer(A[0:4], (4,), "int32", offset_factor=1)
                C[0] = V[0]`, "cls.main_kernel(A.data)", "def main_kernel(A: T.handle(\"int32\")):"},
		{"threads", `
        with T.attr(T.target("cuda"), "target", 0):
            tx = T.launch_thread("threadIdx.x", n)
            A[tx] = A[tx] + m`, "cls.main_kernel(A.data, m, n)", "def main_kernel(A: T.handle(\"int32\"), m: T.int32, n: T.int32):"},
		{"marks inside of marks go along", `
        with T.attr(T.target("cuda"), "target", 0):
            A[0] = n
            with T.attr(T.target("llvm"), "target", 0):
                A[1] = m`, "cls.main_kernel(A.data, m, n)", "T.attr(\"llvm\", \"target\", 0)"},
	} {
		m := parseModule(t, `
    @T.prim_func
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), n: T.int32, m: T.int32, p: T.int32):`+c.before)
		got, err := passtest.NewContext().Run(tirpass.SplitHostDevice, m)
		if err != nil {
			t.Fatal(err)
		}
		text := script.Module(got, script.Options{}).Source
		for _, want := range []string{c.call, c.kernel} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: want %s in\n%s", c.name, want, text)
			}
		}
		for gv, f := range got.Funcs() {
			for _, d := range tir.Verify(gv.Name, f.(*tir.PrimFunc)) {
				t.Errorf("%s: %v\n%s", c.name, d, text)
			}
			ir.Walk(f.(*tir.PrimFunc).Body, func(n ir.Node) bool {
				if e, ok := n.(*tir.Evaluate); ok && e.Span == nil {
					t.Errorf("%s: %s: an evaluation has lost its place in the text", c.name, gv.Name)
				}
				return true
			})
		}
		if again, err := passtest.NewContext().Run(tirpass.SplitHostDevice, got); err != nil || c.name[:5] != "marks" && again != got {
			t.Errorf("%s: a second run changes the module: %v", c.name, err)
		}
	}
}

// TestSplitHostDeviceMarks checks marks that are no text, other attributes, and several parts.
func TestSplitHostDeviceMarks(t *testing.T) {
	a, i := floats("A", 4), index("i")
	mark := func(node ir.Node, body tir.Stmt) tir.Stmt {
		return &tir.AttrStmt{Node: node, Key: ir.AttrTarget, Value: tir.Int32(0), Body: body}
	}
	bad := moduleOf(fn(tir.Seq(mark(i, store(a, f32(1), n(0))), mark(a.Data, store(a, f32(1), n(0)))), a, i))
	if _, err := passtest.NewContext().Run(tirpass.SplitHostDevice, bad); err == nil || !strings.Contains(err.Error(), "kernel: a part is marked with a target that is not a string but a *tir.Var") {
		t.Errorf("got %v", err)
	}
	cuda := &tir.StringImm{Value: "cuda"}
	parts := fn(tir.Seq(mark(cuda, store(a, f32(1), n(0))), mark(cuda, store(a, f32(2), n(1))), mark(cuda, store(a, f32(3), n(2)))), a)
	out, err := passtest.NewContext().Run(tirpass.SplitHostDevice, moduleOf(parts))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kernel_kernel", "kernel_kernel_1", "kernel_kernel_2"} {
		if out.Lookup(name) == nil {
			t.Errorf("there is no %s", name)
		}
	}
	// Without a name for others the name in the module counts.
	private := parts.WithFuncAttrs(nil)
	if out, err = passtest.NewContext().Run(tirpass.SplitHostDevice, ir.NewModule().With("f", private)); err != nil || out.Lookup("f_kernel") == nil {
		t.Errorf("there is no f_kernel: %v", err)
	}
}

// TestVerifyMemoryFindsAccesses looks for accesses of memory of the arguments outside of threads.
func TestVerifyMemoryFindsAccesses(t *testing.T) {
	for _, c := range []struct{ name, body, bad string }{
		{"a load", "C = T.decl_buffer((4,), \"int32\")\n    C[0] = A[0]", "A"},
		{"a store", "B[0] = 1", "B"},
		{"the first of several", "A[0] = 1\n    B[0] = 1", "A"},
		{"through a pointer", "P = T.decl_buffer((4,), \"int32\", data=p)\n    P[0] = 1", "P"},
		{"memory of its own", "C = T.decl_buffer((4,), \"int32\")\n    C[0] = 1", ""},
		{"in a loop bound to a thread", "for i in T.thread_binding(4, thread=\"threadIdx.x\"):\n        A[i] = B[i]", ""},
		{"in a launched thread", "with T.launch_thread(\"threadIdx.x\", 4) as tx:\n        A[tx] = B[tx]", ""},
		{"in a pipeline", "with T.attr(0, \"pipeline_exec_scope\", 1):\n        A[0] = 1", ""},
		{"in another attribute", "with T.attr(0, \"key\", 1):\n        A[0] = 1", "A"},
		{"in a parallel loop", "for i in T.parallel(4):\n        A[i] = 1", "A"},
		{"after the threads", "with T.launch_thread(\"threadIdx.x\", 4) as tx:\n        A[tx] = B[tx]\n    B[0] = 1", "B"},
	} {
		f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), n: T.int32, p: T.handle("int32")):
    T.func_attr({"target": T.target("cuda")})
    `+c.body)
		want := ""
		if c.bad != "" {
			want = "kernel accesses buffer " + c.bad + " of target cuda outside of its threads: bind a loop around the access to a thread, e.g. with T.thread_binding or bind of a schedule"
		}
		_, err := passtest.NewContext().Run(tirpass.VerifyMemory, moduleOf(f))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", c.name, err, want)
		}
		packed := f.WithFuncAttrs(f.Attrs.With(ir.AttrCallingConv, 1)).(*tir.PrimFunc)
		if _, err := passtest.NewContext().Run(tirpass.VerifyMemory, moduleOf(packed)); err != nil {
			t.Errorf("%s, packed: %v", c.name, err)
		}
	}
}

// TestVerifyMemoryWithoutTarget accepts a function of no target in a run for none, and refuses one for a device.
func TestVerifyMemoryWithoutTarget(t *testing.T) {
	c, err := pass.NewContext(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	a := floats("A", 4)
	f := fn(store(a, f32(1), n(0)), a)
	if _, err := c.Run(tirpass.VerifyMemory, moduleOf(f)); err != nil {
		t.Errorf("without a target: %v", err)
	}
	device := f.WithFuncAttrs(f.Attrs.With(ir.AttrTarget, "cuda -x"))
	if _, err := c.Run(tirpass.VerifyMemory, ir.NewModule().With("kernel", device)); err == nil || !strings.Contains(err.Error(), "buffer A of target cuda outside") {
		t.Errorf("for a device: %v", err)
	}
}

// TestTargetsOfKernels checks what is left of targets as texts in words and in JSON.
func TestTargetsOfKernels(t *testing.T) {
	for _, c := range []struct{ target, want string }{
		{"cuda", "cuda"},
		{"cuda -arch=sm_80 -host=llvm", "cuda -arch=sm_80"},
		{"cuda -unknown=1 -host=llvm", "cuda -unknown=1"},
		{"cuda -host=llvm -unknown=1", "cuda -unknown=1"},
		{`cuda -unknown=1 -host="llvm -x"`, "cuda -unknown=1"},
		{`{"kind":"cuda","arch":"sm_80"}`, "cuda -arch=sm_80"},
		{`{"kind":"cuda","host":{"kind":"llvm"},"arch":"sm_80"}`, "cuda -arch=sm_80"},
		{`{"kind":"cuda","unknown":1,"host":{"kind":"llvm"}}`, `{"kind":"cuda","unknown":1}`},
		{`{"host":`, `{"host":`},
	} {
		a := floats("A", 4)
		f := fn(&tir.AttrStmt{Node: &tir.StringImm{Value: c.target}, Key: ir.AttrTarget, Value: tir.Int32(0), Body: store(a, f32(1), n(0))}, a)
		out, err := passtest.NewContext().Run(tirpass.SplitHostDevice, moduleOf(f))
		if err != nil {
			t.Fatal(err)
		}
		k := out.Lookup("kernel_kernel").(*tir.PrimFunc)
		if got := k.Attrs.Str(ir.AttrTarget, ""); got != c.want {
			t.Errorf("%s: the kernel is for %s, want %s", c.target, got, c.want)
		}
		if p, ok := k.RetType.(*ir.PrimType); (ok && p.DType.IsInt()) == strings.Contains(c.target, "cuda") {
			t.Errorf("%s: the kernel returns %v", c.target, k.RetType)
		}
	}
}
