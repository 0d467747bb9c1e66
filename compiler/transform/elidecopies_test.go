package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// copying is a module of kernels on vectors, behind CallTIRRewrite. In its lines "a:16" allocates a vector of 16 numbers, and "f a b" calls a kernel:
//
//	exp a b      twice a        b = exp(a), and a = 2*a in place, of 8, 16, 32 or 64 numbers
//	join a b c   c is a and then b, of half its size each
//	swap a b c   c is b and then a
//	cols a b c   the numbers of a and b take turns
//	rep a c      c is a and then a once more
//	half a c     the first half of c is a, the other one is 0
//	pick a c     c is the second half of a
func copying(body string, results ...string) string {
	var kernels, main strings.Builder
	have := map[string]bool{}
	size := map[string]int{"x": 16, "y": 16}
	kernel := func(name string, n int) string {
		full := fmt.Sprint(name, n)
		if have[full] {
			return full
		}
		have[full] = true
		params, value := []int{n}, ""
		switch name {
		case "exp":
			params, value = []int{n, n}, "B[v] = T.exp(A[v] * T.float32(0.125))"
		case "twice":
			value = "A[v] = A[v] * T.float32(2)"
		case "join", "swap":
			first, second := "A", "B"
			if name == "swap" {
				first, second = "B", "A"
			}
			params, value = []int{n / 2, n / 2, n}, fmt.Sprintf("C[v] = T.if_then_else(v < T.int64(%d), %s[v], %s[v - T.int64(%d)])", n/2, first, second, n/2)
		case "cols":
			params, value = []int{n / 2, n / 2, n}, "C[v] = T.if_then_else(v % T.int64(2) == T.int64(0), A[v // T.int64(2)], B[v // T.int64(2)])"
		case "half":
			params, value = []int{n / 2, n}, fmt.Sprintf("B[v] = T.if_then_else(v < T.int64(%d), A[v], T.float32(0))", n/2)
		case "rep":
			params, value = []int{n / 2, n}, fmt.Sprintf("B[v] = T.if_then_else(v < T.int64(%d), A[v], A[v - T.int64(%d)])", n/2, n/2)
		case "pick":
			params, value = []int{2 * n, n}, fmt.Sprintf("B[v] = A[v + T.int64(%d)]", n)
		default:
			panic(name)
		}
		fmt.Fprintf(&kernels, "    @T.prim_func(private=True)\n    def %s(", full)
		for i, p := range params {
			fmt.Fprintf(&kernels, "%s: T.Buffer((T.int64(%d),), \"float32\"), ", "ABC"[i:i+1], p)
		}
		fmt.Fprintf(&kernels, "):\n        T.func_attr({\"tir.noalias\": True})\n        for i in range(T.int64(%d)):\n            with T.block(\"o\"):\n                v = T.axis.spatial(T.int64(%d), i)\n                %s\n\n", n, n, value)
		return full
	}
	for _, l := range strings.Split(body, ";") {
		l = strings.TrimSpace(l)
		if name, n, ok := strings.Cut(l, ":"); ok {
			var count int
			fmt.Sscan(n, &count)
			size[name] = count
			fmt.Fprintf(&main, "        %s = R.builtin.alloc_tensor(R.shape([%d]), R.dtype(\"float32\"), R.prim_value(0), R.str(\"global\"))\n", name, count)
			continue
		}
		f := strings.Fields(l)
		switch f[0] {
		case "view":
			fmt.Fprintf(&main, "        %s = R.reshape(%s, R.shape([%d]))\n", f[2], f[1], size[f[1]])
			size[f[2]] = size[f[1]]
		case "packed":
			fmt.Fprintf(&main, "        R.call_packed(\"vm.builtin.dummy\", %s, sinfo_args=(R.Tuple,))\n", f[1])
		default:
			fmt.Fprintf(&main, "        cls.%s(%s)\n", kernel(f[0], size[f[len(f)-1]]), strings.Join(f[1:], ", "))
		}
	}
	result := results[0]
	if len(results) > 1 {
		result = "(" + strings.Join(results, ", ") + ")"
	}
	return "@I.ir_module\nclass Module:\n" + kernels.String() + "    @R.function(pure=False)\n    def main(x: R.Tensor((16,), \"float32\"), y: R.Tensor((16,), \"float32\")):\n        cls = Module\n" + main.String() + "        return " + result + "\n"
}

// countCalls counts the calls of kernels that copy and the views.
func countCalls(m *ir.Module) (copies, views int) {
	relax.EachBinding(ir.MustLookup[*relax.Function](m, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) {
		c, ok := b.BoundValue().(*relax.Call)
		if !ok {
			return
		}
		switch op := c.Op.(type) {
		case *ir.GlobalVar:
			for _, p := range []string{"join", "swap", "cols", "half", "rep"} {
				if strings.HasPrefix(op.Name, p) {
					copies++
				}
			}
		case *ir.Op:
			if op.Name == "relax.memory.view" {
				views++
			}
		}
	})
	return copies, views
}

