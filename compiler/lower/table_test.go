package lower

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestTable compares a table with a map, over graphs that are made in one memory.
func TestTable(t *testing.T) {
	seed.Each(t, 50, func(t *testing.T, r *rand.Rand) {
		type at struct {
			k key
			r *Region
		}
		var m Memory
		for range 4 {
			m.Reset()
			b := &Builder{memory: &m}
			regions := []*Region{nil, m.region(BodyRegion, nil), m.region(LoopRegion, nil)}
			nodes := []*Node{nil, b.node(Node{}, nil), b.node(Node{}, nil), b.node(Node{}, nil)}
			known := map[at]*Node{}
			for range r.IntN(2000) {
				k := key{op: Op(r.IntN(3)), imm: r.Uint64N(1 << r.IntN(8)), hi: r.Uint64N(2), callee: Ref(r.IntN(2))}
				args := nodes[1+r.IntN(len(nodes)-1):][:r.IntN(2)]
				if len(args) > 0 && r.IntN(2) == 0 {
					args = append(args[:1:1], nodes[1+r.IntN(len(nodes)-1)])
				}
				full := keyOf(k.op, k.imm, k.hi, args)
				full.callee = k.callee
				where := at{full, regions[r.IntN(len(regions))]}
				if got, want := m.known.get(full.hash(), &full, where.r), known[where]; got != want {
					t.Fatalf("got %v, want %v", got, want)
				}
				if r.IntN(2) == 0 {
					n := b.node(Node{Op: k.op, Imm: k.imm, Hi: k.hi, Callee: k.callee, Region: where.r}, args)
					m.known.put(full.hash(), &full, n)
					known[where] = n
				}
			}
		}
	})
}

// TestMemoryIsTakenBack makes graphs in one memory, which then needs no more of it.
func TestMemoryIsTakenBack(t *testing.T) {
	var m Memory
	graph := func() {
		m.Reset()
		b := &Builder{memory: &m, Cur: m.region(BodyRegion, nil)}
		for i := range 1000 {
			b.put(b.node(Node{Imm: uint64(i)}, nil), b.Cur)
			if r := NewRegion(LoopRegion, b.Cur); i%10 == 0 {
				b.put(b.node(Node{}, nil), r)
			}
		}
		for i, it := range b.Cur.Items {
			if it.Node.Imm != uint64(i) || it.Node.Region != b.Cur || it.Node.Pos != i {
				t.Fatalf("item %d is %+v", i, it.Node)
			}
		}
	}
	graph()
	if n := testing.AllocsPerRun(1, graph); n > 0 { // which runs it once before: lists of what is free have grown then
		t.Errorf("another graph takes %v allocations", n)
	}
}
