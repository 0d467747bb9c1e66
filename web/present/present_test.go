package present_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/irscope/irscope/web/present"
	"github.com/irscope/irscope/web/stream"
)

// hear returns the next message of a source, or fails.
func hear[T any](t *testing.T, s stream.Source) (out T) {
	t.Helper()
	lines, sealed, err := s.Next(t.Context(), 0)
	if err != nil || sealed || len(lines) != 1 {
		t.Fatalf("got %q, sealed %t, %v", lines, sealed, err)
	}
	if err := json.Unmarshal(lines[0], &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// silent checks that a source has nothing new.
func silent(t *testing.T, s stream.Source) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if lines, _, err := s.Next(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %q and %v, want nothing", lines, err)
	}
}

// over checks that a source is at its end.
func over(t *testing.T, s stream.Source) {
	t.Helper()
	if lines, sealed, err := s.Next(t.Context(), 0); !sealed || err != nil || len(lines) > 0 {
		t.Errorf("got %q, sealed %t, %v, want the end", lines, sealed, err)
	}
}

func follow(t *testing.T, s *present.Stages) (f *present.Follower, leave func()) {
	t.Helper()
	f, leave, err := s.Follow("s")
	if err != nil {
		t.Fatal(err)
	}
	return f, leave
}

// enter has somebody present the session "s".
func enter(t *testing.T, s *present.Stages) *present.Presenter {
	t.Helper()
	p := s.Present("s")
	if got := hear[present.Audience](t, p); got.Elsewhere {
		t.Fatal("who begins to present is told that another does")
	}
	return p
}

func say(t *testing.T, p *present.Presenter, query string) {
	t.Helper()
	if err := p.Take(fmt.Appendf(nil, `{"query":%q,"line":3}`, query)); err != nil {
		t.Fatal(err)
	}
}

// TestAPresentation from its beginning to its end: followers get the latest place, whenever they come.
func TestAPresentation(t *testing.T) {
	var told []string
	s := present.New(func(session string) { told = append(told, session) })
	s.Present("s").Leave(false) // its connection never came
	if _, _, err := s.Follow("s"); !errors.Is(err, present.ErrNone) {
		t.Errorf("where nobody presents, following gives %v", err)
	}
	p := enter(t, s)
	f, leave := follow(t, s)
	if got := hear[present.Scene](t, f); !got.Presenting || got.At != nil {
		t.Errorf("it begins with %+v", got)
	}
	for i := range 5 {
		say(t, p, fmt.Sprint("?line=", i))
	}
	if got := hear[present.Scene](t, f); got.At == nil || got.At.Query != "?line=4" || got.At.Line != 3 {
		t.Errorf("after five places it is at %+v", got.At)
	}
	say(t, p, "?line=4")
	silent(t, f)
	late, leaveLate := follow(t, s)
	if got := hear[present.Scene](t, late); got.At == nil || got.At.Query != "?line=4" {
		t.Errorf("who comes later is told %+v", got)
	}
	leave()
	leave() // once more does nothing
	if got := hear[present.Audience](t, p); got.Followers != 1 {
		t.Errorf("with one follower the presenter is told %+v", got)
	}
	silent(t, p)
	p.Leave(true)
	if got := hear[present.Scene](t, late); got.Presenting || got.At != nil {
		t.Errorf("after the end it says %+v", got)
	}
	over(t, late)
	leaveLate()
	if s.Presenting("s") || !slices.Equal(told, []string{"s", "s"}) {
		t.Errorf("after the end it is presented: %t; told of %q", s.Presenting("s"), told)
	}
	if err := p.Take([]byte(`{"query":"?late"}`)); err != nil || strings.Contains(string(s.Scene("s")), "late") {
		t.Errorf("who has left still presents: %s, %v", s.Scene("s"), err)
	}
}

// TestAPresenterWhoIsCutOff has a while to come back; then it ends.
func TestAPresenterWhoIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ends atomic.Int32
		s := present.New(func(string) { ends.Add(1) })
		p := enter(t, s)
		f, leave := follow(t, s)
		defer leave()
		say(t, p, "?here")
		hear[present.Scene](t, f)
		p.Leave(false)
		if got := hear[present.Scene](t, f); !got.Presenting || !got.Away || got.At == nil {
			t.Errorf("while the presenter is away it says %+v", got)
		}
		time.Sleep(present.Grace - time.Second)
		back := enter(t, s)
		if got := hear[present.Scene](t, f); !got.Presenting || got.Away || got.At.Query != "?here" {
			t.Errorf("when the presenter is back it says %+v", got)
		}
		time.Sleep(2 * present.Grace)
		silent(t, f)
		if ends.Load() != 1 {
			t.Errorf("the session was told of %d times, want once", ends.Load())
		}
		back.Leave(false)
		hear[present.Scene](t, f)
		time.Sleep(present.Grace + time.Second)
		synctest.Wait()
		if got := hear[present.Scene](t, f); got.Presenting || s.Presenting("s") || ends.Load() != 2 {
			t.Errorf("after the while it says %+v, told %d times", got, ends.Load())
		}
		over(t, f)
	})
}

