package browser

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/irscope/irscope/e2e/fixture"
)

// TestExportedPage opens exported pages from the disk: nothing is requested, nothing is said on
// the console, the style sheet applies in both themes, and what a model names stays text.
func TestExportedPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, model, base string
	}{
		{"real", "mlp", serveCompiler(t)},
		{"hostile", fixture.Hostile, serve(t, &fixture.Runner{})},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := export(t, c.base, c.model)
			for _, theme := range []string{"light", "dark"} {
				for _, width := range []int64{1440, 390} {
					p := visit(t, "file://", width, 900)
					p.theme(theme)
					p.goTo(path)
					p.wait(`document.readyState === "complete" && document.querySelector(".pass")`)
					if n := eval[int](p, `performance.getEntriesByType("resource").length`); n != 0 {
						t.Errorf("the page made %d requests", n)
					}
					if got, want := eval[string](p, `getComputedStyle(document.body).backgroundColor`), map[string]string{"light": "rgb(236, 239, 244)", "dark": "rgb(13, 16, 22)"}[theme]; got != want {
						t.Errorf("the background in %s is %s, want %s", theme, got, want)
					}
					if eval[bool](p, `document.documentElement.scrollWidth > innerWidth || "__pwned" in window || document.scripts.length > 0 || document.images.length > 0`) {
						t.Errorf("at %d the page is wider than the window, or something of the model runs on it", width)
					}
					// It works without a script: a click opens a pass, and its diff is there.
					p.click(".pass.s-changed:not(.outer) > summary")
					p.wait(`document.querySelector(".pass[open] .code .r.a, .pass[open] .code .r.d")?.checkVisibility()`)
					p.tabTo(".pass[open] .code")
					if dir := os.Getenv("E2E_SHOTS"); dir != "" {
						p.shot(fmt.Sprintf("%s/export-%s-%s-%d.png", dir, c.name, theme, width))
					}
				}
			}
		})
	}
}

// export makes a session of a model with a note, and returns the path of its exported page.
func export(t *testing.T, base, model string) string {
	t.Helper()
	var made struct {
		Session struct {
			ID   string
			Runs []string
		}
		EditToken string `json:"edit_token"`
	}
	post := func(path, body string, into any) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+made.EditToken)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode != http.StatusCreated {
			t.Fatalf("POST %s: %d, %v", path, resp.StatusCode, err)
		}
	}
	post("/api/sessions", fmt.Sprintf(`{"gallery":%q}`, model), &made)
	post("/api/sessions/"+made.Session.ID+"/notes", `{"text":"<script>window.__pwned = 1</script> a note"}`, &struct{}{})
	for log := (struct{ Sealed bool }{}); !log.Sealed; {
		resp, err := http.Get(base + "/api/runs/" + made.Session.Runs[0] + "/events?wait=30")
		if err != nil {
			t.Fatal(err)
		}
		err = json.NewDecoder(resp.Body).Decode(&log)
		_ = resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	for {
		resp, err := http.Get(base + "/s/" + made.Session.ID + "/export.html")
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		switch {
		case err != nil:
			t.Fatal(err)
		case resp.StatusCode == http.StatusConflict: // its end is on its way to the store
		case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable:
		case resp.StatusCode != http.StatusOK:
			t.Fatalf("export: %d: %s", resp.StatusCode, data)
		case !strings.Contains(string(data), "&lt;script&gt;window.__pwned"):
			t.Fatal("the page lacks the note")
		default:
			return file(t, "export.html", string(data))
		}
	}
}
