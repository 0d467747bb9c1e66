package cpu_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// said is a decision that a schedule reported about the block that stores to a buffer.
type said struct {
	buffer, rule string
	taken        bool
	reason       string
}

type hearer struct{ list []said }

func (h *hearer) Rewrite(string, ir.Node, ir.Node) {}
func (h *hearer) Took(rule string, at ir.Node, reason string) {
	h.add(rule, at, true, reason)
}

func (h *hearer) Declined(rule string, at ir.Node, reason string) {
	h.add(rule, at, false, reason)
}

func (h *hearer) add(rule string, at ir.Node, taken bool, reason string) {
	if st, ok := at.(*tir.BufferStore); ok {
		h.list = append(h.list, said{st.Buffer.Name, rule, taken, reason})
	}
}

// nest are the extents of the loops around a block by the names of their variables, and of those the unrolled and the vectorized ones.
type nest struct{ all, unrolled, vector map[string]int64 }

// loopsTo are the loops around the blocks that store to a buffer and whose name holds a word. Where there are two versions of the function they are those for whole
// tiles.
func loopsTo(f *tir.PrimFunc, buffer, word string) []nest {
	var out []nest
	var visit func(s tir.Stmt, around []*tir.For)
	visit = func(s tir.Stmt, around []*tir.For) {
		switch s := s.(type) {
		case *tir.SeqStmt:
			for _, c := range s.Seq {
				visit(c, around)
			}
		case *tir.IfThenElse:
			visit(s.Then, around)
		case *tir.For:
			visit(s.Body, append(around[:len(around):len(around)], s))
		case *tir.BlockRealize:
			if s.Block.Name == "root" {
				visit(s.Block.Body, around)
			}
			if len(s.Block.Writes) != 1 || s.Block.Writes[0].Buffer.Name != buffer || !strings.Contains(s.Block.Name, word) {
				return
			}
			n := nest{map[string]int64{}, map[string]int64{}, map[string]int64{}}
			for _, l := range around {
				e, _ := tir.AsInt(l.Extent)
				n.all[l.LoopVar.Name] = e
				switch l.Kind {
				case tir.Unrolled:
					n.unrolled[l.LoopVar.Name] = e
				case tir.Vectorized:
					n.vector[l.LoopVar.Name] = e
				}
			}
			out = append(out, n)
		}
	}
	visit(f.Body, nil)
	return out
}

var (
	tileText   = regexp.MustCompile(`^(.*): (\d+) sums? in (\d+) registers?, of the (\d+) `)
	vectorText = regexp.MustCompile(`(\d+) vectors? of (\d+) lanes of (\w+)`)
	ofText     = regexp.MustCompile(`(\d+) of (\w+)`)
	edgeText   = regexp.MustCompile(`(\d+) divides the (\d+) of`)
	twiceText  = regexp.MustCompile(`(\d+) does not divide the (\d+) of \w+: (\d+) results`)
	stepsText  = regexp.MustCompile(`^(.*): (\d+) steps? of (\d+) vectors?$`)
	// columnsText are the results, how far they are apart and along what, and their columns.
	columnsText = regexp.MustCompile(`^(\d+) windows of [\dx]+ lie (\d+) columns? apart along (\w+): they have (\d+) columns(?: in (\d+) vectors)?`)
	partText    = regexp.MustCompile(`^(\d+) of (\w+) at a time`)
	blockText   = regexp.MustCompile(`^(\d+) tiles? of (\w+) in a block`)
	turnText    = regexp.MustCompile(`: (\d+) rows of (\d+) elements at a time(?:; (\d+) elements of each row one after the other, .*)?$`)
	periodText  = regexp.MustCompile(`come again after (\d+) steps of`)
	stepText    = regexp.MustCompile(`^(\d+) elements a step, in vectors of (\d+) lanes`)
	timesText   = regexp.MustCompile(`takes? (\d+\.\d+) times as long`)
)

