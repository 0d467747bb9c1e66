package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/dumps"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
)

// What other compilers print comes in as a stream that may take as long as they compile: a session and a run are made first, and then
// requests append to the run. Its reader tells the events as they come, so pages that follow the run see rows at once.
const (
	// maxDump is the number of bytes of a dump.
	maxDump = 2 << 30
	// dumpIdle is how long nothing may come before a dump is taken to have ended.
	dumpIdle = 10 * time.Minute
)

// feeds are the dumps that are being read, by run.
type feeds struct {
	mu   sync.Mutex
	byID map[string]*feed
}

// feed is where requests put what they bring, and the run.Runner that reads it.
type feed struct {
	name string
	out  *io.PipeReader
	in   *io.PipeWriter
	idle *time.Timer
	done chan struct{}

	sending sync.Mutex // held by the request that appends
	bytes   int64
}

func newFeed(name string) *feed {
	f := &feed{name: name, done: make(chan struct{})}
	f.out, f.in = io.Pipe()
	f.idle = time.AfterFunc(dumpIdle, func() {
		f.in.CloseWithError(fmt.Errorf("nothing more arrived for %.0f minutes", dumpIdle.Minutes()))
	})
	return f
}

// Run implements run.Runner.
func (f *feed) Run(ctx context.Context, _ run.Request, sink run.Sink) error {
	defer close(f.done)
	defer f.idle.Stop()
	stop := context.AfterFunc(ctx, func() { f.out.CloseWithError(context.Cause(ctx)) })
	defer stop()
	err := dumps.Read(ctx, f.out, f.name, sink)
	// Who still sends is told that nobody reads.
	f.out.CloseWithError(io.ErrClosedPipe)
	return err
}

// openDump makes a session with a run that reads what is put into the feed.
func (s *Server) openDump(r *http.Request, name, token string) (store.Session, run.Info, *feed, error) {
	ctx := r.Context()
	sess, err := session.FromDump(ctx, s.cfg.Store, name, token)
	if err != nil {
		return sess, run.Info{}, nil, err
	}
	f := newFeed(sess.Source.Name)
	info, err := s.manager.Follow(ctx, s.visitor(r), sess.ID, run.Request{Source: sess.Source}, f)
	if err != nil {
		f.idle.Stop()
		return sess, info, nil, errors.Join(err, s.cfg.Store.DeleteSession(context.WithoutCancel(ctx), sess.ID))
	}
	s.feeds.mu.Lock()
	if s.feeds.byID == nil {
		s.feeds.byID = map[string]*feed{}
	}
	s.feeds.byID[info.ID] = f
	s.feeds.mu.Unlock()
	go func() {
		<-f.done
		s.feeds.mu.Lock()
		delete(s.feeds.byID, info.ID)
		s.feeds.mu.Unlock()
	}()
	if err := s.cfg.Store.AddRun(ctx, sess.ID, info.ID); err != nil {
		f.in.CloseWithError(err)
		return sess, info, nil, err
	}
	sess.Runs = []string{info.ID}
	return sess, info, f, nil
}

// newDump makes a session of a dump that has arrived as a whole.
func (s *Server) newDump(r *http.Request, c creation, token string) (store.Session, error) {
	data := c.data
	if data == nil {
		data = []byte(c.Source)
	}
	if !dumps.Knows(data) {
		return store.Session{}, badRequest("%s", dumps.Unreadable)
	}
	sess, _, f, err := s.openDump(r, orDefault(c.Name, c.file), token)
	if err != nil {
		return sess, err
	}
	go func() {
		_, err := f.in.Write(data)
		f.in.CloseWithError(err) // nil ends the dump
	}()
	return sess, nil
}

// createDump makes a session for a dump that is to be sent with appendDump.
func (s *Server) createDump(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Name string `json:"name"`
	}
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	if err := decodeJSON(r.Body, &body); err != nil {
		return err
	}
	token := s.editToken(r)
	if token == "" {
		token = session.NewToken()
	}
	sess, info, _, err := s.openDump(r, body.Name, token)
	if err != nil {
		return err
	}
	s.giveToken(w, token)
	w.Header().Set("Location", "/s/"+sess.ID)
	out, err := s.describe(r.Context(), sess, token)
	if err != nil {
		return err
	}
	return s.json(w, http.StatusCreated, map[string]any{"session": out, "run": describe(info), "edit_token": token})
}

