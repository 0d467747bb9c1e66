package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
)

func TestProbesAndVersion(t *testing.T) {
	s := open(t, func(c *web.Config) { c.Version, c.Build = "v1.2.3", "abc" })
	// Who probes often knows an address only, not a name.
	s.get("/healthz", "Host", "10.1.2.3").want(t, http.StatusOK, "ok")
	s.get("/readyz", "Host", "10.1.2.3").want(t, http.StatusOK, "ready")
	s.get("/version", "Host", "10.1.2.3").want(t, http.StatusMisdirectedRequest)
	s.get("/version").want(t, http.StatusOK, `"version":"v1.2.3"`, `"build":"abc"`, `"go":"go`, `"platform":"`)
}

// TestHostIsCheckedUnlessTold: a server that was told no names answers to those of its machine only.
func TestHostIsCheckedUnlessTold(t *testing.T) {
	s := open(t, nil)
	for host, status := range map[string]int{"localhost:99": 200, "127.0.0.1": 200, "[::1]": 200, "evil.example": 421, "0.0.0.0": 421, "": 421} {
		if host != "" {
			s.get("/", "Host", host).want(t, status)
		}
	}
	named := open(t, func(c *web.Config) { c.Hosts = []string{"Scope.example"} })
	for host, status := range map[string]int{"scope.example": 200, "SCOPE.EXAMPLE.:8080": 200, "localhost": 421, "x.scope.example": 421} {
		named.get("/", "Host", host).want(t, status)
	}
}

// TestVisitorsBehindAProxy counts runs by the address that a trusted proxy saw, and believes nobody else.
func TestVisitorsBehindAProxy(t *testing.T) {
	one := func(c *web.Config) {
		c.Admission = run.DefaultAdmission(1)
		c.Admission.PerMinute = 1
	}
	seed, session := 0, ""
	start := func(s *site, status int, header ...string) {
		t.Helper()
		seed++ // equal runs are shared and do not count
		s.post("/api/sessions/"+session+"/runs", fmt.Sprintf(`{"seed":%d}`, seed), header...).want(t, status)
	}
	behind := open(t, func(c *web.Config) {
		one(c)
		c.TrustedProxies = []string{"127.0.0.0/8", "::1/128"}
	})
	session = behind.create("mlp").Session.ID // by a visitor without an address
	start(behind, http.StatusAccepted, "X-Forwarded-For", "203.0.113.1")
	start(behind, http.StatusTooManyRequests, "X-Forwarded-For", "203.0.113.1")
	start(behind, http.StatusTooManyRequests, "X-Forwarded-For", "198.51.100.7, 203.0.113.1") // what the visitor wrote, then what the proxy saw
	start(behind, http.StatusTooManyRequests, "X-Forwarded-For", "203.0.113.1, 127.0.0.9")    // two proxies
	start(behind, http.StatusAccepted, "X-Forwarded-For", "203.0.113.2")
	start(behind, http.StatusAccepted, "X-Forwarded-For", "2001:db8::1")
	start(behind, http.StatusTooManyRequests, "X-Forwarded-For", "2001:db8::2") // of the same network

	direct := open(t, one)
	session = direct.create("mlp").Session.ID
	start(direct, http.StatusTooManyRequests, "X-Forwarded-For", "203.0.113.2")
	start(direct, http.StatusTooManyRequests)
}

// TestSecureCookies: over https the token's cookie belongs to this host alone.
func TestSecureCookies(t *testing.T) {
	const body = `{"gallery":"mlp"}`
	plain := open(t, nil).post("/api/sessions", body).want(t, http.StatusCreated).Header.Get("Set-Cookie")
	if !strings.HasPrefix(plain, "irscope_edit=") || strings.Contains(plain, "Secure") || !strings.Contains(plain, "HttpOnly") {
		t.Errorf("without https the cookie is %s", plain)
	}
	s := open(t, func(c *web.Config) { c.Secure = true })
	made := decode[sessionAnswer](t, s.post("/api/sessions", body).want(t, http.StatusCreated))
	cookie := s.post("/api/sessions", body).want(t, http.StatusCreated).Header.Get("Set-Cookie")
	if !strings.HasPrefix(cookie, "__Host-irscope_edit=") || !strings.Contains(cookie, "; Secure") || !strings.Contains(cookie, "Path=/;") || strings.Contains(cookie, "Domain") {
		t.Errorf("with https the cookie is %s", cookie)
	}
	title := "/api/sessions/" + made.Session.ID + "/title"
	other := s.another()
	other.post(title, `{"title":"x"}`, "Cookie", "irscope_edit="+made.EditToken).want(t, http.StatusNotFound)
	other.post(title, `{"title":"x"}`, "Cookie", "__Host-irscope_edit="+made.EditToken).want(t, http.StatusOK)
}

// TestCancelGoesBackToOwnPagesOnly: what a Referer holds behind the host may be the beginning of another address.
func TestCancelGoesBackToOwnPagesOnly(t *testing.T) {
	s := open(t, nil)
	sess := s.create("wait").Session
	for path, want := range map[string]string{
		"/s/" + sess.ID: "/s/" + sess.ID, "/s/" + sess.ID + "?pass=1": "/s/" + sess.ID,
		"//evil.example/s/x": "", "/\\evil.example": "", "/s//evil.example": "", "/s/": "", "/": "", "/s/%2Fevil.example": "", "/s/a%5Cb": "",
	} {
		a := s.post("/runs/"+sess.Runs[0]+"/cancel", "", "Accept", html, "Referer", s.url+path)
		if got := a.Header.Get("Location"); got != want {
			t.Errorf("from %s cancel goes to %q, want %q", path, got, want)
		}
		if want == "" {
			a.want(t, http.StatusAccepted)
		}
	}
	if got := s.post("/runs/"+sess.Runs[0]+"/cancel", "", "Accept", html, "Referer", "https://evil.example/s/x").Header.Get("Location"); got != "" {
		t.Errorf("from another site cancel goes to %q", got)
	}
}

// TestTextsArePrivate: what a session holds may be kept by the browser that asked for it, and by nothing on the way.
func TestTextsArePrivate(t *testing.T) {
	s := open(t, nil)
	sess := s.create("mlp").Session
	s.finished(sess.Runs[0])
	before, after := event.HashText(textBefore), event.HashText(textAfter)
	for _, path := range []string{"/ir/" + before, "/diff/" + before + "/" + after, "/s/" + sess.ID, "/api/sessions/" + sess.ID, "/s/" + sess.ID + "/export.md", "/runs/" + sess.Runs[0] + "/events"} {
		c := s.get(path).want(t, http.StatusOK).Header.Get("Cache-Control")
		if !strings.HasPrefix(c, "private") && c != "no-store" {
			t.Errorf("%s has Cache-Control %q", path, c)
		}
	}
}
