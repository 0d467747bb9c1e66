package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/irscope/irscope/web/store"
)

func classes(t *testing.T, s store.Store) {
	ctx, soon := t.Context(), time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	must(t, s.PutClass(ctx, store.Class{ID: "b", Expires: soon, Data: []byte("first")}))
	must(t, s.PutClass(ctx, store.Class{ID: "a", Expires: soon}))
	must(t, s.PutClass(ctx, store.Class{ID: "b", Expires: soon.Add(time.Hour), Data: []byte("second\x00")}))
	must(t, s.PutClass(ctx, store.Class{ID: "past", Expires: time.Now().Add(-time.Second), Data: []byte("x")}))
	all, err := s.Classes(ctx)
	must(t, err)
	if len(all) != 2 || all[0].ID != "a" || len(all[0].Data) != 0 || all[1].ID != "b" || string(all[1].Data) != "second\x00" || !all[1].Expires.Equal(soon.Add(time.Hour)) {
		t.Errorf("classes are %+v", all)
	}
	for what, c := range map[string]store.Class{"no id": {Expires: soon}, "no end": {ID: "x"}, "too large": {ID: "x", Expires: soon, Data: make([]byte, store.MaxClass+1)}} {
		if err := s.PutClass(ctx, c); err == nil {
			t.Errorf("a class with %s was stored", what)
		}
	}
	_, _, err = s.Expire(ctx, time.Now())
	must(t, err)
	want(t, store.ErrNotFound, s.DeleteClass(ctx, "past"), "deleting an expired class")
	must(t, s.DeleteClass(ctx, "a"))
	want(t, store.ErrNotFound, s.DeleteClass(ctx, "a"), "deleting a class twice")
	if _, _, err = s.Expire(ctx, soon.Add(3*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if all, err = s.Classes(ctx); err != nil || len(all) > 0 {
		t.Errorf("after their time classes are %+v (%v)", all, err)
	}
	for i := range store.MaxClasses {
		must(t, s.PutClass(ctx, store.Class{ID: fmt.Sprint(i), Expires: soon}))
	}
	want(t, store.ErrQuota, s.PutClass(ctx, store.Class{ID: "more", Expires: soon}), "one class more than the limit")
	must(t, s.PutClass(ctx, store.Class{ID: "7", Expires: soon, Data: []byte("again")}))
}
