package sqlite

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// keptText makes a finished run that keeps a text, and one that goes on, and returns the hash of the text.
func keptText(t *testing.T, s *Store) string {
	t.Helper()
	ctx, text := t.Context(), "a text"
	hash := event.HashText(text)
	must(t, s.CreateRun(ctx, store.Run{ID: "old"}))
	must(t, s.AppendEvents(ctx, "old", 0, [][]byte{[]byte("x")}, store.Text{Hash: hash, Language: "tvmscript", Data: []byte(text)}))
	must(t, s.FinishRun(ctx, store.Run{ID: "old", Status: "ok"}, false))
	must(t, s.CreateRun(ctx, store.Run{ID: "new"}))
	return hash
}

// dropOld drops the finished run within a change.
func dropOld(t *testing.T, s *Store) {
	t.Helper()
	must(t, s.w.submit(t.Context(), &change{do: func(x *tx) error {
		list, err := x.numbers("SELECT n FROM run WHERE id = 'old'")
		if err != nil {
			return err
		}
		return x.dropRun(list[0])
	}}))
}

// TestKeepingWaitsForNobody: a run keeps what is known to be there while the writer is busy, and what it keeps stays when the run that
// made it is dropped before the writer comes to it.
func TestKeepingWaitsForNobody(t *testing.T) {
	s, ctx := open(t, Options{noSync: true}), t.Context()
	hash := keptText(t, s)
	release := hold(t, s)
	must(t, s.KeepBlob(ctx, "new", hash)) // does not return before the writer is free, where it waits
	if s.here.texts[hash] != 1 {
		t.Errorf("%d pins on a text that is on its way", s.here.texts[hash])
	}
	release()
	dropOld(t, s)
	if _, err := s.Blob(ctx, hash); err != nil {
		t.Errorf("what the new run keeps has gone: %v", err)
	}
	if s.here.texts[hash] != 0 {
		t.Errorf("%d pins on a text that is kept", s.here.texts[hash])
	}
}

// TestPinnedTextsStay: the writer does not drop a text while the change that keeps it is on its way.
func TestPinnedTextsStay(t *testing.T) {
	s, ctx := open(t, Options{noSync: true}), t.Context()
	hash := keptText(t, s)
	if !s.here.pin("new", []string{hash}) {
		t.Fatal("the text is not known to be there")
	}
	dropOld(t, s)
	s.here.unpin([]string{hash})
	must(t, s.KeepBlob(ctx, "new", hash))
	must(t, s.AppendEvents(ctx, "new", 0, [][]byte{[]byte("x")}))
	if _, err := s.Blob(ctx, hash); err != nil {
		t.Error(err)
	}
}

// TestWhatIsDroppedIsNotPresent: a text that nobody keeps any more is not found, and a run that has ended keeps by waiting.
func TestWhatIsDroppedIsNotPresent(t *testing.T) {
	s, ctx := open(t, Options{noSync: true}), t.Context()
	hash := keptText(t, s)
	dropOld(t, s)
	if s.here.pin("new", []string{hash}) {
		t.Error("a text that was dropped is taken for present")
	}
	if err := s.KeepBlob(ctx, "new", hash); err == nil {
		t.Error("a text was kept that was dropped")
	}
	must(t, s.FinishRun(ctx, store.Run{ID: "new", Status: "ok"}, false))
	if s.here.pin("new", nil) {
		t.Error("a run that has ended pins")
	}
}

// TestLostKeepsAreHeardOf: where keeping fails behind the back of a run, nothing that the run stores later is taken.
func TestLostKeepsAreHeardOf(t *testing.T) {
	s, ctx := open(t, Options{noSync: true}), t.Context()
	keptText(t, s)
	never := event.HashText("never stored")
	s.here.add([]string{never})
	must(t, s.KeepBlob(ctx, "new", never))
	err := s.AppendEvents(ctx, "new", 0, [][]byte{[]byte("x")})
	if err == nil || !strings.Contains(err.Error(), "an earlier change of the run was lost") {
		t.Errorf("error %v", err)
	}
}

// TestFewTextsAreKnown: what is known is bounded, and what is pinned is not forgotten.
func TestFewTextsAreKnown(t *testing.T) {
	p := newPresent()
	p.begins("r")
	p.add([]string{"pinned"})
	if !p.pin("r", []string{"pinned"}) {
		t.Fatal("not pinned")
	}
	for i := range 3 * maxPresent {
		p.add([]string{string(rune(i))})
	}
	if len(p.texts) > maxPresent {
		t.Errorf("%d texts are known", len(p.texts))
	}
	if p.drop("pinned") {
		t.Error("a pinned text may be dropped")
	}
}
