package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// doing is a Runner made of a function.
type doing func(ctx context.Context) error

func (f doing) Run(ctx context.Context, _ Request, _ Sink) error { return f(ctx) }

// hooked is a store that calls its functions, where they are not nil, before it finishes a run, reads the events of one or takes some.
type hooked struct {
	*store.Memory
	finish, events, appends func()
}

func (s *hooked) AppendEvents(ctx context.Context, id string, from int, lines [][]byte, texts ...store.Text) error {
	if s.appends != nil {
		s.appends()
	}
	return s.Memory.AppendEvents(ctx, id, from, lines, texts...)
}

func (s *hooked) FinishRun(ctx context.Context, r store.Run, shared bool) error {
	if s.finish != nil {
		s.finish()
	}
	return s.Memory.FinishRun(ctx, r, shared)
}

func (s *hooked) Events(ctx context.Context, id string, from int) ([][]byte, error) {
	if s.events != nil {
		s.events()
	}
	return s.Memory.Events(ctx, id, from)
}

// house is a manager of one runner on a hooked store, and what it says.
func house(r Runner) (*Manager, *hooked, *bytes.Buffer) {
	st, said := &hooked{Memory: store.NewMemory(1 << 20)}, &bytes.Buffer{}
	m := NewManager(Config{Runner: r, Store: st, Build: "test", Admission: DefaultAdmission(4), Limits: DefaultLimits(), Log: slog.New(slog.NewTextHandler(said, nil))})
	return m, st, said
}

func ask(t *testing.T, m *Manager, name string) Info {
	t.Helper()
	info, err := m.Start(t.Context(), "v", "s", Request{Source: store.Source{Kind: store.SourceGallery, Name: name}})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// TestARunIsOverBeforeItIsStored: while the store still writes, its state and hash are known and it is shared, unless it failed.
func TestARunIsOverBeforeItIsStored(t *testing.T) {
	for want, failure := range map[event.Status]error{event.StatusOK: nil, event.StatusFailed: errors.New("no rule")} {
		synctest.Test(t, func(t *testing.T) {
			m, st, _ := house(doing(func(context.Context) error { return failure }))
			storing := make(chan struct{})
			st.finish = func() { <-storing }
			info := ask(t, m, "a")
			synctest.Wait()
			got, err := m.Run(t.Context(), info.ID)
			if err != nil || got.State != string(want) || len(got.Hash) == 0 || got.Events != 1 || got.Position != 0 {
				t.Errorf("while it is stored the run is %+v (%v), want %s", got, err, want)
			}
			again := ask(t, m, "a")
			if shared := failure == nil; again.Shared != shared || (again.ID == info.ID) != shared {
				t.Errorf("a run that ended %s is shared: %+v", want, again)
			}
			if m.Holders(info.ID) == nil {
				t.Error("nobody wants it any more")
			}
			close(storing)
			synctest.Wait()
			if done, err := m.Run(t.Context(), info.ID); err != nil || done.State != string(want) || done.Hash != got.Hash || m.Holders(info.ID) != nil {
				t.Errorf("when it is stored the run is %+v (%v), want the hash %s", done, err, got.Hash)
			}
			m.Drain(t.Context())
		})
	}
}

// TestARunWhoseEndDoesNotFit is not shared, though its runner ended well, and the operator is told.
func TestARunWhoseEndDoesNotFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, st, said := house(doing(func(context.Context) error { return nil }))
		storing := make(chan struct{})
		st.finish = func() { <-storing }
		req := Request{Source: store.Source{Kind: store.SourceGallery, Name: "a"}, Limits: Limits{Time: time.Minute, LogBytes: -finishRoom}}
		first, err := m.Start(t.Context(), "v", "s", req)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if second, err := m.Start(t.Context(), "v", "s", req); err != nil || second.Shared {
			t.Errorf("it is shared: %+v (%v)", second, err)
		}
		synctest.Wait()
		if want := `level=ERROR msg="close log" run=` + first.ID; !strings.Contains(said.String(), want) {
			t.Errorf("it says %q, want %q", said, want)
		}
		close(storing)
		m.Drain(t.Context())
	})
}