func number(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// agree checks the numbers in what a schedule said against the loops that it made, and returns how many reasons of each rule had any.
func agree(t *testing.T, m cpu.Machine, f *tir.PrimFunc, list []said) map[string]int {
	t.Helper()
	seen := map[string]int{}
	for _, d := range list {
		wrong := func(format string, args ...any) {
			t.Helper()
			t.Errorf("%+v: %s: %q: %s", m, d.buffer, d.reason, fmt.Sprintf(format, args...))
		}
		first := func(word string) nest {
			for _, buffer := range []string{d.buffer + "_sums", d.buffer + "_local"} {
				if list := loopsTo(f, buffer, word); len(list) > 0 {
					return list[0]
				}
			}
			wrong("no block %s was made", word)
			return nest{}
		}
		key := d.rule
		switch {
		case d.rule == "tile a reduction" && d.taken:
			x := tileText.FindStringSubmatch(d.reason)
			if x == nil {
				wrong("no tile is in it")
				continue
			}
			loops := nest{}
			if list := loopsTo(f, d.buffer+"_local", "_first"); len(list) > 0 { // results start from their first columns
				loops = list[0]
			} else {
				loops = first("_init")
			}
			made := int64(1)
			for _, n := range loops.unrolled {
				made *= n
			}
			said, lanes := int64(1), int64(1)
			if v := vectorText.FindStringSubmatch(x[1]); v != nil {
				said, lanes = number(t, v[1]), number(t, v[2])
				if n := loops.unrolled["vec"]; max(n, 1) != said {
					wrong("%d vectors were made", n)
				}
			}
			for _, o := range ofText.FindAllStringSubmatch(vectorText.ReplaceAllString(x[1], ""), -1) {
				n := number(t, o[1])
				said *= n
				if own, ok := loops.unrolled[o[2]+"_i"]; ok && own != n {
					wrong("%d of %s were made", own, o[2])
				}
			}
			if made != said || lanes > 1 && loops.vector["lane"] != lanes || lanes == 1 && len(loops.vector) > 0 {
				wrong("the tile has loops %v and vectors %v", loops.unrolled, loops.vector)
			}
			if n := number(t, x[2]); n != made {
				wrong("there are %d sums", made)
			}
			if n := number(t, x[4]); n > m.Registers {
				wrong("there are %d registers", m.Registers)
			}
			for _, e := range edgeText.FindAllStringSubmatch(d.reason, -1) {
				if number(t, e[2])%number(t, e[1]) != 0 {
					wrong("%s", e[0])
				}
			}
			for _, e := range twiceText.FindAllStringSubmatch(d.reason, -1) {
				tile, n := number(t, e[1]), number(t, e[2])
				if n%tile == 0 || number(t, e[3]) != tile-n%tile {
					wrong("%s", e[0])
				}
			}
		case d.rule == "unroll a reduction" && d.taken:
			list := append(loopsTo(f, d.buffer+"_local", "_update"), loopsTo(f, d.buffer+"_columns", "_update")...)
			if len(list) == 0 {
				wrong("there is no loop over steps")
				continue
			}
			unrolled := list[0].unrolled
			if len(loopsTo(f, d.buffer+"_columns", "_start")) > 0 { // the first step is apart
				for k := range unrolled {
					unrolled[k]++
				}
				for _, o := range ofText.FindAllStringSubmatch(d.reason, -1) {
					if _, ok := unrolled[o[2]+"_u"]; !ok { // of two steps the second one is no loop
						unrolled[o[2]+"_u"] = 2
					}
				}
			}
			if x := partText.FindStringSubmatch(d.reason); x != nil {
				key += " in part"
				if n := number(t, x[1]); unrolled[x[2]+"_u"] != n {
					wrong("%d were made", unrolled[x[2]+"_u"])
				}
				break
			}
			x := stepsText.FindStringSubmatch(d.reason)
			if x == nil {
				wrong("no steps are in it")
				continue
			}
			all := int64(1)
			for _, o := range ofText.FindAllStringSubmatch(x[1], -1) {
				n := number(t, o[1])
				all *= n
				if unrolled[o[2]+"_u"] != n {
					wrong("%d of %s were made", unrolled[o[2]+"_u"], o[2])
				}
			}
			if number(t, x[2]) != all {
				wrong("%d steps were made", all)
			}
		case d.rule == "share columns":
			x := columnsText.FindStringSubmatch(d.reason)
			results, step, columns := number(t, x[1]), number(t, x[2]), number(t, x[4])
			made, gathered := loopsTo(f, d.buffer+"_columns", "_update"), loopsTo(f, d.buffer+"_local", "_gather")
			if x[5] != "" && len(made) > 0 && len(gathered) > 0 { // along the vectors
				n, lanes := number(t, x[5]), made[0].vector["lane"]
				if made[0].unrolled["vec"] != n || gathered[0].vector["lane"] != results || lanes != results || n != (columns+lanes-1)/lanes || columns <= (results-1)*step {
					wrong("loops %v and %v were made", made, gathered)
				}
				break
			}
			if len(made) == 0 || len(gathered) == 0 || made[0].unrolled[x[3]+"_i"] != columns || gathered[0].unrolled[x[3]+"_i"] != results || (results-1)*step >= columns {
				wrong("loops %v and %v were made", made, gathered)
			}
		case d.rule == "block rows for the second cache" && d.taken:
			x := blockText.FindStringSubmatch(d.reason)
			all := first("_init").all
			if n := number(t, x[1]); all[x[2]+"_b"] < 2 || max(all[x[2]+"_o"], 1) != n {
				wrong("loops %v were made", all)
			}
		case d.rule == "vectorize a block" && d.taken:
			x := stepText.FindStringSubmatch(d.reason)
			n := number(t, x[1])
			list := loopsTo(f, d.buffer, "")
			found := slices.ContainsFunc(list, func(x nest) bool { return slices.Contains(slices.Collect(maps.Values(x.vector)), n) })
			if !found || n%number(t, x[2]) != 0 {
				wrong("loops %v were made", list)
			}
		case d.rule == "transpose in registers":
			x := turnText.FindStringSubmatch(d.reason)
			rows, lanes := number(t, x[1]), number(t, x[2])
			tiles := int64(1)
			if x[3] != "" {
				key = "read lines in order"
				tiles = number(t, x[3]) / rows
			}
			if list := loopsTo(f, d.buffer, ""); !slices.ContainsFunc(list, func(x nest) bool {
				return slices.Contains(slices.Collect(maps.Values(x.unrolled)), rows) && slices.Contains(slices.Collect(maps.Values(x.vector)), lanes) &&
					(tiles == 1 || slices.Contains(slices.Collect(maps.Values(x.all)), tiles))
			}) {
				wrong("loops %v were made", list)
			}
		case d.rule == "pick lanes" && d.taken:
			period := number(t, periodText.FindStringSubmatch(d.reason)[1])
			if list := loopsTo(f, d.buffer, ""); !slices.ContainsFunc(list, func(x nest) bool {
				return slices.ContainsFunc(slices.Collect(maps.Values(x.vector)), func(lanes int64) bool { return lanes%period == 0 })
			}) {
				wrong("loops %v were made", list)
			}
		case d.rule == "take another tile":
			if x := timesText.FindStringSubmatch(d.reason); x != nil {
				n, err := strconv.ParseFloat(x[1], 64)
				if would := strings.Contains(d.reason, "would take"); err != nil || would && n > 1 || !would && n < 1 {
					wrong("it was the better one")
				}
			}
		default:
			continue
		}
		seen[key]++
	}
	return seen
}

// machines are those whose schedules are explained: of vectors of 128, 256 and 512 bits, the wider ones also with small caches.
func machines(r *rand.Rand) []cpu.Machine {
	small := int64(1) << (7 + r.IntN(5))
	return []cpu.Machine{
		{Lanes: 4, Registers: 16, L1: 32 << 10, L2: 256 << 10},
		{Lanes: 8, Registers: 16, L1: 32 << 10, L2: 256 << 10, Spreads: true},
		{Lanes: 16, Registers: 32, L1: 48 << 10, L2: 2 << 20, Spreads: true, Embeds: true},
		{Lanes: 16, Registers: 32, L1: 48 << 10, L2: 2 << 20, Spreads: true, Embeds: true, Tiles: true},
		{Lanes: 8, Registers: 16, L1: 512, L2: small, Spreads: true},
		{Lanes: 16, Registers: 32, L1: 512, L2: small, Spreads: true, Embeds: true},
	}
}

// TestReasonsAgree: the numbers in the reasons of a schedule are those of its loops, and nobody who listens changes it.
func TestReasonsAgree(t *testing.T) {
	seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
		name, k := randomKernel(r)
		t.Log(name)
		f := create(t, k)
		for _, m := range machines(r) {
			h := &hearer{}
			g, err := m.Schedule(f, nil, h)
			if err != nil {
				t.Fatal(err)
			}
			agree(t, m, g, h.list)
			alone, err := m.Schedule(f, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !ir.StructuralEqual(alone, g, ir.EqualOpts{MapFreeVars: true}) {
				t.Errorf("%+v: the schedule is another one when somebody listens", m)
			}
		}
	})
}

