package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// slowStore takes what a test lets it take: each call of AppendEvents waits for one error to return.
type slowStore struct {
	*store.Memory
	answers chan error
	keep    error    // what KeepBlob returns where it is not nil
	asked   []string // of KeepBlob
	batches []string // what AppendEvents was given: the first number, the number of events, the texts with their bases
}

func (s *slowStore) AppendEvents(_ context.Context, _ string, from int, lines [][]byte, texts ...store.Text) error {
	b := fmt.Sprintf("%d+%d", from, len(lines))
	for _, t := range texts {
		b += fmt.Sprintf(" %s<-%.4s", t.Data[:min(len(t.Data), 4)], t.Base)
	}
	s.batches = append(s.batches, b)
	return <-s.answers
}

func (s *slowStore) KeepBlob(ctx context.Context, run string, hashes ...string) error {
	s.asked = append(s.asked, hashes...)
	if s.keep != nil {
		return s.keep
	}
	return s.Memory.KeepBlob(ctx, run, hashes...)
}

// recording returns a recorder of a run of a store that takes everything, with its log.
func recording(t *testing.T, limits Limits) (*recorder, *Log) {
	t.Helper()
	st := store.NewMemory(64 << 20)
	if err := st.CreateRun(t.Context(), store.Run{ID: "r", Request: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	log := NewLog()
	return newRecorder("r", log, st, limits), log
}

// slow returns a recorder whose store waits.
func slow() (*recorder, *slowStore) {
	st := &slowStore{Memory: store.NewMemory(1 << 20), answers: make(chan error)}
	return newRecorder("r", NewLog(), st, DefaultLimits()), st
}

func note(n int) event.Event {
	return event.New("", "", &event.Diagnostic{Severity: event.SeverityNote, Message: strings.Repeat("x", n)}, nil)
}

func started(step, parent, name string) event.Event {
	return event.New(step, parent, &event.PassStarted{Name: name}, nil)
}

// wantFault checks an error that names a limit.
func wantFault(t *testing.T, err error, limit, message string) {
	t.Helper()
	var e *event.Error
	if !errors.As(err, &e) || e.Kind != event.KindLimit || e.Limit != limit || e.Message != message {
		t.Errorf("the error is %v, want the limit %s with %q", err, limit, message)
	}
}

// TestLimitsAtTheirBounds takes what is exactly allowed, and not a byte more.
func TestLimitsAtTheirBounds(t *testing.T) {
	enc, err := event.Encode(note(10))
	if err != nil {
		t.Fatal(err)
	}
	size := int64(len(enc.Line))
	limits := Limits{LogBytes: 3 << 20, TextBytes: 2 << 20, Memory: 5 << 20}
	r, _ := recording(t, limits)
	r.logged = limits.LogBytes - 2*size
	for range 2 {
		if err := r.Emit(note(10)); err != nil {
			t.Errorf("an event that just fits gives %v", err)
		}
	}
	wantFault(t, r.Emit(note(10)), "log_bytes", "the events of the run take too much room: a run is limited to 3 MiB here")
	// The events that close the log have a MiB of their own.
	if _, err := r.finish(&event.RunFinished{Status: event.StatusOK}); err != nil {
		t.Errorf("the end does not fit: %v", err)
	}

	text := func(c string, n int) error { _, err := r.Text(event.LangTVMScript, strings.Repeat(c, n)); return err }
	r, _ = recording(t, limits)
	if err := errors.Join(text("a", 1<<20), text("a", 1<<20), text("b", 1<<20)); err != nil {
		t.Errorf("two texts of a MiB, one of them twice, give %v", err)
	}
	wantFault(t, text("c", 1), "text_bytes", "the printed IR of the run takes too much room: a run is limited to 2 MiB here")

	if err := errors.Join(r.Account(2<<20), r.Account(3<<20)); err != nil {
		t.Errorf("all of the memory gives %v", err)
	}
	wantFault(t, r.Account(2<<20), "memory", "the run needs 7 MiB of memory: a run is limited to 5 MiB here")
	if err := errors.Join(r.Account(-2<<20), r.Account(0)); err != nil {
		t.Errorf("memory that is given back is missing: %v", err)
	}
	wantFault(t, r.Account(1), "memory", "the run needs 5 MiB of memory: a run is limited to 5 MiB here")
}

// TestTheEndMustFit keeps the log from growing by its end beyond all bounds: the hash is that of what is there.
func TestTheEndMustFit(t *testing.T) {
	for _, extra := range []int64{0, 1} {
		r, log := recording(t, Limits{LogBytes: 1 << 20})
		if err := r.Emit(started("1/A", "", "A")); err != nil {
			t.Fatal(err)
		}
		r.start = time.Now().Add(time.Hour) // the time since then has no room of its own: it is as long each time
		failed := event.New("1/A", "", &event.PassFailed{Name: "A", Error: event.Error{Kind: event.KindPass, Message: "the pass did not finish", Pass: "A"}}, &event.Measured{At: -3_000_000_000_000})
		failed.Seq = 1
		enc, err := event.Encode(failed)
		if err != nil {
			t.Fatal(err)
		}
		r.logged = 2<<20 - int64(len(enc.Line)) + extra
		_, err = r.finish(&event.RunFinished{Status: event.StatusOK})
		n, sealed := log.Len()
		wantFault(t, err, "log_bytes", "the events of the run take too much room: a run is limited to 1 MiB here")
		if want := 2 - int(extra); n != want || !sealed {
			t.Errorf("%d events, sealed %t; want %d, and the log closed", n, sealed, want)
		}
	}
}

// TestKeepingTexts asks the store only about what the run does not have yet.
func TestKeepingTexts(t *testing.T) {
	r, st := slow()
	if ok, err := r.Keep(nil); !ok || err != nil || len(st.asked) != 0 {
		t.Errorf("keeping nothing gives %t, %v", ok, err)
	}
	if ok, err := r.Keep([]string{event.HashText("gone")}); ok || err != nil {
		t.Errorf("a text that is gone gives %t, %v", ok, err)
	}
	st.keep = errors.New("disk on fire")
	if ok, err := r.Keep([]string{"x"}); ok || err == nil || err.Error() != "keep text: disk on fire" {
		t.Errorf("a store that fails gives %t, %v", ok, err)
	}
	if len(r.kept) != 0 {
		t.Errorf("texts that could not be kept are known as %v", r.kept)
	}
	hash, err := r.Text(event.LangTVMScript, "mine")
	if err != nil || hash != event.HashText("mine") {
		t.Errorf("the text has hash %s, %v", hash, err)
	}
	st.asked = nil
	if ok, err := r.Keep([]string{hash}); !ok || err != nil || len(st.asked) != 0 {
		t.Errorf("a text of the run itself gives %t, %v, asked %v", ok, err, st.asked)
	}

	// A text that is stored and kept is neither stored again nor counted.
	full, _ := recording(t, Limits{LogBytes: 1 << 20, TextBytes: 1})
	other := store.Run{ID: "other", Request: []byte("{}")}
	if err := errors.Join(full.store.CreateRun(t.Context(), other), full.store.AppendEvents(t.Context(), "other", 0, nil, store.Text{Hash: event.HashText("long"), Data: []byte("long")})); err != nil {
		t.Fatal(err)
	}
	if ok, err := full.Keep([]string{event.HashText("long")}); !ok || err != nil {
		t.Errorf("a stored text gives %t, %v", ok, err)
	}
	if got, err := full.Text(event.LangTVMScript, "long"); err != nil || got != event.HashText("long") || len(full.pending.texts) != 0 {
		t.Errorf("a kept text has hash %s, error %v; %d texts are on their way", got, err, len(full.pending.texts))
	}
	if _, err := full.finish(&event.RunFinished{Status: event.StatusOK}); err != nil {
		t.Fatal(err)
	}
	if ok, err := full.Keep([]string{event.HashText("long")}); ok || !errors.Is(err, ErrSealed) {
		t.Errorf("after the end it gives %t, %v", ok, err)
	}
	if _, err := full.Text(event.LangTVMScript, "more"); !errors.Is(err, ErrSealed) {
		t.Errorf("a text after the end gives %v", err)
	}
	if err := full.Emit(note(1)); !errors.Is(err, ErrSealed) {
		t.Errorf("an event after the end gives %v", err)
	}
}

// TestTheRunWaitsForTheStore lets the store be slow: 16 MiB may be on their way, and what comes then waits.
func TestTheRunWaitsForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, st := slow()
		text := func(c string, n int) {
			t.Helper()
			if _, err := r.Text(event.LangTVMScript, strings.Repeat(c, n)); err != nil {
				t.Error(err)
			}
		}
		text("a", 16<<20)
		synctest.Wait()
		if len(st.batches) != 0 {
			t.Errorf("texts alone do not wait for the event that names them: %v", st.batches)
		}
		text("b", 1) // 16 MiB are not too much yet
		synctest.Wait()
		if got := fmt.Sprint(st.batches); got != "[0+0 aaaa<- b<-]" {
			t.Errorf("more than that is stored as %s", got)
		}
		done := false
		go func() {
			if err := r.Emit(note(1)); err != nil {
				t.Error(err)
			}
			done = true
		}()
		synctest.Wait()
		if done {
			t.Error("an event does not wait for the store")
		}
		st.answers <- nil
		synctest.Wait()
		if !done || st.batches[1] != "0+1" {
			t.Errorf("the event has come: %t, stored is %v", done, st.batches)
		}
		// While a batch is on its way the next collects.
		for range 3 {
			if err := r.Emit(note(1)); err != nil {
				t.Error(err)
			}
		}
		st.answers <- nil
		synctest.Wait()
		if len(st.batches) != 3 || st.batches[2] != "1+3" {
			t.Errorf("stored is %v, want the three events together", st.batches)
		}
		st.answers <- nil
		synctest.Wait()
		if r.busy || r.pending.bytes != 0 || len(r.pending.events)+len(r.pending.texts) != 0 {
			t.Errorf("%d bytes, %d events and %d texts are left", r.pending.bytes, len(r.pending.events), len(r.pending.texts))
		}
		if lines, _, err := r.log.Next(t.Context(), 0); err != nil || len(lines) != 4 {
			t.Errorf("%d events are shown, want 4 (%v)", len(lines), err)
		}
	})
}