// TestLogsAtHand: all viewers of a run have one log, also where they come at once, and it goes with the run.
func TestLogsAtHand(t *testing.T) {
	m, st, _ := house(doing(func(context.Context) error { return nil }))
	if err := st.CreateRun(t.Context(), store.Run{ID: "r", Request: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	if err := st.AppendEvents(t.Context(), "r", 0, [][]byte{[]byte("{}")}); err != nil {
		t.Fatal(err)
	}
	var faster *Log
	st.events = func() {
		st.events = nil
		var err error
		if faster, err = m.Log(t.Context(), "r"); err != nil {
			t.Error(err)
		}
	}
	log, err := m.Log(t.Context(), "r")
	if err != nil || log != faster {
		t.Errorf("two viewers have logs of their own (%v)", err)
	}
	if n, sealed := log.Len(); n != 1 || !sealed || log.Bytes() != 2 {
		t.Errorf("the log has %d events in %d bytes", n, log.Bytes())
	}
	if _, ok := m.logs.Get("r"); !ok {
		t.Error("the log is not at hand")
	}
	// A run that has expired takes its log along.
	m.cfg.Store = store.NewMemory(1 << 20)
	if _, err := m.Log(t.Context(), "r"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a run that has expired gives %v", err)
	}
	if _, ok := m.logs.Get("r"); ok || m.logs.Used() != 0 {
		t.Error("its log is still at hand")
	}
}

// TestNobodyHoldsAVisitor when all runs are over, however they ended.
func TestNobodyHoldsAVisitor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		m, _, _ := house(doing(func(context.Context) error { <-stuck; return nil }))
		var ids []string
		for i := range 4 { // two run and two wait
			ids = append(ids, ask(t, m, fmt.Sprint(i)).ID)
		}
		held := func() int64 {
			v := m.visitors.Take("v")
			defer m.visitors.Give(v)
			return reflect.ValueOf(v).Elem().FieldByName("held").Int() - 1
		}
		synctest.Wait()
		if n := held(); n != 4 {
			t.Errorf("four runs hold their visitor %d times", n)
		}
		for _, id := range []string{ids[0], ids[3]} {
			if _, err := m.Cancel(t.Context(), id, "s"); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := held(); n != 3 {
			t.Errorf("with one that waited gone and one that does not stop they hold it %d times, want 3", n)
		}
		close(stuck)
		synctest.Wait()
		if n := held(); n != 0 {
			t.Errorf("in the end they hold it %d times", n)
		}
		m.Drain(t.Context())
	})
}

// TestARunGoesOnForWhoWantsIt: of two sessions one may leave; and a run that waits is over at once when nobody wants it.
func TestARunGoesOnForWhoWantsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		m, st, _ := house(doing(func(ctx context.Context) error {
			select {
			case <-stop:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}))
		first := ask(t, m, "a")
		both, err := m.Start(t.Context(), "w", "other", Request{Source: store.Source{Kind: store.SourceGallery, Name: "a"}})
		if err != nil || both.ID != first.ID {
			t.Fatalf("it is not shared: %+v (%v)", both, err)
		}
		if info, err := m.Cancel(t.Context(), first.ID, "s"); err != nil || info.State != StateRunning {
			t.Errorf("canceled by one of two it is %+v (%v)", info, err)
		}
		synctest.Wait()
		if info, err := m.Run(t.Context(), first.ID); err != nil || info.State != StateRunning {
			t.Errorf("then it is %+v (%v)", info, err)
		}
		ask(t, m, "b")
		waiting := ask(t, m, "c") // a third of the visitor
		storing := make(chan struct{})
		st.appends = func() { <-storing }
		if info, err := m.Cancel(t.Context(), waiting.ID, "s"); err != nil || info.State != string(event.StatusCanceled) || info.Position != 0 {
			t.Errorf("a run that waited and is canceled is %+v (%v)", info, err)
		}
		close(storing)
		close(stop)
		synctest.Wait()
		if info, err := m.Run(t.Context(), first.ID); err != nil || info.State != string(event.StatusOK) {
			t.Errorf("in the end it is %+v (%v)", info, err)
		}
		m.Drain(t.Context())
	})
}

