package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/present"
	"github.com/irscope/irscope/web/stream"
)

// bearer is the header of who has an edit token.
func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// told reads the next message of a socket.
func told[T any](t *testing.T, c *websocket.Conn) (out T) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if err := c.ReadJSON(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// bye ends a connection as a page does that is closed.
func bye(c *websocket.Conn) {
	_ = c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, ""), time.Now().Add(time.Second))
	_ = c.Close()
}

// TestPresenting lets the owner of a session present it, and nobody else.
func TestPresenting(t *testing.T) {
	s := open(t, nil)
	made := s.create("mlp")
	path := "/api/sessions/" + made.Session.ID
	other := s.another().create("mlp").EditToken
	for name, header := range map[string]http.Header{
		"nobody": nil, "another visitor": bearer(other), "half a token": bearer(made.EditToken[:20]), "a cookie of another": {"Cookie": {"irscope_edit=" + other}},
	} {
		if _, resp, err := s.dial(path+"/present", header); err == nil || resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s presents the session: %v", name, err)
		}
	}
	if _, resp, err := s.dial(path+"/present", http.Header{"Authorization": {"Bearer " + made.EditToken}, "Origin": {"https://evil.example"}}); err == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("a page from elsewhere presents the session: %v", err)
	}
	s.get(path+"/present").want(t, http.StatusBadRequest, "websocket")
	s.get(path+"/presentation").want(t, http.StatusOK, `{"presenting":false}`)
	if _, resp, err := s.dial(path+"/presentation", nil); err == nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("a presentation that is none is followed: %v", err)
	}

	looks, _, err := s.dial(path+"/changes", nil)
	if err != nil {
		t.Fatal(err)
	}
	told[map[string]any](t, looks)
	p, _, err := s.dial(path+"/present", bearer(made.EditToken))
	if err != nil {
		t.Fatal(err)
	}
	// The run of the session may end meanwhile, which is told too.
	for told[struct{ Presenting bool }](t, looks) == (struct{ Presenting bool }{}) {
	}
	if got := told[present.Audience](t, p); got.Followers != 0 {
		t.Errorf("the presenter is told %+v", got)
	}
	f, _, err := s.dial(path+"/presentation", nil)
	if err != nil {
		t.Fatal(err)
	}
	told[present.Scene](t, f)
	if got := told[present.Audience](t, p); got.Followers != 1 {
		t.Errorf("with a follower the presenter is told %+v", got)
	}
	if err := p.WriteJSON(present.Place{Query: "?pass=1/Fuse<i>Ops</i>&view=unified", Line: 4}); err != nil {
		t.Fatal(err)
	}
	if got := told[present.Scene](t, f); got.At == nil || got.At.Line != 4 {
		t.Errorf("the follower is told %+v", got)
	}
	s.get(path+"/presentation").want(t, http.StatusOK, `"line":4`)
	// What a follower says is no place.
	if err := f.WriteJSON(present.Place{Query: "?pass=2/Evil"}); err != nil {
		t.Fatal(err)
	}
	bye(p)
	if got := told[present.Scene](t, f); got.Presenting || got.At != nil {
		t.Errorf("after the end the follower is told %+v", got)
	}
	if _, _, err := f.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		t.Errorf("the follower's connection ends with %v", err)
	}
	for told[struct{ Presenting bool }](t, looks).Presenting {
	}
}

// TestAPresenterWhoFloods is sent away, and may come back; followers are told of neither place nor end.
func TestAPresenterWhoFloods(t *testing.T) {
	s := open(t, nil)
	made := s.create("mlp")
	path := "/api/sessions/" + made.Session.ID
	p, _, err := s.dial(path+"/present", bearer(made.EditToken))
	if err != nil {
		t.Fatal(err)
	}
	told[present.Audience](t, p) // now the presentation has begun
	f, _, err := s.dial(path+"/presentation", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10_000 {
		if p.WriteJSON(present.Place{Query: "?", Line: i}) != nil {
			break
		}
	}
	for {
		if got := told[present.Scene](t, f); got.Away {
			break
		}
	}
	if p, _, err = s.dial(path+"/present", bearer(made.EditToken)); err != nil {
		t.Fatal(err)
	}
	defer bye(p)
	if got := told[present.Scene](t, f); !got.Presenting || got.Away {
		t.Errorf("when the presenter is back the follower is told %+v", got)
	}
}

// TestHundredFollowers measures how long a place of the presenter takes to reach each of 100 pages that follow, all from one address.
// The presenter scrolls: ten places a second.
func TestHundredFollowers(t *testing.T) {
	const followers, beat = 100, 100 * time.Millisecond
	places := 30
	if goal.Strict() {
		places = 300
	}
	s := open(t, func(c *web.Config) { c.Stream = stream.Config{} })
	made := s.create("mlp")
	path := "/api/sessions/" + made.Session.ID
	p, _, err := s.dial(path+"/present", bearer(made.EditToken))
	if err != nil {
		t.Fatal(err)
	}
	defer bye(p)
	told[present.Audience](t, p) // now the presentation has begun
	sent := make([]time.Time, places)
	var mu sync.Mutex
	var lags []time.Duration
	skipped := 0
	var wg sync.WaitGroup
	for range followers {
		c, _, err := s.dial(path+"/presentation", nil)
		if err != nil {
			t.Fatal(err)
		}
		told[present.Scene](t, c)
		wg.Go(func() {
			var own []time.Duration
			next, skips := 0, 0
			for next < places {
				_, msg, err := c.ReadMessage()
				now := time.Now()
				var got present.Scene
				if err != nil || json.Unmarshal(msg, &got) != nil || got.At == nil {
					t.Errorf("a follower is told %s, %v", msg, err)
					return
				}
				own = append(own, now.Sub(sent[got.At.Line]))
				skips += got.At.Line - next
				next = got.At.Line + 1
			}
			mu.Lock()
			defer mu.Unlock()
			lags, skipped = append(lags, own...), skipped+skips
		})
	}
	tick := time.NewTicker(beat)
	defer tick.Stop()
	query := "?run=" + made.Session.Runs[0] + "&pass=1.2/FuseOps&function=" + strings.Repeat("f", 60) + "&view=unified"
	for i := range places {
		<-tick.C
		msg := fmt.Appendf(nil, `{"query":%q,"line":%d}`, query, i)
		sent[i] = time.Now() // before it is sent, so before anybody reads it
		if err := p.WriteMessage(websocket.TextMessage, msg); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	t.Logf("%d places to %d followers, %d of %d left out for a later one", places, followers, skipped, places*followers)
	goal.Time(t, "99th percentile of the lag of 100 followers", goal.Percentile(lags, 99), 250*time.Millisecond)
}