// TestTheEndWakesARunThatWaits closes a run whose events wait for a store that is full of them.
func TestTheEndWakesARunThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, st := slow()
		if _, err := r.Text(event.LangTVMScript, strings.Repeat("a", 16<<20+1)); err != nil {
			t.Fatal(err)
		}
		var err error
		go func() { err = r.Emit(note(1)) }()
		synctest.Wait()
		go func() { _, _ = r.finish(&event.RunFinished{Status: event.StatusOK}) }()
		synctest.Wait()
		if !errors.Is(err, ErrSealed) {
			t.Errorf("the event that waited got %v, want ErrSealed", err)
		}
		st.answers <- nil
		st.answers <- nil
		synctest.Wait()
		if fmt.Sprint(st.batches) != "[0+0 aaaa<- 0+1]" {
			t.Errorf("stored is %v", st.batches)
		}
	})
}

// TestBasesOfTextsOnTheirWay: what the store has in hands is not changed any more.
func TestBasesOfTextsOnTheirWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, st := slow()
		text := func(s string) string {
			h, err := r.Text(event.LangTVMScript, s)
			if err != nil {
				t.Error(err)
			}
			return h
		}
		finished := func(before, after string) {
			e := event.New("1/A", "", &event.PassFinished{Name: "A", Functions: []event.FunctionChange{{Name: "f", Before: before, After: after}}}, nil)
			if err := r.Emit(e); err != nil {
				t.Error(err)
			}
		}
		one, two := text("one"), text("two")
		if err := r.Emit(note(1)); err != nil {
			t.Error(err)
		}
		synctest.Wait() // these are on their way, without a base
		finished(one, two)
		if r.pending.texts[1].Base != "" {
			t.Error("a text that is being stored has got a base")
		}
		three := text("three")
		finished(two, three)
		st.answers <- nil
		synctest.Wait()
		st.answers <- nil
		synctest.Wait()
		if want := fmt.Sprintf("[0+1 one<- two<- 1+2 thre<-%.4s]", two); fmt.Sprint(st.batches) != want {
			t.Errorf("stored is %v, want %s", st.batches, want)
		}
	})
}