// appendDump puts the body of a request behind what has come before; unless the query says that there is more to come, the dump ends
// with it, and the answer waits until it is read.
func (s *Server) appendDump(w http.ResponseWriter, r *http.Request) error {
	id := chi.URLParam(r, "run")
	if err := s.mayAppend(r, id); err != nil {
		return err
	}
	s.feeds.mu.Lock()
	f := s.feeds.byID[id]
	s.feeds.mu.Unlock()
	if f == nil {
		return s.dumpState(w, r, id)
	}
	if !f.sending.TryLock() {
		return &httpError{status: http.StatusConflict, message: "another request is sending this dump"}
	}
	defer f.sending.Unlock()
	err := f.append(w, r)
	switch {
	case errors.Is(err, io.ErrClosedPipe): // it was canceled, or a limit ended it: the run says so
	case err != nil:
		f.in.CloseWithError(err)
		return err
	case r.URL.Query().Get("more") == "":
		_ = f.in.Close()
	default:
		return s.dumpState(w, r, id)
	}
	log, err := s.manager.Log(r.Context(), id)
	for n, sealed := 0, false; err == nil && !sealed; {
		var lines [][]byte
		lines, sealed, err = log.Next(r.Context(), n)
		n += len(lines)
		sealed = sealed && len(lines) == 0
	}
	if err != nil {
		return err
	}
	return s.dumpState(w, r, id)
}

// mayAppend tells whether a request may add to a run: that of the visitor whose session it is.
func (s *Server) mayAppend(r *http.Request, id string) error {
	for _, holder := range s.manager.Holders(id) {
		if sess, err := s.cfg.Store.Session(r.Context(), holder); err == nil && session.MayEdit(sess, s.editToken(r)) {
			return nil
		}
	}
	if _, err := s.manager.Run(r.Context(), id); err != nil {
		return err
	}
	return &httpError{status: http.StatusForbidden, message: "only the creator of this session can add to its dump, while it is being read"}
}

// append copies the body of a request. Parts of it may come slowly, as a compiler prints them.
func (f *feed) append(w http.ResponseWriter, r *http.Request) error {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(run.OutsideLimits.Time)) // not supported in tests only
	buf := make([]byte, 256<<10)
	for {
		_ = control.SetReadDeadline(time.Now().Add(dumpIdle))
		n, err := r.Body.Read(buf)
		f.idle.Reset(dumpIdle)
		if f.bytes += int64(n); f.bytes > maxDump {
			return &httpError{status: http.StatusRequestEntityTooLarge, message: "the dump is larger than " + size(maxDump) + ", the limit of this server"}
		}
		if n > 0 {
			if _, err := f.in.Write(buf[:n]); err != nil {
				return io.ErrClosedPipe
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return tooSlow(fmt.Sprintf("nothing more arrived for %.0f minutes", dumpIdle.Minutes()))
		case err != nil:
			return badRequest("the dump ended before its end: %v", err)
		}
	}
}

// dumpState answers with the run of a dump, and with why it ended where it failed.
func (s *Server) dumpState(w http.ResponseWriter, r *http.Request, id string) error {
	info, err := s.manager.Run(r.Context(), id)
	if err != nil {
		return err
	}
	out := map[string]any{}
	log, err := s.manager.Log(r.Context(), id)
	if err != nil {
		return err
	}
	status := http.StatusAccepted
	if n, sealed := log.Len(); sealed && n > 0 {
		status = http.StatusOK
		lines, _, err := log.Next(r.Context(), n-1)
		if err != nil {
			return err
		}
		last, err := event.Decode(bytes.TrimSpace(lines[0]))
		if err != nil {
			return err
		}
		if done := event.Fold([]event.Event{last}).Finished; done != nil {
			info.State = string(done.Status) // the log ends a moment before the manager says so
			if done.Error != nil {
				out["error"] = done.Error
			}
		}
	}
	out["run"] = describe(info)
	return s.json(w, status, out)
}
