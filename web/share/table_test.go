package share_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/web/share"
)

// TestTableIsBounded lets more visitors come than are told apart.
func TestTableIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := 0
		table := share.NewTable(func() int { made++; return 0 })
		mine := table.Take("me")
		mine.Value = 7
		table.Give(mine)
		held := table.Take("held")
		held.Value = 8
		for i := range 50_000 {
			e := table.Take(fmt.Sprint("v", i))
			e.Value++
			table.Give(e)
		}
		if table.Len() != 10_000 || made > 10_000+256 {
			t.Errorf("%d visitors are told apart with %d entries", table.Len(), made)
		}
		// Nobody is driven out: what I did counts, whoever came meanwhile.
		if e := table.Take("me"); e != mine || e.Value != 7 {
			t.Errorf("my entry is %+v", e)
		}
		table.Give(mine)
		// Those who share entries stay together.
		a, b := table.Take("v49999"), table.Take("v49999")
		if a != b || a.Value < 2 {
			t.Errorf("a visitor of the crowd has %+v and %+v", a, b)
		}
		table.Give(a)
		table.Give(b)
		// After a minute without them there is room for others.
		time.Sleep(61 * time.Second)
		if e := table.Take("new"); e.Value != 0 {
			t.Errorf("a new visitor has %+v", e)
		}
		for i := range 9_998 {
			table.Give(table.Take(fmt.Sprint("w", i)))
		}
		if e := table.Take("held"); e != held || e.Value != 8 {
			t.Errorf("what is held was forgotten: %+v", e)
		}
		if table.Len() != 10_000 {
			t.Errorf("%d visitors are told apart", table.Len())
		}
	})
}

// TestRing compares with the definition: in each round every owner gives its first item.
func TestRing(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		var r share.Ring[int, int]
		items := map[int][]int{}
		var owners []int // in the order of their turns
		n := 0
		drop := func(owner int) {
			if len(items[owner]) == 0 {
				owners = slices.DeleteFunc(owners, func(o int) bool { return o == owner })
			}
		}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			owner := rapid.IntRange(0, 4).Draw(t, "owner")
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0, 1:
				if len(items[owner]) == 0 {
					owners = append(owners, owner)
				}
				n++
				items[owner] = append(items[owner], 10*n+owner)
				r.Push(owner, 10*n+owner)
			case 2:
				not := rapid.IntRange(-1, 4).Draw(t, "not")
				want := -1
				for _, o := range owners {
					if o != not {
						want = o
						break
					}
				}
				got, ok := r.Next(func(x int) bool { return x%10 != not })
				if ok != (want >= 0) || ok && got != items[want][0] {
					t.Fatalf("the next is %d (%t), want the first of %d: %v", got, ok, want, items)
				}
				if ok {
					r.Take(got)
					items[want] = items[want][1:]
					owners = slices.DeleteFunc(owners, func(o int) bool { return o == want })
					if len(items[want]) > 0 {
						owners = append(owners, want)
					}
				}
			default:
				if own := items[owner]; len(own) > 0 {
					k := rapid.IntRange(0, len(own)-1).Draw(t, "item")
					if !r.Remove(own[k]) {
						t.Fatalf("item %d is not there", own[k])
					}
					items[owner] = slices.Delete(own, k, k+1)
					drop(owner)
				} else if r.Remove(owner) {
					t.Fatal("what was never added is there")
				}
			}
			var all []int
			for k := 0; k < 80; k++ {
				for _, o := range owners {
					if k < len(items[o]) {
						all = append(all, items[o][k])
					}
				}
			}
			if got := r.All(); !slices.Equal(got, all) || r.Len() != len(all) {
				t.Fatalf("the order is %v (%d), want %v", got, r.Len(), all)
			}
		}
	})
}