// TestStoreFails ends a run with what the store said, and says where it was.
func TestStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, status := range []event.Status{event.StatusOK, event.StatusCanceled} {
			r, st := slow()
			_ = r.Emit(note(1))
			st.answers <- nil
			_ = r.Emit(note(1))
			st.answers <- errors.New("disk on fire")
			synctest.Wait()
			if err := r.Emit(note(1)); err == nil || err.Error() != "store event 1: disk on fire" {
				t.Errorf("the run hears %v", err)
			}
			if r.pending.bytes != 0 || r.run.Events != 1 {
				t.Errorf("%d bytes are on their way, %d events are stored", r.pending.bytes, r.run.Events)
			}
			done := &event.RunFinished{Status: status}
			go func() { st.answers <- nil }()
			hash, err := r.finish(done)
			want := event.StatusFailed
			if status != event.StatusOK {
				want = status // the run ended for another reason
			}
			if err != nil || hash == "" || done.Status != want || status == event.StatusOK && done.Error.Message != "store event 1: disk on fire" {
				t.Errorf("the run ends as %+v (%v)", done, err)
			}
			if n, sealed := r.log.Len(); n != 2 || !sealed {
				t.Errorf("%d events are shown, closed %t", n, sealed)
			}
		}
		// The end itself cannot be stored.
		r, st := slow()
		go func() { st.answers <- fmt.Errorf("wrapped: %w", store.ErrFull) }()
		_, err := r.finish(&event.RunFinished{Status: event.StatusOK})
		wantFault(t, err, "storage", "the server has no room for the events of this run right now; try again later")
		if !errors.Is(err, store.ErrFull) {
			t.Errorf("%v is not ErrFull", err)
		}
		if n, sealed := r.log.Len(); n != 0 || !sealed {
			t.Errorf("%d events are shown, closed %t", n, sealed)
		}
	})
}

