package lru_test

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/web/lru"
)

func TestCacheIsBounded(t *testing.T) {
	c := lru.New[string, int](100)
	for i := range 10 {
		c.Put(fmt.Sprint(i), i, 30)
		c.Get("0") // keeps it in use
	}
	if c.Used() != 90 {
		t.Errorf("cache holds %d bytes, want 90 of at most 100", c.Used())
	}
	if v, ok := c.Get("0"); !ok || v != 0 {
		t.Error("the value in use was dropped")
	}
	if _, ok := c.Get("5"); ok {
		t.Error("a value that was not used is still there")
	}
	c.Put("9", 99, 30)
	if v, _ := c.Get("9"); v != 9 {
		t.Errorf("a second value for a key replaced the first: %d", v)
	}
	c.Put("big", 1, 101)
	if _, ok := c.Get("big"); ok {
		t.Error("a value larger than the cache was kept")
	}
	c.Drop("0")
	c.Drop("0")
	if _, ok := c.Get("0"); ok || c.Used() != 60 {
		t.Errorf("after dropping one the cache holds %d bytes, want 60", c.Used())
	}
}
