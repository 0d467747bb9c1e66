package tirpass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestRandomSerialLoops makes loops serial, of which some are parallel, one in the other.
func TestRandomSerialLoops(t *testing.T) {
	keepsMeaning(t, 30, tirpass.ConvertForLoopsToSerial, nil, func(r *rand.Rand) string {
		kind := func() string { return []string{"T.serial", "T.parallel", "T.unroll", "T.vectorized"}[r.IntN(4)] }
		return fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((4, 6, 8), "int32"), B: T.Buffer((4, 6, 8), "int32")):
    for i in T.parallel(%d):
        for j in %s(6):
            for k in %s(8):
                B[i, j, k] = A[i, 5 - j, k] * 2
        for j in T.serial(6):
            B[i, j, 0] = B[i, j, 0] + 1
`, r.IntN(5), kind(), kind())
	})
}

// TestVerifySSA tells functions that define variables twice from those that define them once.
func TestVerifySSA(t *testing.T) {
	a := floats("A", 8)
	i, x := index("i"), tir.NewVar("x", dtype.Int32T)
	p := tir.NewVar("p", dtype.HandleT)
	p.Type = &ir.PointerType{Elem: &ir.PrimType{DType: dtype.Float32T}, Scope: "global"}
	set := func(at tir.Expr) tir.Stmt { return store(a, f32(1), at) }
	once := func(v *tir.Var, n int64) tir.Stmt { return loop(v, 2, set(n64(v, n))) }
	let := func(n int64) tir.Expr { return &tir.Let{Var: x, Value: tir.Int32(n), Body: tir.Add(x, tir.Int32(1))} }
	alloc := &tir.Allocate{Var: p, Type: dtype.Float32T, Extents: []tir.Expr{tir.Int32(1)}, Condition: tir.Bool(true), Body: tir.NoOp()}
	for _, c := range []struct {
		name string
		body tir.Stmt
		of   string // what is defined twice
	}{
		{"loops of their own variables", tir.Seq(once(i, 1), once(index("j"), 2)), ""},
		{"two loops of one variable", tir.Seq(once(i, 1), once(i, 2)), "i"},
		{"a loop in one of its variable", loop(i, 2, once(i, 1)), "i"},
		{"two lets", tir.Seq(&tir.LetStmt{Var: x, Value: tir.Int32(1), Body: set(x)}, &tir.LetStmt{Var: x, Value: tir.Int32(1), Body: set(x)}), "x"},
		{"a let that an expression holds twice", set(tir.Add(let(1), let(1))), ""},
		{"lets of two values", set(tir.Add(let(1), let(2))), "x"},
		{"a let of a variable that a loop has", loop(x, 2, set(let(1))), "x"},
		{"two allocations", tir.Seq(alloc, alloc.WithBody(set(tir.Int32(0)))), "p"},
		{"an allocation of a parameter's memory", &tir.Allocate{Var: a.Data, Type: dtype.Float32T, Extents: []tir.Expr{tir.Int32(8)}, Condition: tir.Bool(true), Body: set(tir.Int32(0))}, "A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := moduleOf(fn(c.body, a))
			out, err := passtest.NewContext().Run(tirpass.VerifySSA, m)
			switch {
			case c.of == "" && (err != nil || out != m):
				t.Errorf("got %v, want the module", err)
			case c.of != "" && (err == nil || !strings.Contains(err.Error(), "IR is not in SSA form: "+c.of+" is defined twice")):
				t.Errorf("got %v, want that %s is defined twice", err, c.of)
			}
			if c.of == "" {
				return
			}
			mended, err := passtest.NewContext().Run(tirpass.ConvertSSA, m)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := passtest.NewContext().Run(tirpass.VerifySSA, mended); err != nil {
				t.Errorf("after ConvertSSA: %v", err)
			}
		})
	}
}

// n64 is the sum of a variable and a number.
func n64(v *tir.Var, n int64) tir.Expr { return tir.Add(v, tir.Const(v.DType(), n)) }

// TestRandomRemap renames axes of kernels with barriers and shared memory.
func TestRandomRemap(t *testing.T) {
	maps := []*ir.Attrs{
		ir.NewAttrs("threadIdx.x", "threadIdx.z"), ir.NewAttrs("threadIdx.x", "threadIdx.y", "threadIdx.y", "threadIdx.x"),
		ir.NewAttrs("blockIdx.x", "blockIdx.y", "threadIdx.y", "threadIdx.z"),
	}
	seed.Each(t, 20, func(t *testing.T, r *rand.Rand) {
		f := parseFunc(t, fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((%[1]d, %[2]d, %[3]d), "int32"), B: T.Buffer((%[1]d, %[2]d, %[3]d), "int32")):
    bx = T.launch_thread("blockIdx.x", %[1]d)
    tx = T.launch_thread("threadIdx.x", %[3]d)
    ty = T.launch_thread("threadIdx.y", %[2]d)
    S_data = T.allocate([%[4]d], "int32", "shared")
    S = T.Buffer((%[4]d,), "int32", data=S_data, scope="shared")
    S[ty * %[3]d + tx] = A[bx, ty, tx]
    T.tvm_storage_sync("shared")
    B[bx, ty, tx] = S[%[4]d - 1 - ty * %[3]d - tx]
`, 1+r.IntN(3), 3, 4, 12))
		args := tirtest.Arguments(f, r.Uint64()%1000)
		p := with(t, tirpass.RemapThreadAxis, "thread_map", maps[r.IntN(len(maps))])
		g := apply(t, passtest.NewContext(), p, f)
		if g == f {
			t.Error("nothing changed")
		}
		sameMeaning(t, p, f, g, args, mustRun(t, f, args))
	})
}

