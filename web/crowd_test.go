package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// largeTexts stores texts of so many lines that differ from each other everywhere.
func largeTexts(t *testing.T, st store.Store, owner string, n, lines int) []string {
	t.Helper()
	hashes := make([]string, n)
	for i := range n {
		var b strings.Builder
		for k := range lines {
			fmt.Fprintf(&b, "    lv%d: R.Tensor((%d, 64), dtype=\"float32\") = R.add(lv%d, lv%d)\n", k, k%(i+3), k-1, (k*(i+2))%lines)
		}
		var err error
		if hashes[i], err = st.PutBlob(t.Context(), owner, event.LangTVMScript, []byte(b.String())); err != nil {
			t.Fatal(err)
		}
	}
	return hashes
}

// TestSixtyLargeDiffsAtOnce asks for many large differences, each of which takes long, by one
// visitor and by many. What goes on at once is bounded and so is the memory, the pages of others
// come as ever, and who is not served is told to come back.
func TestSixtyLargeDiffsAtOnce(t *testing.T) {
	lines := 100_000
	if testing.Short() {
		lines = 5_000
	}
	const diffs = 60
	for name, visitorOf := range map[string]func(i int) string{
		"one visitor":   func(int) string { return "203.0.113.1" },
		"many visitors": func(i int) string { return fmt.Sprint("203.0.113.", i+1) },
	} {
		t.Run(name, func(t *testing.T) {
			st := store.NewMemory(512 << 20)
			s := open(t, func(c *web.Config) { c.Store, c.TrustedProxies = st, []string{"127.0.0.1/32"} })
			sess := s.create("mlp").Session
			s.finished(sess.Runs[0])
			hashes := largeTexts(t, st, sess.Runs[0], 12, lines)

			var served, refused, most atomic.Int64
			var pages []time.Duration
			heap := goal.Heap(func() {
				var wg sync.WaitGroup
				k := 0
				for i := range hashes {
					for j := range i {
						if k++; k > diffs {
							continue
						}
						from := visitorOf(k)
						wg.Go(func() {
							a := s.another().get("/diff/"+hashes[i]+"/"+hashes[j], "X-Forwarded-For", from)
							switch a.StatusCode {
							case http.StatusOK:
								served.Add(1)
							case http.StatusTooManyRequests, http.StatusServiceUnavailable:
								refused.Add(1)
								if a.Header.Get("Retry-After") == "" || !strings.Contains(a.body, "differences") {
									t.Errorf("%d with %q does not say when to come back", a.StatusCode, a.body)
								}
							default:
								t.Errorf("a difference gives %d %.200s", a.StatusCode, a.body)
							}
						})
					}
				}
				ended := make(chan struct{})
				go func() { wg.Wait(); close(ended) }()
				other := s.another()
				pace := time.NewTicker(50 * time.Millisecond) // no more than the rate of a visitor
				defer pace.Stop()
				for going := true; going; <-pace.C {
					for _, path := range []string{"/s/" + sess.ID, "/ir/" + event.HashText(textAfter)} {
						began := time.Now()
						a := other.get(path, "X-Forwarded-For", "198.51.100.7")
						// On a busy machine a page may have to come back; all of that is its time.
						for !goal.Strict() && a.StatusCode == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "" && time.Since(began) < time.Minute {
							<-pace.C
							a = other.get(path, "X-Forwarded-For", "198.51.100.7")
						}
						a.want(t, http.StatusOK)
						pages = append(pages, time.Since(began))
					}
					l := s.server.DiffLoad()
					if class := web.DefaultShares().Diffs; l.Turns > class.Turns || l.Inside > class.Total {
						t.Errorf("at once there is %+v", l)
					}
					most.Store(max(most.Load(), l.Bytes))
					select {
					case <-ended:
						going = false
					default:
					}
				}
			})
			if served.Load() == 0 {
				t.Error("no difference was served")
			}
			t.Logf("%d differences of %d lines: %d served, %d told to come back; %d MiB of answers and work at most", diffs, lines, served.Load(), refused.Load(), most.Load()>>20)
			t.Logf("heap beside the texts: %d MiB; %d pages of another visitor: median %v", heap>>20, len(pages), goal.Percentile(pages, 50))
			if heap > 700<<20 {
				t.Errorf("the heap grew by %d MiB, want at most 700", heap>>20)
			}
			goal.Time(t, "95th percentile of a page of another visitor", goal.Percentile(pages, 95), 200*time.Millisecond)
			waitFor(t, "nothing goes on", func() bool { return s.server.DiffLoad() == share.Load{} })
		})
	}
}

// waitFor waits until something is so.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}