// TestTheEndSaysWhatHappened checks times and counts of the last events: by the clock of the bubble.
func TestTheEndSaysWhatHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, log := recording(t, DefaultLimits())
		reused := event.New("1.2/B", "1/P", &event.PassFinished{Name: "B"}, &event.Measured{Saved: 500})
		reused.Reused = true
		for _, e := range []event.Event{
			started("1/P", "", "P"), started("1.1/A", "1/P", "A"),
			event.New("1.1/A", "1/P", &event.PassFinished{Name: "A", Changed: true}, nil),
			started("1.2/B", "1/P", "B"), reused,
			event.New("1.3/C", "1/P", &event.PassSkipped{Name: "C"}, nil),
			started("1.4/D", "1/P", "D"),
			event.New("1.4/D", "1/P", &event.PassFailed{Name: "D"}, nil),
			started("1.5/E", "1/P", "E"),
		} {
			if err := r.Emit(e); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(3 * time.Second)
		done := &event.RunFinished{Status: event.StatusFailed, Error: &event.Error{Kind: event.KindPanic, Message: "oh", Pass: "E"}}
		hash, err := r.finish(done)
		if err != nil {
			t.Fatal(err)
		}
		if done.Changed != 1 || done.Same != 1 || done.Skipped != 1 || done.Failed != 3 {
			t.Errorf("the end says %+v, want 1 changed, 1 same, 1 skipped, 3 failed", done)
		}
		lines, _, _ := log.Next(t.Context(), 9)
		sum := event.NewHasher()
		all, _, _ := log.Next(t.Context(), 0)
		var got []string
		for i, line := range all {
			e, err := event.Decode(line)
			if err != nil {
				t.Fatal(err)
			}
			enc, err := event.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			sum.Add(enc)
			if i < 9 {
				continue
			}
			switch b := e.Body.(type) {
			case *event.PassFailed:
				got = append(got, fmt.Sprint(e.Step, " in ", e.Parent, ": ", b.Name, " ", b.Error.Pass, " ", b.Error.Message, " at ", e.Measured.At))
			case *event.RunFinished:
				m := e.Measured
				got = append(got, fmt.Sprint("end at ", m.At, " total ", m.Total, " saved ", m.Saved, " of ", m.ReusedSteps, "/", m.Steps))
			}
		}
		want := []string{"1.5/E in 1/P: E E oh at 3000000000", "1/P in : P P oh at 3000000000"}
		if len(lines) != 3 || !slices.Equal(got[:2], want) || !strings.HasPrefix(got[2], "end at 3000000000 total 3000000000 saved 500 of 1/") {
			t.Errorf("the last events are %q, want %q and the end at 3 s", got, want)
		}
		if hash != sum.Sum() {
			t.Errorf("the hash is %s, that of the log is %s", hash, sum.Sum())
		}
	})
	// What finding steps again cost more than it saved is nothing saved.
	r, log := recording(t, DefaultLimits())
	e := event.New("1/A", "", &event.PassFinished{Name: "A"}, &event.Measured{Saved: -500})
	e.Reused = true
	if _, err := errors.Join(r.Emit(e)), error(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := r.finish(&event.RunFinished{Status: event.StatusOK}); err != nil {
		t.Fatal(err)
	}
	lines, _, _ := log.Next(t.Context(), 1)
	if end, err := event.Decode(lines[0]); err != nil || end.Measured.Saved != 0 {
		t.Errorf("the end is %+v (%v), want nothing saved", end.Measured, err)
	}
}