// TestReasonsOfModels: the kernels of networks have reasons of all kinds, and their numbers are those of the loops.
func TestReasonsOfModels(t *testing.T) {
	conv := func(oc, ic, h, k, s, p int) kernel {
		x, w := in("x", 1, ic, h, h), in("w", oc, ic, k, k)
		o := topi.ConvOpts{Strides: []int64{int64(s), int64(s)}, Dilation: []int64{1, 1}, Groups: 1, Before: []int64{int64(p), int64(p)}, After: []int64{int64(p), int64(p)}, Data: "NCHW", Kernel: "OIHW"}
		return kernel{args: []*te.Tensor{x, w, relu(must(topi.Conv(x, w, o)))}}
	}
	product := func(m, n, k int, transposed bool) kernel {
		a, b := in("a", m, k), in("b", k, n)
		if transposed {
			b = in("b", n, k)
		}
		return kernel{args: []*te.Tensor{a, b, must(topi.Matmul(a, b, topi.MatmulOpts{TransposeB: transposed}))}}
	}
	x, rows, image := in("x", 64, 1000), in("rows", 512, 512), in("image", 1, 3, 14, 14)
	list := []kernel{
		conv(64, 64, 56, 3, 1, 1), conv(512, 256, 56, 1, 2, 0), conv(64, 3, 224, 7, 2, 3),
		product(512, 512, 512, false), product(384, 768, 3072, true), product(1, 1000, 2048, true), product(20000, 64, 512, false),
		{args: []*te.Tensor{x, topi.Softmax(x, 1)}},
		{args: []*te.Tensor{image, must(topi.Pool("max", image, topi.PoolOpts{Size: []int64{5, 5}, Strides: []int64{1, 1}, Dilation: []int64{1, 1}, Before: []int64{2, 2}, After: []int64{2, 2}, Layout: "NCHW"}))}},
		{args: []*te.Tensor{x, topi.PermuteDims(x, []int{1, 0})}},
		{args: []*te.Tensor{rows, topi.PermuteDims(rows, []int{1, 0})}},
		{args: []*te.Tensor{image, topi.PermuteDims(image, []int{0, 2, 3, 1})}},
		{args: []*te.Tensor{image, must(topi.Resize(image, []tir.Expr{tir.Int(28), tir.Int(42)}, topi.ResizeOpts{Layout: "NCHW", Method: "nearest_neighbor", Coordinate: "asymmetric"}))}},
	}
	seen := map[string]int{}
	for _, k := range list {
		f := create(t, k)
		for _, m := range machines(rand.New(rand.NewPCG(1, 2))) {
			h := &hearer{}
			g, err := m.Schedule(f, nil, h)
			if err != nil {
				t.Fatal(err)
			}
			for rule, n := range agree(t, m, g, h.list) {
				seen[rule] += n
			}
		}
	}
	for _, rule := range []string{"tile a reduction", "take another tile", "unroll a reduction", "unroll a reduction in part", "block rows for the second cache", "vectorize a block", "transpose in registers", "read lines in order", "pick lanes", "share columns"} {
		if seen[rule] == 0 {
			t.Errorf("nothing was said of the rule %q", rule)
		}
	}
	t.Log(seen)
}

