package lru_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/web/lru"
	"pgregory.net/rapid"
)

// inner is what the parts of the tests hold: part 100+n is held by the parts n, and n+10.
func inner(p int) (int64, []int) {
	if p >= 100 {
		return 50, nil
	}
	return int64(p), []int{100 + p%10}
}

func TestPartsCountOnce(t *testing.T) {
	c := lru.NewShared[string, int, string](1000, inner)
	c.Put("a", "A", 1, []int{5, 6})
	if c.Used() != 1+5+6+50+50 {
		t.Errorf("%d bytes are used", c.Used())
	}
	c.Put("b", "B", 2, []int{6, 15})
	if c.Used() != 1+5+6+50+50+2+15 {
		t.Errorf("with shared parts %d bytes are used", c.Used())
	}
	c.Put("b", "other", 500, []int{99})
	if v, ok := c.Get("b"); !ok || v != "B" {
		t.Errorf("b is %q", v)
	}
	c.Drop("a")
	if c.Used() != 2+6+15+50+50 {
		t.Errorf("what b still holds is not counted: %d bytes are used", c.Used())
	}
	c.Drop("b")
	if c.Used() != 0 || c.Len() != 0 {
		t.Errorf("empty, it uses %d bytes", c.Used())
	}
}

func TestOldestGoesFirst(t *testing.T) {
	c := lru.NewShared[int, int, int](220, inner)
	c.Put(1, 1, 60, []int{1})
	c.Put(2, 2, 60, []int{1})
	c.Get(1)
	c.Put(3, 3, 60, []int{1})
	if _, ok := c.Get(2); ok || c.Len() != 2 {
		t.Error("the one that was used longest ago did not go")
	}
	c.Put(4, 4, 200, []int{1})
	if _, ok := c.Get(4); ok || c.Len() != 2 {
		t.Error("what does not fit by itself drove the others out")
	}
	none := lru.NewShared[int, int, int](0, inner)
	none.Put(1, 1, 0, nil)
	if none.Len() != 0 {
		t.Error("a cache of no bytes keeps something")
	}
}

// TestUsedIsTheSumOfWhatIsHeld does random things and adds up what is held by itself.
func TestUsedIsTheSumOfWhatIsHeld(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		const limit = 400
		c := lru.NewShared[int, int, []int](limit, inner)
		for range rapid.IntRange(1, 60).Draw(t, "number") {
			key := rapid.IntRange(0, 9).Draw(t, "key")
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				c.Drop(key)
			case 1:
				c.Get(key)
			default:
				parts := rapid.SliceOfN(rapid.IntRange(0, 19), 0, 4).Draw(t, "parts")
				c.Put(key, parts, 7, parts)
			}
			want, seen := int64(0), map[int]bool{}
			var add func(p int)
			add = func(p int) {
				if seen[p] {
					return
				}
				seen[p] = true
				n, holds := inner(p)
				want += n
				for _, q := range holds {
					add(q)
				}
			}
			for key := range 10 {
				if parts, ok := c.Get(key); ok {
					want += 7
					for _, p := range parts {
						add(p)
					}
				}
			}
			if c.Used() != want || want > limit {
				t.Fatalf("%d bytes are used, %d are held, of %d", c.Used(), want, limit)
			}
		}
	})
}

func TestSharedIsSafeForConcurrentUse(t *testing.T) {
	c := lru.NewShared[string, int, int](500, inner)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 500 {
				key := fmt.Sprint(i % 7)
				c.Put(key, i, 3, slices.Repeat([]int{(g + i) % 20}, 2))
				c.Get(key)
				if i%5 == 0 {
					c.Drop(key)
				}
			}
		})
	}
	wg.Wait()
	for i := range 7 {
		c.Drop(fmt.Sprint(i))
	}
	if c.Used() != 0 {
		t.Errorf("empty, it uses %d bytes", c.Used())
	}
}
