package fromir_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/instruments/flow"
)

// control has branches in a branch, a local function, tuples, an argument that is a call's
// item, a cast, and kernels with several outputs and with their outputs handed in.
const control = `# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tir as T

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(cond: R.Tensor((), dtype="bool"), x: R.Tensor((2, "n"), dtype="float32")) -> R.Tensor((2, "n"), dtype="float32"):
        n = T.int64()
        if cond:
            a: R.Tensor((2, n), dtype="float32") = R.add(x, x)
            if cond:
                b: R.Tensor((2, n), dtype="float32") = R.nn.relu(a)
                y: R.Tensor((2, n), dtype="float32") = b
            else:
                y: R.Tensor((2, n), dtype="float32") = a
            z: R.Tensor((2, n), dtype="float32") = y
        else:
            c: R.Tensor((2, n), dtype="float32") = R.exp(x)
            z: R.Tensor((2, n), dtype="float32") = c

        @R.function
        def twice(p: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
            q: R.Tensor((2, 3), dtype="float32") = R.add(p, p)
            return q
        pair: R.Tuple(R.Tensor((2, n), dtype="float32"), R.Tensor((2, n), dtype="float32")) = (z, x)
        first: R.Tensor((2, n), dtype="float32") = pair[0]
        m: R.Tensor((2, 3), dtype="float32") = R.match_cast(first, R.Tensor((2, 3), dtype="float32"))
        t: R.Tensor((2, 3), dtype="float32") = twice(m)
        out: R.Tensor((2, 3), dtype="float32") = R.builtin.alloc_tensor(R.shape([2, 3]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        R.call_packed("fill", t, out, sinfo_args=(R.Tuple(),))
        s: R.Tensor((2, 3), dtype="float32") = R.multiply(out, R.const(2.5, "float32"))
        R.vm.kill_object(out)
        return s
`

func parsed(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, diags := parse.Module("test", text, parse.Options{})
	for _, d := range diags {
		t.Log(d.Format())
	}
	if m == nil {
		t.Fatal("the module does not parse")
	}
	return m
}

func TestControl(t *testing.T) {
	g, _ := graphOf("main", parsed(t, control).Lookup("main"))
	checkGraph(t, "control", g)
	const want = `param cond | cond | () bool |  <-
param x | x | (2, n) f32 |  <-
control z:if | if |  |  <- cond
op a | add | (2, n) f32 |  <- x x z:if
control y:if | if |  |  <- cond z:if
op b | nn.relu | (2, n) f32 |  <- a y:if
tuple y:else value | pass | (2, n) f32 |  <- a y:if
control y | end if | (2, n) f32 |  <- b y:else value
op c | exp | (2, n) f32 |  <- x z:if
control z | end if | (2, n) f32 |  <- y c
param p | p | (2, 3) f32 |  <-
op q | add | (2, 3) f32 |  <- p p
return twice:return | return | (2, 3) f32 |  <- q
control twice | function | function |  <- twice:return
tuple pair | tuple | [(2, n) f32; (2, n) f32] |  <- z x
tuple first | [0] | (2, n) f32 |  <- pair
shape m | match_cast | (2, 3) f32 |  <- first
call t | twice | (2, 3) f32 |  <- twice m
memory out:alloc | builtin.alloc_tensor | (2, 3) f32 |  <-
packed out | fill | (2, 3) f32 |  <- t out:alloc
op s | multiply | (2, 3) f32 | 2.5 <- out
memory out:kill | vm.kill_object |  |  <- out
return return | return | (2, 3) f32 |  <- s
`
	if got := dump(g); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	clusters := []flow.Cluster{
		{ID: "cluster:z:then", Label: "then"},
		{ID: "cluster:y:then", Label: "then", Parent: 1},
		{ID: "cluster:y:else", Label: "else", Parent: 1},
		{ID: "cluster:z:else", Label: "else"},
		{ID: "cluster:twice", Label: "function twice"},
	}
	if !slices.Equal(g.Clusters, clusters) {
		t.Errorf("clusters are %+v, expected %+v", g.Clusters, clusters)
	}
}

// TestLoops checks the tree of a PrimFunc with every kind of statement that keeps its body
// to itself or not.
func TestLoops(t *testing.T) {
	const text = `# from tvm.script import tir as T

@T.prim_func(private=True)
def f(A: T.Buffer((16, 8), "float32"), B: T.Buffer((16,), "float32")):
    C = T.alloc_buffer((16,), scope="local")
    for i in T.parallel(16):
        for j in range(8):
            with T.block("sum"):
                v_i, v_j = T.axis.remap("SR", [i, j])
                T.reads(A[v_i, v_j])
                T.writes(C[v_i])
                with T.init():
                    C[v_i] = T.float32(0.0)
                C[v_i] = C[v_i] + A[v_i, v_j]
    for i in T.vectorized(16):
        x: T.int32 = i
        if x < 8:
            B[x] = C[x]
        else:
            B[x] = T.float32(1.0)
`
	m := parsed(t, text)
	g, printed := graphOf("f", m.Lookup("f"))
	checkGraph(t, "loops", g)
	const want = `function function | f |  | A: (16, 8) f32, B: (16) f32 <-
alloc alloc C | C | (16) f32 local |  <- function
loop sum/for i | for i | 16, parallel |  <- function
loop sum/for j | for j | 8 |  <- sum/for i
block sum/block | block sum | SR v_i, v_j |  <- sum/for j
control C/init | init |  |  <- sum/block
store C/store | C[v_i] | = T.float32(0.0) |  <- C/init
store C/store#2 | C[v_i] | = C[v_i] + A[v_i, v_j] |  <- sum/block
loop B/for i | for i | 16, vectorized |  <- function
let let x | x | = i |  <- B/for i
control B/if | if | x < 8 |  <- B/for i
store B/store | B[x] | = C[x] |  <- B/if
control B/else | else |  |  <- B/for i
store B/store#2 | B[x] | = T.float32(1.0) |  <- B/else
`
	if got := dump(g); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	lines := strings.Split(printed.Source, "\n")
	for _, n := range g.Nodes {
		if n.Kind == flow.Loop && !strings.Contains(lines[n.Line-1], n.Label) {
			t.Errorf("line %d of %s is %s", n.Line, n.ID, lines[n.Line-1])
		}
	}
}
