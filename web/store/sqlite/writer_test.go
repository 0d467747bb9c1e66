package sqlite

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/irscope/irscope/web/store"
)

// hold stops the writer within a change until the function that it returns is called. That
// returns when the change is done.
func hold(t *testing.T, s *Store) (release func()) {
	t.Helper()
	held, free := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		first := true
		if err := s.w.submit(t.Context(), &change{do: func(*tx) error {
			if first {
				first = false
				close(held)
				<-free
			}
			return nil
		}}); err != nil {
			t.Error(err)
		}
	})
	<-held
	return func() {
		close(free)
		wg.Wait()
	}
}

// TestGroupsAreTriedAgainAlone breaks the transaction of a group: what others wanted is done all
// the same, once.
func TestGroupsAreTriedAgainAlone(t *testing.T) {
	s, ctx := open(t, Options{noSync: true}), t.Context()
	const n = 10
	for i := range n {
		must(t, s.CreateRun(ctx, store.Run{ID: fmt.Sprint("r", i)}))
	}
	release := hold(t, s)
	broken, tries := errors.New("broken"), 0
	var wg sync.WaitGroup
	results := make([]error, n+1)
	for i := range n {
		wg.Go(func() { results[i] = s.AppendEvents(ctx, fmt.Sprint("r", i), 0, [][]byte{[]byte("x")}) })
	}
	wg.Go(func() {
		results[n] = s.w.submit(ctx, &change{do: func(x *tx) error {
			tries++
			must(t, x.exec("ROLLBACK")) // as SQLite does when the disk is full
			return broken
		}})
	})
	release()
	wg.Wait()
	for i := range n {
		lines, err := s.Events(ctx, fmt.Sprint("r", i), 0)
		if results[i] != nil || err != nil || len(lines) != 1 {
			t.Errorf("run %d: %v, %d events (%v)", i, results[i], len(lines), err)
		}
	}
	if !errors.Is(results[n], broken) || tries < 1 || tries > 2 {
		t.Errorf("the change that broke the group was tried %d times: %v", tries, results[n])
	}
}

// TestLostPromise answers a change that then does not get to the disk: the run hears of it.
func TestLostPromise(t *testing.T) {
	s, ctx := open(t, Options{noSync: true}), t.Context()
	for _, id := range []string{"r", "other"} {
		must(t, s.CreateRun(ctx, store.Run{ID: id}))
	}
	hash, err := s.PutBlob(ctx, "other", "plain", []byte("text"))
	must(t, err)
	release := hold(t, s)
	queued := func(n int) {
		for len(s.w.changes) < n {
			runtime.Gosched()
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.KeepBlob(ctx, "r", hash); err != nil {
			t.Errorf("keep: %v", err)
		}
	})
	queued(1)
	first := true
	wg.Go(func() {
		if err := s.w.submit(ctx, &change{do: func(x *tx) error {
			if !first {
				return nil
			}
			first = false
			return errors.Join(x.exec("ROLLBACK"), x.exec("DELETE FROM run_blob"), x.exec("DELETE FROM blob"), errors.New("broken"))
		}}); err != nil {
			t.Error(err)
		}
	})
	queued(2)
	release()
	wg.Wait()
	for range 2 {
		if err := s.AppendEvents(ctx, "r", 0, [][]byte{[]byte("x")}); !errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), "was lost") {
			t.Errorf("an event after a promise that was not kept: %v", err)
		}
	}
	must(t, s.AppendEvents(ctx, "other", 0, [][]byte{[]byte("x")}))
	must(t, s.FinishRun(ctx, store.Run{ID: "r", Status: "failed"}, false))
}