// TestRemapThreadAxis renames launch parameters too, and refuses two axes that would be one.
func TestRemapThreadAxis(t *testing.T) {
	const header = "@T.prim_func\ndef kernel(A: T.Buffer((16,), \"int32\")):"
	p := with(t, tirpass.RemapThreadAxis, "thread_map", ir.NewAttrs("threadIdx.x", "threadIdx.y"))
	kernel := func(axis, tag string) string {
		return fmt.Sprintf("\n    T.func_attr({\"tir.kernel_launch_params\": [\"blockIdx.x\", %q, \"tir.use_dyn_shared_memory\"]})\n    tx = T.launch_thread(%q, 16)\n    A[tx] = 1", tag, axis)
	}
	checkPairs(t, p, header, []pair{
		{name: "launch parameters", before: kernel("threadIdx.x", "threadIdx.x"), after: kernel("threadIdx.y", "threadIdx.y"), unrun: true},
		{name: "another axis", before: kernel("threadIdx.z", "threadIdx.z"), unrun: true},
		{name: "a loop bound to threads", before: "\n    for i in T.thread_binding(16, thread=\"threadIdx.x\"):\n        A[i] = 1"},
		{name: "two become one", before: "\n    tx = T.launch_thread(\"threadIdx.x\", 4)\n    ty = T.launch_thread(\"threadIdx.y\", 4)\n    A[tx * 4 + ty] = 1", fails: "both threadIdx.x and threadIdx.y would be threadIdx.y"},
		{
			name: "in kernels of their own", unrun: true,
			before: "\n    with T.launch_thread(\"threadIdx.x\", 4) as tx:\n        A[tx] = 1\n    with T.launch_thread(\"threadIdx.y\", 4) as ty:\n        A[ty] = 2",
			after:  "\n    with T.launch_thread(\"threadIdx.y\", 4) as tx:\n        A[tx] = 1\n    with T.launch_thread(\"threadIdx.y\", 4) as ty:\n        A[ty] = 2",
		},
	})
	for _, bad := range []*ir.Attrs{ir.NewAttrs("threadIdx.w", "threadIdx.x"), ir.NewAttrs("threadIdx.x", "x"), ir.NewAttrs("threadIdx.x", 1)} {
		m := moduleOf(parseFunc(t, header+"\n    A[0] = 1"))
		if _, err := passtest.NewContext().Run(with(t, tirpass.RemapThreadAxis, "thread_map", bad), m); err == nil || !strings.Contains(err.Error(), "option thread_map: ") {
			t.Errorf("%v: got %v", bad, err)
		}
	}
}

