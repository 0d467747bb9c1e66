package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/session"
)

// complaints keeps what a server logs as errors: what it has no explanation for.
type complaints struct {
	mu   sync.Mutex
	list []string
}

func (c *complaints) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }
func (c *complaints) WithAttrs([]slog.Attr) slog.Handler           { return c }
func (c *complaints) WithGroup(string) slog.Handler                { return c }

func (c *complaints) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool { text += fmt.Sprintf(" %s=%v", a.Key, a.Value); return true })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, text)
	return nil
}

// taken returns what was logged since.
func (c *complaints) taken() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.list
	c.list = nil
	return out
}

// request is one to a route, with a body that is read. Words in braces stand for what the server has.
type request struct {
	method, path, query string
	body                any
}

const scriptBody = "@T.prim_func\ndef f(a: T.Buffer((8,), \"float32\"), b: T.Buffer((8,), \"float32\")):\n    for i in range(8):\n        with T.block(\"x\"):\n            vi = T.axis.spatial(8, i)\n            b[vi] = a[vi] + T.float32(1)\n"

// requests are as a page sends them, with some of the settings that there are.
func requests(r *rand.Rand) []request {
	settings := func() map[string]any {
		all := map[string]any{
			"target": "wasm", "opt_level": 2, "pipeline": "default", "disabled": []any{"FuseOps"}, "required": []any{"FoldConstant"}, "seed": 7,
			"steps":  []any{map[string]any{"name": "FuseOps", "options": map[string]any{"fuse_opt_level": 2}}, map[string]any{"name": "Sequential", "steps": []any{map[string]any{"name": "tir.UnrollLoop", "options": map[string]any{"auto_max_step": 8}}}}},
			"config": map[string]any{"tir.disable_vectorize": true, "tir.UnrollLoop": map[string]any{"auto_max_step": 4}}, "shapes": map[string]any{"x": []any{1, 2}}, "bindings": []any{map[string]any{"n": 3}},
			"scripts":   []any{map[string]any{"name": "a.star", "source": "def run(mod):\n    return mod\nregister_pass(name=\"Own\", run=run)\n"}},
			"patches":   []any{map[string]any{"after": "{after}", "text": scriptBody, "removed": []any{"f"}, "before": map[string]any{"f": "x"}}},
			"schedules": []any{map[string]any{"kernel": "f", "source": "b = sch.get_block(\"x\")\n"}}, "rewrites": true, "profile": 1,
			"inputs": []any{map[string]any{"name": "x", "file": "x.npy", "dtype": "float32", "shape": []any{2, 3}, "blob": "{hash}"}},
		}
		maps.DeleteFunc(all, func(string, any) bool { return r.IntN(3) > 0 })
		return all
	}
	step := map[string]any{"name": "tir.UnrollLoop", "options": map[string]any{"auto_max_step": 8, "explicit_unroll": false}}
	list := []request{
		{"POST", "/api/plan", "", settings()},
		{"POST", "/api/sessions", "", map[string]any{"gallery": "mlp", "pipeline": "default", "start": false}},
		{"POST", "/api/sessions", "", map[string]any{"kind": "tvmscript", "source": scriptBody, "name": "a.py", "start": true}},
		{"POST", "/api/sessions", "", map[string]any{"kind": "relay", "source": "def @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x) }", "name": "a.relay"}},
		{"POST", "/api/sessions", "", map[string]any{"kind": "tvmscript", "parent": "{session}", "source": scriptBody}},
		{"POST", "/api/sessions/{session}/title", "", map[string]any{"title": "t"}},
		{"POST", "/api/sessions/{session}/notes", "", map[string]any{"text": "*a*", "run": "{run}", "step": "1/FuseOps", "function": "main", "line": 3}},
		{"POST", "/api/sessions/{session}/expiry", "", map[string]any{"days": 3}},
		{"POST", "/api/sessions/{session}/tensors", "role=input&file=a.npy&taken=x", "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"},
		{"POST", "/api/sessions/{session}/class", "", map[string]any{"locked": true}},
		{"POST", "/api/sessions/{session}/answer", "", map[string]any{"question": "q", "option": 1}},
		{"POST", "/api/sessions/{session}/lessons/tiling/steps/1/check", "", map[string]any{"run": "{run}", "answer": "4"}},
		{"POST", "/api/check", "", map[string]any{"text": scriptBody, "name": "a.py"}},
		{"POST", "/api/format", "", map[string]any{"text": scriptBody, "name": "a.py"}},
		{"POST", "/api/passes/check", "", map[string]any{"name": "a.star", "source": "def run(mod):\n    return mod\nregister_pass(name=\"Own\", run=run)\n"}},
		{"POST", "/api/dumps", "", map[string]any{"name": "d"}},
		{"POST", "/api/runs/{run}/edit", "", map[string]any{"after": "{after}", "text": scriptBody, "functions": []any{"main"}, "was": "x", "patches": []any{map[string]any{"after": "{after}", "text": "x"}}}},
		{"POST", "/api/runs/{run}/try", "", map[string]any{"after": "{after}", "function": "{function}", "steps": []any{step}}},
		{"POST", "/api/runs/{run}/schedule", "", map[string]any{"kernel": "{function}", "source": "b = sch.get_block()\ni, j = sch.get_loops(b)\nsch.split(i, [None, 4])\n"}},
		{"POST", "/api/runs/{run}/bisect", "", map[string]any{"predicate": "contains=T.vectorized", "script": ""}},
		{"GET", "/api/runs/{run}/whatif", "", nil},
		{"GET", "/api/runs/{run}/check", "", nil},
		{"GET", "/api/runs/{run}/reproducer.py", "step={step}", nil},
		{"GET", "/api/runs/{run}", "", nil},
		{"GET", "/api/runs/{run}/events", "from=3&wait=0", nil},
		{"GET", "/api/runs/{run}/program.zip", "", nil},
		{"GET", "/api/runs/{run}/search", "q=matmul&count=5&in=text&regexp=1&case=1", nil},
		{"GET", "/api/runs/{run}/history", "node=3&step={step}&function={function}&name=x&show=all&in=1&side=before&line=4&shown=1", nil},
		{"GET", "/api/runs/{run}/history/marks", "node=3&step={step}&function={function}&line=4&side=after", nil},
		{"GET", "/api/runs/{run}/rewrites", "step={step}&function={function}", nil},
		{"GET", "/api/ir/{hash}", "from=1&count=10&form=exact&raw=&name=x", nil},
		{"GET", "/api/loops/{hash}", "", nil},
		{"GET", "/api/diff/{hash}/{other}", "view=unified&form=compact&context=3&from=0&count=10", nil},
		{"GET", "/api/graph/{hash}/{other}", "near=v1&steps=2&run={run}&groups=all&step={step}&function={function}&open=a&shut=b", nil},
		{"GET", "/api/sessions/{session}", "", nil},
		{"GET", "/api/sessions/{session}/runs", "", nil},
		{"GET", "/api/sessions/{session}/changes", "", nil},
		{"GET", "/api/sessions/{session}/export.zip", "run={run}", nil},
		{"GET", "/api/sessions/{session}/export.html", "run={run}", nil},
		{"GET", "/api/compare/{run}/{run}", "row=3&all=1&a={session}&b={session}", nil},
		{"GET", "/api/compare/{run}/{run}/functions", "row=3", nil},
		{"GET", "/api/passes", "target=x86", nil},
		{"GET", "/api/targets", "", nil},
		{"GET", "/s/{session}", "run={run}&pass={step}&function={function}&line=3&view=split&form=compact&node=4", nil},
		{"GET", "/passes/FuseOps", "", nil},
		{"GET", "/operators/relax.add", "", nil},
		{"GET", "/docs/web", "", nil},
		{"GET", "/new", "from={session}&example=axpy", nil},
	}
	return list
}