// TestReasonsOfThreads compares what is said of the loop that threads share with the parallel loop that there is.
func TestReasonsOfThreads(t *testing.T) {
	x, w := in("x", 1, 8, 18, 18), in("w", 40, 8, 3, 3)
	f := create(t, kernel{args: []*te.Tensor{x, w, conv(x, w, 1, 0, 1)}})
	m := cpu.Machine{Lanes: 8, Registers: 16, L1: 32 << 10, L2: 1 << 20, Spreads: true, Threads: 3, ForkWork: 1 << 10}
	h := &hearer{}
	g, err := m.Schedule(f, nil, h)
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	begun := 1
	ir.Walk(g.Body, func(n ir.Node) bool {
		if l, ok := n.(*tir.For); ok && want == "" {
			turns, _ := tir.AsInt(l.Extent)
			if l.Kind == tir.Parallel {
				want = fmt.Sprintf("%d turns of %s for 3 threads, begun %d time", turns, l.LoopVar.Name[:strings.LastIndex(l.LoopVar.Name, "_")], begun)
			}
			begun *= int(turns)
		}
		return true
	})
	heard := false
	for _, s := range h.list {
		heard = heard || s.rule == "share a loop among threads" && s.taken && strings.HasPrefix(s.reason, want)
	}
	if want == "" || !heard {
		t.Errorf("expected %q in %v of\n%v", want, h.list, g)
	}
	few := &hearer{}
	m.ForkWork = 1 << 40
	if _, err := m.Schedule(f, nil, few); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(few.list, func(s said) bool { return s.rule == "share a loop among threads" && !s.taken }) {
		t.Errorf("no word of too little work in %v", few.list)
	}
}
