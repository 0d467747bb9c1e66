package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// largeRun stores a run that has finished with a log of about so many MiB, and returns its id.
func largeRun(t *testing.T, st store.Store, mib int) string {
	t.Helper()
	req, err := json.Marshal(run.Request{Source: store.Source{Kind: store.SourceGallery, Name: "mlp"}})
	if err != nil {
		t.Fatal(err)
	}
	r := store.Run{ID: fmt.Sprintf("%022d", mib), Key: fmt.Sprint(mib), Request: req, Created: time.Now()}
	if err := st.CreateRun(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	lines := make([][]byte, mib)
	for i := range lines {
		lines[i] = fmt.Appendf(nil, `{"seq":%d,"type":"diagnostic","body":{"message":%q}}`, i, strings.Repeat("x", 1<<20))
	}
	if err := st.AppendEvents(t.Context(), r.ID, 0, lines); err != nil {
		t.Fatal(err)
	}
	r.Status = string(event.StatusOK)
	if err := st.FinishRun(t.Context(), r, false); err != nil {
		t.Fatal(err)
	}
	return r.ID
}

// TestLogsThatViewersHoldAreBounded opens websockets on large runs that have finished and reads
// nothing. Another of the same visitor waits for room, those of other visitors do not.
func TestLogsThatViewersHoldAreBounded(t *testing.T) {
	st := store.NewMemory(256 << 20)
	s := open(t, func(c *web.Config) {
		c.Store, c.TrustedProxies, c.Shares = st, []string{"127.0.0.1/32"}, web.DefaultShares()
		c.Shares.Events.BytesPerVisitor, c.Shares.Events.Time = 24<<20, 200*time.Millisecond
	})
	first, second := largeRun(t, st, 10), largeRun(t, st, 11)
	follow := func(id, from string) (*websocket.Conn, int) {
		t.Helper()
		c, resp, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.url, "http")+"/runs/"+id+"/events", http.Header{"X-Forwarded-For": {from}})
		if resp == nil {
			t.Fatal(err)
		}
		if resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") == "" {
			t.Error("the refusal does not say when to come back")
		}
		return c, resp.StatusCode
	}
	stuck, status := follow(first, "203.0.113.1")
	if status != http.StatusSwitchingProtocols {
		t.Fatalf("the first gives %d", status)
	}
	if _, status := follow(second, "203.0.113.1"); status != http.StatusServiceUnavailable {
		t.Errorf("beside a log of 10 MiB of 24 another gives %d", status)
	}
	other, status := follow(second, "203.0.113.2")
	if status != http.StatusSwitchingProtocols {
		t.Fatalf("another visitor gets %d", status)
	}
	_ = other.Close()
	_ = stuck.Close()
	waitFor(t, "there is room when the first is gone", func() bool {
		c, status := follow(second, "203.0.113.1")
		if c != nil {
			_ = c.Close()
		}
		return status == http.StatusSwitchingProtocols
	})
}