// found is what a server has that requests may name.
type found map[string][]string

// hostileValues take the place of values of JSON.
func hostileValue(r *rand.Rand) any {
	deep := func(n int) any {
		var v any = 1
		for range n {
			if v = []any{v}; r.IntN(2) == 0 {
				v = map[string]any{"a": v}
			}
		}
		return v
	}
	list := []func() any{
		func() any { return nil }, func() any { return true }, func() any { return -1 }, func() any { return 0 }, func() any { return 0.5 }, func() any { return json.Number("1e308") },
		func() any { return json.Number("9223372036854775807") }, func() any { return json.Number("-9223372036854775808") }, func() any { return json.Number("1e400") }, func() any { return json.Number("18446744073709551616") },
		func() any { return "" }, func() any { return "\x00" }, func() any { return "\u202e\ufeff\u2028" }, func() any { return "../../etc/passwd" }, func() any { return "<script>alert(1)</script>" },
		func() any { return "NaN" }, func() any { return "Infinity" }, func() any { return strings.Repeat("é", 70000) }, func() any { return strings.Repeat("(", 20000) }, func() any { return "x\xff\xfe" },
		func() any { return []any{} }, func() any { return map[string]any{} }, func() any { return slices.Repeat([]any{0}, 5000) }, func() any { return deep(40) }, func() any { return deep(4000) },
		func() any { return []any{nil, map[string]any{}, []any{}} }, func() any { return map[string]any{"": nil, "\x00": 1} }, func() any { return strings.Repeat("a.", 5000) }, func() any { return "%s%d%!" },
	}
	return list[r.IntN(len(list))]()
}