// TestResume takes up a log: its numbers, its bytes, its open steps, its hash and its time.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, log := recording(t, DefaultLimits())
		at := func(e event.Event, s int64) event.Event {
			e.Measured = &event.Measured{At: s * 1e9}
			return e
		}
		for _, e := range []event.Event{at(started("1/A", "", "A"), 5), at(started("1.1/B", "1/A", "B"), 7), at(event.New("1.1/B", "1/A", &event.PassFinished{Name: "B"}, nil), 6), note(1)} {
			if err := first.Emit(e); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		lines, _, err := log.Next(t.Context(), 0)
		if err != nil || len(lines) != 4 {
			t.Fatalf("%d events (%v)", len(lines), err)
		}
		r := newRecorder("r", NewLog(), first.store, DefaultLimits())
		if err := r.resume(lines); err != nil {
			t.Fatal(err)
		}
		if r.run.Finished != nil || len(r.run.Diagnostics) != 1 {
			t.Errorf("its state is %+v", r.run)
		}
		if r.logged != log.Bytes() || r.run.Events != 4 || len(r.run.Open()) != 1 || r.run.Open()[0].Path != "1/A" || r.hash.Sum() != first.hash.Sum() {
			t.Errorf("it has %d bytes of %d, %d events, open %v", r.logged, log.Bytes(), r.run.Events, r.run.Open())
		}
		time.Sleep(time.Second)
		if got := r.now().At; got != 8e9 {
			t.Errorf("a second later the time is %d ns, want that of the latest event and a second", got)
		}
		if err := r.resume(nil); err != nil || r.run.Events != 4 {
			t.Errorf("an empty log gives %d events, %v", r.run.Events, err)
		}
		if err := r.resume([][]byte{lines[0], []byte("{")}); err == nil || !strings.HasPrefix(err.Error(), "decode event 1: ") {
			t.Errorf("a broken log gives %v", err)
		}
	})
}

// TestOutcomes names all ends of a run.
func TestOutcomes(t *testing.T) {
	known := func(k event.ErrorKind) error {
		return fmt.Errorf("run: %w", &event.Error{Kind: k, Message: "m", Op: "Foo"})
	}
	const late = "the run exceeded its time limit of 1.235s"
	for _, c := range []struct {
		err     error
		status  event.Status
		kind    event.ErrorKind
		message string
	}{
		{nil, event.StatusOK, "", ""},
		{fmt.Errorf("x: %w", errTimeout), event.StatusTimeout, event.KindTimeout, late},
		{fmt.Errorf("x: %w", errCanceled), event.StatusCanceled, event.KindCanceled, "x: the run was canceled"},
		{errDraining, event.StatusCanceled, event.KindCanceled, "the server is shutting down"},
		{fmt.Errorf("x: %w", errDraining), event.StatusCanceled, event.KindCanceled, "x: the server is shutting down"},
		{fmt.Errorf("x: %w", errAlone), event.StatusCanceled, event.KindCanceled, "x: the run was stopped because the page that followed it was closed"},
		{fmt.Errorf("x: %w", context.Canceled), event.StatusCanceled, event.KindCanceled, "x: context canceled"},
		{errAlone, event.StatusCanceled, event.KindCanceled, "the run was stopped because the page that followed it was closed"},
		{context.Canceled, event.StatusCanceled, event.KindCanceled, "context canceled"},
		{known(event.KindLimit), event.StatusLimit, event.KindLimit, "m"},
		{known(event.KindTimeout), event.StatusTimeout, event.KindTimeout, "m"},
		{known(event.KindCanceled), event.StatusCanceled, event.KindCanceled, "m"},
		{known(event.KindUnsupported), event.StatusFailed, event.KindUnsupported, "m"},
		{fmt.Errorf("%w: nil map", errPanic), event.StatusFailed, event.KindPanic, "internal error: nil map"},
		{errors.New("bad order"), event.StatusFailed, event.KindPass, "bad order"},
		{context.DeadlineExceeded, event.StatusFailed, event.KindPass, "context deadline exceeded"},
	} {
		got := outcome(c.err, Limits{Time: 1234567 * time.Microsecond})
		if c.err == nil {
			if got.Status != c.status || got.Error != nil {
				t.Errorf("no error ends as %+v", got)
			}
			continue
		}
		if got.Status != c.status || got.Error == nil || got.Error.Kind != c.kind || got.Error.Message != c.message {
			t.Errorf("%v ends as %s with %+v, want %s, %s with %q", c.err, got.Status, got.Error, c.status, c.kind, c.message)
			continue
		}
		if limit := got.Error.Limit; (limit == "time") != (c.message == late) {
			t.Errorf("%v names the limit %q", c.err, limit)
		}
		var e *event.Error
		if errors.As(c.err, &e) && (got.Error == e || got.Error.Op != "Foo") {
			t.Errorf("%v is not copied whole: %+v", c.err, got.Error)
		}
	}
}