// TestElideCopies says which copies stay, and why, and that all compute the same.
func TestElideCopies(t *testing.T) {
	const parts = "a:16; exp x a; b:16; exp y b; o:32; "
	for _, c := range []struct {
		name, body, results string
		copies, views       int
		why                 string
	}{
		{"a concatenation", parts + "join a b o; r:32; exp o r", "r", 0, 2, ""},
		{"in the other order", parts + "swap a b o; r:32; exp o r", "r", 0, 2, ""},
		{"the output is the result", parts + "join a b o", "o", 0, 2, ""},
		{"an input is the result", parts + "join a b o", "o a", 1, 0, "it outlives the block"},
		{"an input is read behind it", parts + "join a b o; r:16; exp a r", "o r", 0, 2, ""},
		{"an input is written behind it", parts + "join a b o; twice a; r:16; exp a r", "o r", 1, 0, "written again behind the copy"},
		{"an input is written before it", parts + "twice a; join a b o", "o", 0, 2, ""},
		{"the output is written while an input is needed", parts + "join a b o; twice o; r:16; exp b r", "o r", 1, 0, "also written elsewhere"},
		{"the output is written when none is", parts + "join a b o; r:16; exp b r; twice o", "o r", 0, 2, ""},
		{"the output is written before", parts + "exp o o; join a b o", "o", 1, 0, "also written elsewhere"},
		{"one tensor twice", parts + "join a a o; twice b", "o", 1, 0, "copied twice"},
		{"two copies of one tensor", parts + "join a b o; p:32; swap a b p", "o p", 1, 2, "a part of another tensor already"},
		{"a copy of copies", parts + "join a b o; c:32; exp o c; p:64; join o c p", "p", 0, 4, ""},
		{"a copy of copies whose part is read", parts + "join a b o; c:32; exp o c; p:64; join o c p; r:16; exp a r; twice p", "p r", 0, 4, ""},
		{"a copy of copies, written too early", parts + "join a b o; c:32; exp o c; p:64; join o c p; twice p; r:16; exp a r", "p r", 1, 2, "also written elsewhere"},
		{"parts that are not aligned", "a:8; pick x a; b:8; pick y b; o:16; join a b o", "o", 1, 0, "byte 32, is no multiple of 64"},
		{"a parameter", "b:16; exp y b; o:32; join x b o", "o", 1, 0, "not allocated in the block"},
		{"columns", parts + "cols a b o", "o", 1, 0, ""},
		{"more than a copy", "a:16; exp x a; o:32; half a o", "o", 1, 0, ""},
		{"one input in two places", "a:16; exp x a; o:32; rep a o", "o", 1, 0, ""},
		{"a packed function has it", parts + "packed a; join a b o", "o", 1, 0, "something unknown uses it"},
		{"another name reads", parts + "view a s; join a b o; r:16; exp s r", "o r", 0, 2, ""},
		{"another name is copied", parts + "view a s; join s b o; r:16; exp s r", "o r", 0, 2, ""},
		{"another name writes behind it", parts + "view a s; join a b o; twice s", "o", 1, 0, "written again behind the copy"},
		{"another name leaves", parts + "view a s; join a b o", "o s", 1, 0, "it outlives the block"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, copying(c.body, strings.Fields(c.results)...))
			var l passtest.Listener
			out := runPass(t, passtest.NewContext(pass.Observe(&l)), transform.ElideCopies, m)
			if copies, views := countCalls(out); copies != c.copies || views != c.views {
				t.Errorf("%d copies and %d views, want %d and %d in\n%s", copies, views, c.copies, c.views, passtest.Text(out))
			}
			why := ""
			for _, d := range l.Decisions {
				why += d.Reason + "\n"
			}
			if !strings.Contains(why, c.why) || c.why == "" && why != "" {
				t.Errorf("declined because of %q, want %q", why, c.why)
			}
			if !strings.Contains(c.body, "packed") {
				sameOutputs(t, outputs(t, m, 4, true), outputs(t, out, 4, true))
			}
		})
	}
}

// TestElideRandomCopies runs random orders of kernels on tensors that they copy, read and write again, before and after.
func TestElideRandomCopies(t *testing.T) {
	elided, kept := 0, 0
	seed.Check(t, func(t *rapid.T) {
		var body []string
		tensors := map[int][]string{16: {"x", "y"}} // by size
		named := 0
		fresh := func(size int) string {
			named++
			name := fmt.Sprint("v", named)
			body = append(body, fmt.Sprintf("%s:%d", name, size))
			return name
		}
		add := func(size int, name, line string) {
			body = append(body, line)
			tensors[size] = append(tensors[size], name)
		}
		pick := func(size int) string { return rapid.SampledFrom(tensors[size]).Draw(t, "tensor") }
		for range rapid.IntRange(2, 14).Draw(t, "steps") {
			size := rapid.SampledFrom([]int{16, 16, 16, 32, 32, 64}).Draw(t, "size")
			if len(tensors[size]) == 0 {
				size = 16
			}
			a := pick(size)
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0, 1:
				v := fresh(size)
				add(size, v, "exp "+a+" "+v)
			case 2:
				if a != "x" && a != "y" {
					body = append(body, "twice "+a)
				}
			case 3:
				v := fmt.Sprint("s", len(body))
				add(size, v, "view "+a+" "+v)
			default:
				if size < 64 {
					b := pick(size)
					v := fresh(2 * size)
					add(2*size, v, rapid.SampledFrom([]string{"join", "swap"}).Draw(t, "copy")+" "+a+" "+b+" "+v)
				}
			}
		}
		results := []string{pick(16)}
		for _, size := range []int{32, 64} {
			if n := len(tensors[size]); n > 0 {
				results = append(results, tensors[size][n-1])
			}
		}
		m := read(t, copying(strings.Join(append([]string{"z:16", "exp x z"}, body...), "; "), results...))
		before, _ := countCalls(m)
		out := runPass(t, passtest.NewContext(), transform.ElideCopies, m)
		after, _ := countCalls(out)
		elided, kept = elided+before-after, kept+after
		sameOutputs(t, outputs(t, m, 4, true), outputs(t, out, 4, true))
	})
	if (elided == 0 || kept == 0) && !testing.Short() { // few examples may have one of them only
		t.Errorf("%d copies were removed and %d kept: the programs do not have both", elided, kept)
	}
}
