package store_test

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/web/store"
	"github.com/irscope/irscope/web/store/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Conform(t, func(*testing.T) store.Store { return store.NewMemory(storetest.Limit) })
}

func TestMemoryStaysWithinItsLimit(t *testing.T) {
	const limit = 200_000
	m, ctx := store.NewMemory(limit), t.Context()
	for i := range 100 {
		id := fmt.Sprint("r", i)
		if err := m.CreateRun(ctx, store.Run{ID: id, Request: make([]byte, 5000)}); err != nil {
			t.Fatal(err)
		}
		if err := m.FinishRun(ctx, store.Run{ID: id, Status: "ok"}, true); err != nil {
			t.Fatal(err)
		}
		if m.Used() > limit {
			t.Fatalf("after run %d the store holds %d bytes, limit %d", i, m.Used(), limit)
		}
	}
	if err := m.CreateRun(ctx, store.Run{ID: "live", Request: make([]byte, limit)}); err == nil {
		t.Error("a run as large as the store was created")
	}
	if m.Used() > limit {
		t.Errorf("after a refusal the store holds %d bytes, limit %d", m.Used(), limit)
	}
}