// ends is a Runner that returns an error, or panics with it.
type ends struct {
	err   error
	panic bool
}

func (r ends) Run(context.Context, Request, Sink) error {
	if r.panic {
		panic(r.err)
	}
	return r.err
}

// TestExecute: what a stopped run complains about is that it was stopped, and a run that was done is done. Panics are logged.
func TestExecute(t *testing.T) {
	stopped, cancel := context.WithCancelCause(t.Context())
	cancel(errCanceled)
	var log bytes.Buffer
	for _, c := range []struct {
		ctx  context.Context
		r    ends
		want event.Status
	}{
		{t.Context(), ends{}, event.StatusOK},
		{stopped, ends{}, event.StatusOK},
		{t.Context(), ends{err: errors.New("x")}, event.StatusFailed},
		{stopped, ends{err: errors.New("x")}, event.StatusCanceled},
	} {
		if got := execute(c.ctx, c.r, Request{}, nil, slog.New(slog.NewTextHandler(&log, nil))); got.Status != c.want {
			t.Errorf("%v with %v ends as %+v, want %s", c.r, c.ctx.Err(), got, c.want)
		}
	}
	if log.Len() > 0 {
		t.Errorf("without a panic the log has %s", log.String())
	}
	got := execute(t.Context(), ends{errors.New("nil map"), true}, Request{}, nil, slog.New(slog.NewTextHandler(&log, nil)))
	if got.Error == nil || got.Error.Kind != event.KindPanic || got.Error.Message != "internal error: nil map" {
		t.Errorf("a panic ends as %+v", got)
	}
	for _, want := range []string{"level=ERROR", `msg="run panicked"`, `panic="nil map"`, "recorder_internal_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log is %s, without %s", log.String(), want)
		}
	}
}

// TestFailedFindings: warnings and notes do not make a check fail.
func TestFailedFindings(t *testing.T) {
	ds := []event.Diagnostic{{Severity: event.SeverityNote}, {Severity: event.SeverityWarning}}
	if Failed(nil) || Failed(ds) || !Failed(append(ds, event.Diagnostic{Severity: event.SeverityError})) || (Checked{Diagnostics: ds}).Failed() {
		t.Error("errors are not told from warnings")
	}
}

// TestCountersAtOnce lets several goroutines of a runner report at once: without the lock some of what they say is lost.
func TestCountersAtOnce(t *testing.T) {
	const writers, each = 8, 5_000
	r, _ := recording(t, DefaultLimits())
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				text := fmt.Sprint(w, " ", i)
				hash, err := r.Text(event.LangTVMScript, text)
				if err != nil || hash != event.HashText(text) {
					t.Error(hash, err)
					return
				}
				if err := r.Account(1); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if r.memory != writers*each || len(r.kept) != writers*each || len(r.pending.texts) != writers*each {
		t.Errorf("%d bytes are accounted, %d texts known and %d on their way; want %d of each", r.memory, len(r.kept), len(r.pending.texts), writers*each)
	}
}