// mutate changes places of a value of JSON.
func mutate(r *rand.Rand, v any, p float64) any {
	if r.Float64() < p {
		return hostileValue(r)
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			switch {
			case r.Float64() < p/3:
			case r.Float64() < p/6:
				out[k+"x"] = v[k]
			default:
				out[k] = mutate(r, v[k], p)
			}
		}
		return out
	case []any:
		var out []any
		for _, x := range v {
			for range 1 + r.IntN(8)/7 {
				out = append(out, mutate(r, x, p))
			}
		}
		return out
	}
	if text, ok := v.(string); ok && strings.Contains(text, "(") && r.Float64() < 3*p {
		return reworded(r, text)
	}
	return v
}

// reworded replaces a word of a program.
func reworded(r *rand.Rand, text string) string {
	words := regexp.MustCompile(`[A-Za-z_0-9.]+|[^A-Za-z_0-9.\s]`).FindAllStringIndex(text, -1)
	at := words[r.IntN(len(words))]
	odd := []string{"-1", "0", "1e308", "None", `float("nan")`, "[]", "10**100", "9223372036854775808", "x", `""`, "(", "#", "", "T.int64(-1)", "T.float32(1e39)", "while", "é", "\x00", "lambda: 0", "i, i"}
	for range 1 + r.IntN(2) {
		if r.IntN(3) == 0 { // another word of the program
			other := words[r.IntN(len(words))]
			odd = append(odd, text[other[0]:other[1]])
		}
	}
	return text[:at[0]] + odd[r.IntN(len(odd))] + text[at[1]:]
}

// fill puts what the server has in the place of words in braces; at times something else.
func (f found) fill(r *rand.Rand, text string) string {
	for _, key := range []string{"session", "run", "hash", "other", "step", "after", "function"} {
		for strings.Contains(text, "{"+key+"}") {
			from := key
			if key == "other" {
				from = "hash"
			}
			list := f[from]
			word := list[r.IntN(len(list))]
			if r.IntN(15) == 0 {
				word = []string{"", "none", "0", strings.Repeat("f", 64), "a/b", "%00", "..", "é", "1/FuseOps#9999999999999999999", strings.Repeat("9", 400)}[r.IntN(10)]
			}
			text = strings.Replace(text, "{"+key+"}", word, 1)
		}
	}
	return text
}

// send makes a request of one and sends it.
func (f found) send(r *rand.Rand, q request) (path string, body []byte, kind string) {
	path = f.fill(r, q.path)
	if strings.ContainsAny(path, " %") || !utf8.ValidString(path) {
		path = (&url.URL{Path: path}).EscapedPath()
	}
	values, _ := url.ParseQuery(q.query)
	for _, k := range slices.Sorted(maps.Keys(values)) {
		list := values[k]
		for i := range list {
			list[i] = f.fill(r, list[i])
			if r.IntN(6) == 0 {
				if text, ok := hostileValue(r).(string); ok && len(text) < 4000 {
					list[i] = text
				} else {
					list[i] = []string{"-1", "1e9", "99999999999999999999", "NaN", "0x10", " 1", "[]", "2147483648"}[r.IntN(8)]
				}
			}
		}
		values[k] = list
	}
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	switch b := q.body.(type) {
	case nil:
		return path, nil, ""
	case string:
		body = []byte(b)
	default:
		p := []float64{0, 0.03, 0.1, 0.3}[r.IntN(4)]
		data, err := json.Marshal(mutate(r, b, p))
		if err != nil { // a number that is none
			data = []byte(`{"seed":1e400}`)
		}
		body = []byte(f.fill(r, string(data)))
		kind = "application/json"
	}
	switch r.IntN(12) {
	case 0:
		if len(body) > 0 {
			body = body[:r.IntN(len(body))]
		}
	case 1:
		for range 1 + r.IntN(4) {
			if len(body) > 0 {
				body[r.IntN(len(body))] = byte(r.IntN(256))
			}
		}
	case 2:
		kind = []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/zip", "application/json; charset=\xff"}[r.IntN(6)]
	}
	return path, body, kind
}

