package schedule_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/tir"
)

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		e    schedule.Error
		want string
	}{
		{schedule.Error{Primitive: "p", Reason: "r"}, "schedule: p: r"},
		{schedule.Error{Primitive: "p", Block: "b", Reason: "r"}, "schedule: p block b: r"},
		{schedule.Error{Primitive: "p", Loop: "l", Reason: "r"}, "schedule: p loop l: r"},
		{schedule.Error{Primitive: "p", Block: "b", Loop: "l", Reason: "r"}, "schedule: p block b loop l: r"},
	} {
		if got := c.e.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func names(list []*schedule.Block) string {
	var out []string
	for _, b := range list {
		out = append(out, b.Name())
	}
	return strings.Join(out, " ")
}

// TestQueries asks about blocks that write and read several buffers, one of them in another.
func TestQueries(t *testing.T) {
	s := scheduled(t, parsed(t, `A: T.Buffer((4,), "float32"), E: T.Buffer((4,), "float32")`, `
X = T.alloc_buffer((4,))
Y = T.alloc_buffer((4,))
Z = T.alloc_buffer((4,))
for i in range(4):
    with T.block("P"):
        vi = T.axis.spatial(4, i)
        X[vi] = A[vi]
        Y[vi] = A[vi] + T.float32(1)
for i in range(2):
    for j in range(2):
        with T.block("Q"):
            vi = T.axis.spatial(4, i * 2 + j)
            T.where(i * 2 + j < 3)
            Z[vi] = X[vi] * Y[vi]
    with T.block("nest"):
        vi = T.axis.spatial(2, i)
        for k in range(2):
            with T.block("R"):
                vk = T.axis.spatial(4, vi * 2 + k)
                Z[vk] = Z[vk] + X[vk]
for i in range(4):
    with T.block("R"):
        vi = T.axis.spatial(4, i)
        E[vi] = Y[vi]`))
	o := on{t, s}
	all := s.Blocks()
	p, q, r, last := all[0], all[1], all[2], all[3]
	for _, c := range []struct{ name, got, want string }{
		{"blocks", names(all), "P Q R R_1"},
		{"producers of P", names(s.GetProducers(p)), ""},
		{"producers of Q", names(s.GetProducers(q)), "P"},
		{"producers of R", names(s.GetProducers(r)), "Q P"},
		{"producers of the last one", names(s.GetProducers(last)), "P"},
		{"consumers of P", names(s.GetConsumers(p)), "Q R R_1"},
		{"consumers of Q", names(s.GetConsumers(q)), "R"},
		{"consumers of R", names(s.GetConsumers(r)), ""},
		{"readers of X", names(s.ReadersOf(q.Reads()[0].Buffer)), "Q R"},
		{"children of the root", names(s.GetChildBlocks(s.Root())), "P Q nest R_1"},
		{"children of a leaf", names(s.GetChildBlocks(p)), ""},
		{"root", s.Root().Name(), "root"},
		{"block by its name", o.b("R_1").Writes()[0].Buffer.Name, "E"},
		{"the root by its name", names(s.GetChildBlocks(o.b("root"))), "P Q nest R_1"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
	var nests []string
	for _, n := range s.Nests() {
		nests = append(nests, names(n))
	}
	if want := []string{"P", "Q R", "R_1"}; !slices.Equal(nests, want) {
		t.Errorf("nests are %q, want %q", nests, want)
	}
	nest := s.GetChildBlocks(s.Root())[2]
	if got := names(s.GetChildBlocks(nest)); got != "R" {
		t.Errorf("the children of a block within are %q", got)
	}
	for _, c := range []struct {
		b    *schedule.Block
		want string
	}{{p, "i"}, {q, "i j"}, {nest, "i"}, {r, "k"}, {s.Root(), ""}} {
		var got []string
		for _, l := range s.GetLoops(c.b) {
			got = append(got, l.Name())
		}
		if x := strings.Join(got, " "); x != c.want {
			t.Errorf("the loops of %s are %q, want %q", c.b.Name(), x, c.want)
		}
	}
	for _, c := range []struct {
		name string
		b    *tir.Buffer
		want bool
	}{{"X", q.Reads()[0].Buffer, true}, {"A", p.Reads()[0].Buffer, false}, {"E", last.Writes()[0].Buffer, false}} {
		if c.b.Name != c.name || s.Allocates(c.b) != c.want {
			t.Errorf("Allocates(%s) is %v, want %v of %s", c.b.Name, s.Allocates(c.b), c.want, c.name)
		}
	}
	if e := q.Predicate(); e == nil || tir.IsTrue(e) {
		t.Errorf("the condition of Q is %v", e)
	}
	if !tir.IsTrue(p.Predicate()) {
		t.Errorf("the condition of P is %v", p.Predicate())
	}
	if nest.Body() != nil || p.Body() == nil {
		t.Error("a block has a body where it holds no blocks")
	}
	_, err := s.GetBlock("none")
	refuses(t, err, `schedule: get_block: there is no block "none"`)
}

func TestReductionOf(t *testing.T) {
	s := scheduled(t, parsed(t, chainParams, chain))
	for _, b := range s.Blocks() {
		if want := b.Name() == "D"; b.IsReduction() != want || (b.Init() != nil) != want {
			t.Errorf("%s: IsReduction is %v, its init is %v", b.Name(), b.IsReduction(), b.Init())
		}
	}
}