// TestRandomBindParams compares a function with one that has its last arguments as constants.
func TestRandomBindParams(t *testing.T) {
	seed.Each(t, 20, func(t *testing.T, r *rand.Rand) {
		rows, cols := 1+r.IntN(3), 1+r.IntN(4)
		dt := []string{"float32", "int8", "float16", "int64"}[r.IntN(4)]
		block := []string{"", "    D = T.alloc_buffer((1,), \"int32\")\n    D[0] = 0\n"}[r.IntN(2)]
		f := parseFunc(t, fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((%[1]d, %[2]d), %[3]q), V: T.Buffer((%[2]d,), %[3]q), W: T.Buffer((%[1]d, %[2]d), %[3]q)):
%[4]s    for i, j in T.grid(%[1]d, %[2]d):
        A[i, j] = A[i, j] + W[%[1]d - 1 - i, j] * V[j]
`, rows, cols, dt, block))
		args := tirtest.Arguments(f, r.Uint64()%1000)
		v, w := make([]ir.Value, cols), make([]ir.Value, rows)
		set := func(of any, i int) ir.Value {
			n, x := int64(r.IntN(7)-3), of.(*tensor.Tensor)
			if x.DType.IsFloat() {
				x.SetFloat(i, float64(n))
			} else {
				x.SetInt(i, n)
			}
			return n
		}
		for j := range v {
			v[j] = set(args[1], j)
		}
		for i := range w {
			row := make([]ir.Value, cols)
			for j := range row {
				row[j] = set(args[2], i*cols+j)
			}
			w[i] = row
		}
		want := mustRun(t, f, args)
		values := []ir.Value{v, w}[r.IntN(2):]
		p := with(t, tirpass.BindParams, "constants", values)
		g := apply(t, passtest.NewContext(), p, f)
		if len(g.Params) != 3-len(values) {
			t.Fatalf("%d parameters are left", len(g.Params))
		}
		if d := tirtest.Differ(mustRun(t, g, args[:len(g.Params)])[:1], want[:1]); d != "" {
			t.Errorf("%s\n%s", d, print(g))
		}
	})
}

// TestBindParamsRefusals refuses constants that do not fit.
func TestBindParamsRefusals(t *testing.T) {
	const header = "@T.prim_func\ndef kernel(n: T.int32, A: T.Buffer((2,), \"int32\"), W: T.Buffer((2,), \"int32\")):"
	one := []ir.Value{int64(1), int64(2)}
	for _, x := range []struct {
		name, body string
		values     []ir.Value
		want       string
	}{
		{"another shape", "A[0] = W[0]", []ir.Value{[]ir.Value{int64(1)}}, "the shape is [1]"},
		{"another type", "A[0] = W[0]", []ir.Value{[]ir.Value{int64(1), 1.5}}, "want a number of type int32"},
		{"a scalar", "A[0] = W[0]", []ir.Value{one, one, one}, "parameter n is no buffer"},
		{"too many", "A[0] = W[0]", []ir.Value{one, one, one, one}, "4 for a function of 3 parameters"},
		{"a store", "W[0] = A[0]", []ir.Value{one}, "the function stores to buffer W"},
	} {
		m := moduleOf(parseFunc(t, header+"\n    "+x.body))
		if _, err := passtest.NewContext().Run(with(t, tirpass.BindParams, "constants", x.values), m); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: got %v want %s", x.name, err, x.want)
		}
	}
}
