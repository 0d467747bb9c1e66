package browser

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture/goal"
)

// manyPasses is what LLVM prints of 100 functions on each of which 1,000 passes run; one in every few but the first changes something.
// It makes the text while it is read.
type manyPasses struct {
	every          int
	function, pass int
	rest           bytes.Buffer
}

// The functions of such a dump, and the passes on each.
const (
	manyFunctions = 100
	passesOnEach  = 1000
)

func (m *manyPasses) Read(out []byte) (int, error) {
	for m.rest.Len() < len(out) && m.function < manyFunctions {
		at := fmt.Sprintf("Pass%d on f%d ***\ndefine i32 @f%[2]d(i32 %%n) {\n", m.pass%40, m.function)
		body := "  %a = add i32 %n, 1\n  %b = mul i32 %a, 3\n  ret i32 %b\n}\n"
		fmt.Fprintf(&m.rest, "*** IR Dump After %s  %%v = add i32 %%n, %d\n%s", at, m.pass/m.every, body)
		if m.pass++; m.pass == passesOnEach {
			m.pass, m.function = 0, m.function+1
		}
	}
	if m.rest.Len() == 0 {
		return 0, io.EOF
	}
	return m.rest.Read(out)
}

// sendMany sends a dump to a server, and returns its session and run.
func sendMany(t *testing.T, base string, dump io.Reader) (session, run string) {
	t.Helper()
	send := func(path, token string, body io.Reader, answer any) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if err := json.NewDecoder(res.Body).Decode(answer); err != nil || res.StatusCode >= 300 {
			t.Fatalf("%s: %s, %v", path, res.Status, err)
		}
	}
	var made struct {
		Session struct{ ID string }
		Run     struct{ ID string }
		Token   string `json:"edit_token"`
	}
	send("/api/dumps", "", bytes.NewReader([]byte(`{"name":"many.txt"}`)), &made)
	began := time.Now()
	var end struct{ Run struct{ State string } }
	send("/api/runs/"+made.Run.ID+"/dump", made.Token, dump, &end)
	t.Logf("the server has read it in %v: %s", time.Since(began), end.Run.State)
	return made.Session.ID, made.Run.ID
}

// TestManyPassesAsked asks a server about two dumps with 100,000 passes each: their comparison, search, and the list of runs take less
// than a second, and the page of the comparison has its rows soon.
func TestManyPassesAsked(t *testing.T) {
	base := serveCompiler(t)
	var sessions, runs [2]string
	for i := range 2 {
		sessions[i], runs[i] = sendMany(t, base, &manyPasses{every: 10 + i})
	}
	get := func(what, path string) {
		t.Helper()
		for _, turn := range []string{"first", "again"} {
			began := time.Now()
			status, body := 0, []byte(nil)
			for status == 0 || status == http.StatusServiceUnavailable && time.Since(began) < time.Minute { // the server says when to come back
				res, err := http.Get(base + path)
				if err != nil {
					t.Fatal(err)
				}
				body, err = io.ReadAll(res.Body)
				if err := errors.Join(err, res.Body.Close()); err != nil {
					t.Fatal(err)
				}
				status = res.StatusCode
			}
			if status != http.StatusOK {
				t.Fatalf("%s: %d, %.300s", path, status, body)
			}
			// At first the log is read, and folded once for all who ask.
			bound := time.Second
			if turn == "first" {
				bound = 3 * time.Second
			}
			goal.Time(t, fmt.Sprintf("%s, %s, %d KiB", what, turn, len(body)>>10), time.Since(began), bound)
		}
	}
	compared := "/compare/" + runs[0] + "/" + runs[1]
	get("the page", "/s/"+sessions[0])
	get("the runs", "/api/sessions/"+sessions[0]+"/runs")
	get("the comparison", "/api"+compared)
	get("the functions after a row", "/api"+compared+"/functions?row=90000")
	for _, query := range []string{"mul", "gone:add", "born:mul", "nothing_has_this", `"%v = add"`} {
		get("searching "+query, "/api/runs/"+runs[0]+"/search?q="+url.QueryEscape(query))
	}
	p := visit(t, base, 1440, 900)
	began := time.Now()
	p.goTo(compared + "?a=" + sessions[0] + "&b=" + sessions[1])
	p.wait(`document.querySelectorAll("#rows [role=option]").length > 5 && document.querySelectorAll("#code .tx").length > 5`)
	goal.Time(t, "the page of the comparison", time.Since(began), 2*time.Second)
	if n := p.count("#rows *"); n > 1200 {
		t.Errorf("the rows have %d elements", n)
	}
}

// TestManyPasses opens the page of a dump with 100,000 passes: the first row comes soon, the tree scrolls and answers keys without long
// frames, and the page holds elements for what is in view alone.
func TestManyPasses(t *testing.T) {
	base := serveCompiler(t)
	session, _ := sendMany(t, base, &manyPasses{every: 10})
	p := visit(t, base, 1440, 900)
	began := time.Now()
	p.goTo("/s/" + session)
	p.wait(`document.querySelectorAll("#tree .row").length > 5`)
	goal.Time(t, "the first rows of 100,000 passes", time.Since(began), 2*time.Second)
	p.wait(`document.querySelector("#run-state-text")?.textContent.startsWith("Read in")`)
	t.Logf("all is there after %v", time.Since(began))
	p.wait(`document.querySelector("#code .is-add, #code .is-del")`)
	t.Logf("heap %d MiB", eval[int64](p, `performance.memory.usedJSHeapSize`)>>20)
	if got := p.text("#pass-count"); got != "9900 of 100000" {
		t.Errorf("the tree counts %q", got)
	}
	frames := func(what, each string) {
		t.Helper()
		took := eval[[]float64](p, `(async () => {
			const tree = document.querySelector("#tree"), frame = () => new Promise(requestAnimationFrame), took = [];
			await frame();
			for (let i = 1; i <= 30; i++) {
				const start = performance.now();
				`+each+`;
				await frame();
				took.push(performance.now() - start);
			}
			return took; })()`)
		median, longest := goal.Percentile(took, 50), goal.Percentile(took, 100)
		t.Logf("%s: median frame %.0f ms, longest %.0f ms", what, median, longest)
		goal.Time(t, what+", median frame", time.Duration(median*float64(time.Millisecond)), 50*time.Millisecond)
	}
	key := func(k string) string {
		return `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "` + k + `", bubbles: true, cancelable: true }))`
	}
	frames("scrolling changed passes", `tree.scrollTop = tree.scrollHeight * i / 31`)
	eval[bool](p, `(document.querySelector("#tree").focus(), true)`)
	frames("the next changed pass", key("j"))
	frames("arrow down", key("ArrowDown"))
	eval[bool](p, `(document.querySelector("#only-changed").click(), true)`)
	p.wait(`document.querySelector("#hidden-count").textContent === ""`)
	frames("scrolling all passes", `tree.scrollTop = tree.scrollHeight * i / 31`)
	eval[bool](p, `(document.querySelector("#tree").focus(), true)`)
	frames("the next of all passes", key("ArrowDown"))
	frames("typing a filter", `document.querySelector("#filter").value = "Pass" + i; document.querySelector("#filter").dispatchEvent(new Event("input"))`)
	if n := p.count(".cell"); n != 1000 {
		t.Errorf("the strip has %d cells, want those of the 1,000 largest changes", n)
	}
	if n := p.count("#tree *"); n > 1200 {
		t.Errorf("the tree has %d elements", n)
	}
}