// TestAnotherPageTakesOver: the first is told, and is no presenter any more.
func TestAnotherPageTakesOver(t *testing.T) {
	s := present.New(func(string) {})
	p := enter(t, s)
	q := enter(t, s)
	if got := hear[present.Audience](t, p); !got.Elsewhere {
		t.Errorf("the first page is told %+v", got)
	}
	over(t, p)
	say(t, q, "?second")
	say(t, p, "?first")
	p.Leave(true)
	if got := string(s.Scene("s")); !strings.Contains(got, "?second") {
		t.Errorf("after the first page left it is at %s", got)
	}
}

// TestFollowersAreBounded by session.
func TestFollowersAreBounded(t *testing.T) {
	s := present.New(func(string) {})
	p := enter(t, s)
	for range present.MaxFollowers {
		follow(t, s)
	}
	if _, _, err := s.Follow("s"); !errors.Is(err, present.ErrFull) {
		t.Errorf("one more gives %v", err)
	}
	hear[present.Audience](t, s.Present("other"))
	if _, _, err := s.Follow("other"); err != nil {
		t.Errorf("another session gives %v", err)
	}
	if got := hear[present.Audience](t, p); got.Followers != present.MaxFollowers {
		t.Errorf("the presenter is told %+v", got)
	}
}

// TestPlacesThatAreNone are refused, and change nothing.
func TestPlacesThatAreNone(t *testing.T) {
	s := present.New(func(string) {})
	p := enter(t, s)
	say(t, p, "?good")
	good := string(s.Scene("s"))
	for _, bad := range []string{
		"", "null x", "[]", `"?x"`, `{"query":1}`, `{"query":"?x"}{}`, `{"query":"?x","presenting":false}`, `{"query":"x"}`, `{"query":"javascript:alert(1)"}`,
		`{"query":"?` + strings.Repeat("x", 3<<10) + `"}`, `{"query":"?a=%zz"}`, `{"query":"?a;b"}`, "{\"query\":\"?\\u202e\"}", "{\"query\":\"?\\u0000\"}", "{\"query\":\"?\xff\"}",
		`{"query":"?","line":-1}`, `{"query":"?","line":1e300}`, `{"query":"?","line":2000000000}`, `{"query":"?","scroll":1.5}`, `{"query":"?","scroll":-1}`, `{"query":"?","scroll":"NaN"}`,
		`{"query":"?","window":{"x":-0.1,"y":0,"w":1,"h":1,"zoom":1}}`, `{"query":"?","window":{"x":0,"y":1.5,"w":1,"h":1,"zoom":1}}`, `{"query":"?","window":{"x":0,"y":0,"w":0,"h":1,"zoom":1}}`,
		`{"query":"?","window":{"x":0,"y":0,"w":1,"h":1,"zoom":0}}`, `{"query":"?","window":{"x":0,"y":0,"w":1,"h":1,"zoom":1e9}}`, `{"query":"?","window":{"x":0,"y":0,"w":1,"h":1,"zoom":1,"more":1}}`,
	} {
		if err := p.Take([]byte(bad)); err == nil {
			t.Errorf("%.80q was taken as %s", bad, s.Scene("s"))
		}
		if got := string(s.Scene("s")); got != good {
			t.Fatalf("%.80q changed the scene to %s", bad, got)
		}
	}
	for _, fine := range []string{`{"query":""}`, `{"query":"?pass=1.2/A&function=%3Cb%3E","line":9,"before":true}`, `{"query":"?","scroll":0.5}`, `{"query":"?view=graph","window":{"x":0.25,"y":0,"w":0.5,"h":1,"zoom":0.75}}`} {
		if err := p.Take([]byte(fine)); err != nil {
			t.Errorf("%s is refused: %v", fine, err)
		}
	}
}