// TestTextsKeepTheirLanguage in the store.
func TestTextsKeepTheirLanguage(t *testing.T) {
	r, _ := recording(t, DefaultLimits())
	for language, text := range map[string]string{event.LangTVMScript: "a", event.LangWAT: "b"} {
		if _, err := r.Text(language, text); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.finish(&event.RunFinished{Status: event.StatusOK}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"a": event.LangTVMScript, "b": event.LangWAT} {
		if b, err := r.store.Blob(t.Context(), event.HashText(text)); err != nil || b.Language != want || string(b.Data) != text {
			t.Errorf("the text %s is %q in %q (%v), want %q", text, b.Data, b.Language, err, want)
		}
	}
}

// TestLogsThatCannotBeRead end their run as interrupted, and the operator is told.
func TestLogsThatCannotBeRead(t *testing.T) {
	m, st, said := house(nil)
	for id, line := range map[string]string{"bad": "{", "unknown": `{"seq":0,"type":"nothing","body":{}}`} {
		if err := st.CreateRun(t.Context(), store.Run{ID: id, Request: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
		if err := st.AppendEvents(t.Context(), id, 0, [][]byte{[]byte(line)}); err != nil {
			t.Fatal(err)
		}
		status, hash, err := m.interrupt(t.Context(), store.Run{ID: id, Request: []byte("{}")})
		if status != "" || hash != "" || err == nil || !strings.HasPrefix(err.Error(), "decode event 0: ") {
			t.Errorf("%s gives %q, %q and %v", id, status, hash, err)
		}
	}
	if err := m.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"bad", "unknown"} {
		if r, err := st.Run(t.Context(), id); err != nil || r.Status != string(event.StatusInterrupted) {
			t.Errorf("%s is %+v (%v)", id, r, err)
		}
		if want := `level=ERROR msg="close the log of an interrupted run" run=` + id; !strings.Contains(said.String(), want) {
			t.Errorf("it says %q, want %q", said, want)
		}
	}
	if want := `level=INFO msg="marked the unfinished runs of the last process as ended" runs=2`; !strings.Contains(said.String(), want) {
		t.Errorf("it says %q, want %q", said, want)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("as asked")
	cancel(cause)
	if lines, sealed, err := NewLog().Next(ctx, 0); lines != nil || sealed || !errors.Is(err, cause) {
		t.Errorf("a reader that stops gets %v, %t, %v", lines, sealed, err)
	}
}

// TestTheEndOfADamagedLogSaysFromWhere: the number of the first event that is lost.
func TestTheEndOfADamagedLogSaysFromWhere(t *testing.T) {
	enc, err := event.Encode(event.New("", "", &event.RunStarted{Model: "m"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := StoredEvents(t.Context(), rotten{store.NewMemory(1 << 20), [][]byte{enc.Line}}, "r")
	if err != nil || len(lines) != 2 {
		t.Fatalf("there are %d events (%v)", len(lines), err)
	}
	e, err := event.Decode(lines[1])
	const want = "the stored log of this run is damaged from event 1 on; earlier events are shown; start the run again to see the rest"
	if done, ok := e.Body.(*event.RunFinished); err != nil || !ok || done.Error.Message != want {
		t.Errorf("it ends with %s (%v), want %q", lines[1], err, want)
	}
	if _, err := StoredEvents(t.Context(), rotten{store.NewMemory(1 << 20), [][]byte{[]byte("{")}}, "r"); err == nil || !strings.HasPrefix(err.Error(), "the good part of ") {
		t.Errorf("a good part that is none gives %v", err)
	}
}

// rotten is a store whose logs are damaged behind some lines.
type rotten struct {
	*store.Memory
	lines [][]byte
}

func (r rotten) Events(context.Context, string, int) ([][]byte, error) {
	return r.lines, &store.Damage{Good: len(r.lines), Err: errors.New("bits have rotted")}
}

// TestWatchersAtOnce come and go; none of them is lost or left.
func TestWatchersAtOnce(t *testing.T) {
	m, _, _ := house(doing(func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }))
	id := ask(t, m, "a").ID
	m.mu.Lock()
	a := m.active[id]
	m.mu.Unlock()
	stay := m.Watch(id, false)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20_000 {
				m.Watch(id, false)()
			}
		})
	}
	wg.Wait()
	if a.watchers != 1 || a.page || a.left != nil {
		t.Errorf("%d watchers are left of one, a page among them: %t", a.watchers, a.page)
	}
	stay()
	stay()
	if a.watchers != 0 {
		t.Errorf("%d watchers are left", a.watchers)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m.Drain(ctx)
}

// TestKeepingAtOnce takes texts of earlier runs from several goroutines.
func TestKeepingAtOnce(t *testing.T) {
	r, _ := recording(t, DefaultLimits())
	hashes := make([]string, 200)
	for i := range hashes {
		text := fmt.Sprint("text ", i)
		hashes[i] = event.HashText(text)
		if err := r.store.AppendEvents(t.Context(), "r", 0, nil, store.Text{Hash: hashes[i], Language: event.LangPlain, Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, h := range hashes {
				if there, err := r.Keep([]string{h}); !there || err != nil {
					t.Error(there, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if len(r.kept) != len(hashes) {
		t.Errorf("%d texts are kept, want %d", len(r.kept), len(hashes))
	}
}