// TestRequests sends random requests to the whole server. It explains what is wrong with each, and has nothing to log; afterwards, nothing of them is left.
func TestRequests(t *testing.T) {
	log := &complaints{}
	before := goroutines()
	t.Run("requests", func(t *testing.T) {
		srv := serveWith(t, slog.New(log))
		have := srv.begin(t)
		counts := map[int]int{}
		seed.Each(t, 100, func(t *testing.T, r *rand.Rand) {
			list := requests(r)
			q := list[r.IntN(len(list))]
			if r.IntN(4) == 0 {
				q = request{"POST", "/api/sessions/{session}/runs", "", list[0].body}
			}
			path, body, kind := have.send(r, q)
			srv.t = t
			began := time.Now()
			status, answer, header := srv.ask(q.method, path, kind, bytes.NewReader(body))
			took := time.Since(began)
			counts[status]++
			say := func(format string, args ...any) {
				t.Helper()
				t.Errorf("%s %s %q (%s) answers %d in %s: %s\n%s", q.method, cut(path), cut(string(body)), kind, status, took, fmt.Sprintf(format, args...), cut(answer))
			}
			if took > 40*time.Second {
				say("too slow")
			}
			if status >= 500 && status != http.StatusServiceUnavailable && status != http.StatusNotImplemented && status != http.StatusInsufficientStorage {
				say("a failure of the server")
			}
			if id := started(status, answer); id != "" && q.path != "/api/dumps" {
				events := srv.events(id)
				done, ok := events[len(events)-1].Body.(*event.RunFinished)
				if !ok || done.Error != nil && (done.Error.Kind == event.KindPanic || done.Error.Message == "") {
					say("the run ends with %+v, %+v", events[len(events)-1].Body, done.Error)
				}
			}
			for _, c := range log.taken() {
				say("it logs %s", c)
			}
			if !utf8.ValidString(answer) && !strings.Contains(header.Get("Content-Type"), "zip") && !strings.Contains(header.Get("Content-Type"), "octet") {
				say("the answer is not UTF-8")
			}
			if strings.HasPrefix(path, "/api/") && status >= 400 {
				var x struct{ Error struct{ Message string } }
				if err := json.Unmarshal([]byte(answer), &x); err != nil || x.Error.Message == "" {
					say("no message: %v", err)
				}
			}
		})
		t.Log(counts)
	})
	letGo(t, before)
}

// goroutines is how many there are.
func goroutines() int { return runtime.NumGoroutine() }

// letGo waits until no more goroutines than before are left, but for a few of the engines and of the client.
func letGo(t *testing.T, before int) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for goroutines() > before+20 && time.Now().Before(deadline) {
		http.DefaultClient.CloseIdleConnections()
		time.Sleep(100 * time.Millisecond)
	}
	if n := goroutines(); n > before+20 {
		buf := make([]byte, 1<<20)
		t.Errorf("%d goroutines are left of %d:\n%s", n, before, buf[:runtime.Stack(buf, true)])
	}
}

// owner is the token that makes all sessions, so that they may be changed.
var owner = session.NewToken()

// started is the run that an answer says has started, "" if it says nothing of one.
func started(status int, answer string) string {
	var x struct {
		Run struct{ ID string }
	}
	if err := json.Unmarshal([]byte(answer), &x); err != nil || status != http.StatusCreated && status != http.StatusAccepted && status != http.StatusOK {
		return ""
	}
	return x.Run.ID
}

func quoted(text string) string {
	data, _ := json.Marshal(text) // a string always works
	return string(data)
}

// begin makes sessions and runs, and collects what they have.
func (s *server) begin(t *testing.T) found {
	t.Helper()
	have := found{}
	for _, body := range []string{
		`{"gallery":"mlp","start":true}`,
		`{"gallery":"cnn","start":true}`,
		`{"kind":"tvmscript","source":` + quoted(scriptBody) + `,"start":true}`,
	} {
		status, answer, _ := s.ask(http.MethodPost, "/api/sessions", "application/json", strings.NewReader(body))
		var made struct {
			Session struct {
				ID   string
				Runs []string
			}
		}
		if err := json.Unmarshal([]byte(answer), &made); err != nil || status != http.StatusCreated || len(made.Session.Runs) == 0 {
			t.Fatalf("%d %s: %v", status, cut(answer), err)
		}
		have["session"] = append(have["session"], made.Session.ID)
		run := made.Session.Runs[0]
		have["run"] = append(have["run"], run)
		for _, e := range s.events(run) {
			if f, ok := e.Body.(*event.PassFinished); ok {
				have["step"], have["after"] = append(have["step"], e.Step), append(have["after"], f.Name)
				for _, c := range f.Functions {
					have["function"] = append(have["function"], c.Name)
					have["hash"] = append(have["hash"], c.After)
				}
			}
		}
	}
	return have
}

// ask is do with the header of the answer, as the owner of all sessions.
func (s *server) ask(method, path, kind string, body io.Reader) (int, string, http.Header) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, body)
	if err != nil {
		s.t.Fatalf("%q: %v", path, err)
	}
	s.visitors++
	req.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", s.visitors>>16&255, s.visitors>>8&255, s.visitors&255))
	req.Header.Set("Authorization", "Bearer "+owner)
	if kind != "" {
		req.Header.Set("Content-Type", strings.ToValidUTF8(kind, "?"))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(data), resp.Header
}
