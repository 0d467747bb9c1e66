package storetest

import (
	"testing"
	"time"

	"github.com/irscope/irscope/web/store"
)

func reports(t *testing.T, s store.Store) {
	ctx := t.Context()
	must(t, s.CreateRun(ctx, store.Run{ID: "r", Created: time.Now().Add(-2 * store.OrphanTime)}))
	_, err := s.Report(ctx, "r")
	want(t, store.ErrNotFound, err, "a report that was not made")
	must(t, s.PutReport(ctx, "r", []byte("first")))
	must(t, s.PutReport(ctx, "r", []byte("second\x00")))
	got, err := s.Report(ctx, "r")
	if err != nil || string(got) != "second\x00" {
		t.Errorf("the report is %q (%v)", got, err)
	}
	want(t, store.ErrNotFound, s.PutReport(ctx, "other", []byte("x")), "a report of a run that is not there")
	if err := s.PutReport(ctx, "r", make([]byte, store.MaxReport+1)); err == nil {
		t.Error("a report that is too large was stored")
	}
	must(t, s.FinishRun(ctx, store.Run{ID: "r", Status: "ok"}, false))
	_, _, err = s.Expire(ctx, time.Now())
	must(t, err)
	_, err = s.Report(ctx, "r")
	want(t, store.ErrNotFound, err, "the report of a run that is gone")
}
