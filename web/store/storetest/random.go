package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// random does random things to a store and to the one in memory, and compares what both
// say. The store stays the same for all cases; each has ids of its own.
func random(t *testing.T, s store.Store) {
	if testing.Short() {
		t.Skip("many small transactions take long under the race detector")
	}
	cases := 0
	rapid.Check(t, func(rt *rapid.T) {
		cases++
		p := pair{t: rt, ctx: t.Context(), got: s, want: store.NewMemory(Limit), prefix: fmt.Sprint(cases, "/")}
		defer p.clear()
		rt.Repeat(map[string]func(*rapid.T){
			"create session": func(rt *rapid.T) {
				n := store.Session{ID: p.id(rt, "s"), Title: rapid.StringN(0, 10, 40).Draw(rt, "title"), TokenHash: [32]byte{byte(cases), byte(cases >> 8)}, Parent: p.id(rt, "s"), Lesson: rapid.SampledFrom([]string{"", "order"}).Draw(rt, "lesson")}
				p.both(func(s store.Store) (any, error) { return nil, s.CreateSession(p.ctx, n) })
			},
			"change session": func(rt *rapid.T) {
				id, text := p.id(rt, "s"), rapid.StringN(0, 10, 40).Draw(rt, "text")
				note := store.Note{ID: p.id(rt, "n"), Line: rapid.IntRange(-1, 9).Draw(rt, "line"), Text: text}
				what := rapid.IntRange(0, 7).Draw(rt, "what")
				p.both(func(s store.Store) (any, error) {
					switch what {
					case 0:
						return nil, s.SaveTitle(p.ctx, id, text)
					case 1:
						return nil, s.SaveSettings(p.ctx, id, []byte(text))
					case 2:
						return nil, s.AddRun(p.ctx, id, note.ID)
					case 3, 4:
						return nil, s.PutNote(p.ctx, id, note)
					case 5:
						return nil, s.DeleteNote(p.ctx, id, note.ID)
					case 6:
						return nil, s.ShareSession(p.ctx, id)
					default:
						when := []time.Time{time.Unix(-5, 0), time.Unix(5, 0), {}, time.Now().Add(time.Hour).UTC().Truncate(time.Second)}
						return nil, s.SetExpiry(p.ctx, id, when[(note.Line+1)%len(when)])
					}
				})
			},
			"delete session": func(rt *rapid.T) {
				id := p.id(rt, "s")
				p.both(func(s store.Store) (any, error) { return nil, s.DeleteSession(p.ctx, id) })
			},
			"create run": func(rt *rapid.T) {
				n := store.Run{ID: p.id(rt, "r"), Key: p.id(rt, "k"), Created: time.Now()}
				p.both(func(s store.Store) (any, error) { return nil, s.CreateRun(p.ctx, n) })
			},
			"append": func(rt *rapid.T) {
				id, from := p.id(rt, "r"), rapid.IntRange(0, 6).Draw(rt, "from")
				lines := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 20), 0, 4).Draw(rt, "lines")
				var texts []store.Text
				for range rapid.IntRange(0, 3).Draw(rt, "texts") {
					data := p.text(rt)
					texts = append(texts, store.Text{Hash: event.HashBytes(data), Language: event.LangPlain, Data: data, Base: event.HashBytes(p.text(rt))})
				}
				p.both(func(s store.Store) (any, error) {
					if r, err := s.Run(p.ctx, id); err == nil && from < 6 {
						return nil, s.AppendEvents(p.ctx, id, r.Events, lines, texts...)
					}
					return nil, s.AppendEvents(p.ctx, id, from, lines, texts...)
				})
			},
			"finish": func(rt *rapid.T) {
				n, reusable := store.Run{ID: p.id(rt, "r"), Status: "ok", Hash: "h"}, rapid.Bool().Draw(rt, "reusable")
				p.both(func(s store.Store) (any, error) { return nil, s.FinishRun(p.ctx, n, reusable) })
			},
			"put": func(rt *rapid.T) {
				id, data := p.id(rt, rapid.SampledFrom([]string{"r", "s"}).Draw(rt, "kind")), p.text(rt)
				p.both(func(s store.Store) (any, error) { return s.PutBlob(p.ctx, id, event.LangPlain, data) })
			},
			"compare": func(*rapid.T) { p.compare() },
		})
		p.compare()
	})
}

// pair is a store and the one that says what it should do.
type pair struct {
	t         *rapid.T
	ctx       context.Context
	got, want store.Store
	prefix    string
}

// clear removes what a case has left, so that the store never needs to make room.
func (p *pair) clear() {
	for _, n := range []string{"0", "1", "2", "3"} {
		_ = p.got.FinishRun(p.ctx, store.Run{ID: p.prefix + "r" + n, Status: "ok"}, false)
		_ = p.got.DeleteSession(p.ctx, p.prefix+"s"+n)
	}
	if _, _, err := p.got.Expire(p.ctx, time.Now().Add(2*store.OrphanTime)); err != nil {
		p.t.Fatalf("clear: %v", err)
	}
}

// id draws one of few ids of this case.
func (p *pair) id(t *rapid.T, kind string) string {
	return p.prefix + kind + rapid.SampledFrom([]string{"0", "1", "2", "3"}).Draw(t, kind)
}

// text draws one of few texts that are alike.
func (p *pair) text(t *rapid.T) []byte {
	return append(version(rapid.IntRange(0, 9).Draw(t, "version"), 30), p.prefix...)
}

// both does the same to both stores and compares what comes of it.
func (p *pair) both(do func(store.Store) (any, error)) {
	p.t.Helper()
	got, err := do(p.got)
	want, wantErr := do(p.want)
	same := (err == nil) == (wantErr == nil)
	for _, kind := range []error{store.ErrNotFound, store.ErrShared, store.ErrQuota, store.ErrFull} {
		same = same && errors.Is(err, kind) == errors.Is(wantErr, kind)
	}
	if !same {
		p.t.Fatalf("error is %v, in memory %v", err, wantErr)
	}
	if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); err == nil && a != b {
		p.t.Fatalf("got  %s\nwant %s", a, b)
	}
}

// compare compares all that can be read.
func (p *pair) compare() {
	for _, n := range []string{"0", "1", "2", "3"} {
		p.both(func(s store.Store) (any, error) {
			v, err := s.Session(p.ctx, p.prefix+"s"+n)
			v.Settings = append([]byte{}, v.Settings...)
			return v, err
		})
		p.both(func(s store.Store) (any, error) { return s.Events(p.ctx, p.prefix+"r"+n, 1) })
		p.both(func(s store.Store) (any, error) {
			v, err := s.Run(p.ctx, p.prefix+"r"+n)
			v.Request = nil
			v.Created = v.Created.UTC().Round(0)
			return v, err
		})
		p.both(func(s store.Store) (any, error) {
			v, err := s.RunByKey(p.ctx, p.prefix+"k"+n)
			return v.ID, err
		})
	}
	for v := range 10 {
		data := append(version(v, 30), p.prefix...)
		p.both(func(s store.Store) (any, error) { return s.Blob(p.ctx, event.HashBytes(data)) })
	}
}
