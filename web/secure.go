package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5/middleware"
)

// contentPolicy lets pages load what this server serves and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// secureHeaders sets the headers that hold for every answer. Handlers may only make
// them stricter.
func (s *Server) secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Frame-Options", "DENY")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("X-Robots-Tag", "noindex")
		next.ServeHTTP(w, r)
	})
}

// embeddable lets the pages of the origins that the operator names show an answer in a frame. The older header knows no list of
// origins, so it goes.
func (s *Server) embeddable(h http.Header) {
	h.Set("Content-Security-Policy", strings.Replace(contentPolicy, "frame-ancestors 'none'", "frame-ancestors "+strings.Join(s.cfg.Embed, " "), 1))
	h.Del("X-Frame-Options")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Del("Cross-Origin-Opener-Policy")
}

var embedOrigin = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^https?://(\*\.)?([0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*|\[[0-9A-Fa-f:]+\])(:[0-9]{1,5})?$`)
})

// CheckEmbed returns an error for the first origin that cannot be one of those that may show sessions in frames. What passes stands in a
// header as it is.
func CheckEmbed(origins []string) error {
	for _, o := range origins {
		if !embedOrigin().MatchString(o) {
			return fmt.Errorf("origin %q is not of the form https://host:port or https://*.host", o)
		}
	}
	return nil
}

// LoopbackNames are the names of a server that only its own machine can reach.
var LoopbackNames = []string{"localhost", "127.0.0.1", "::1"}

// checkHost refuses requests that address the server by a name that is not its own:
// a foreign name that resolves to this machine would make a foreign page one of ours.
// Probes tell nothing, and those who send them often know an address only.
func (s *Server) checkHost(next http.Handler) http.Handler {
	refuse := s.do(func(http.ResponseWriter, *http.Request) error {
		return &httpError{status: http.StatusMisdirectedRequest, message: "this server does not serve that host name"}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isProbe(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
		if !slices.ContainsFunc(s.cfg.Hosts, func(own string) bool { return strings.EqualFold(strings.Trim(own, "[]"), host) }) {
			refuse(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// recoverPanics answers 500 where a handler panics, and logs where.
func (s *Server) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p) // the way to break off an answer
			}
			s.cfg.Log.Error("handler panicked", "method", r.Method, "route", r.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			s.renderError(w, r, &httpError{status: http.StatusInternalServerError, message: "something went wrong on the server; its log has the details"})
		}()
		next.ServeHTTP(w, r)
	})
}

// visitorAddress finds the address of the visitor: that of the connection, or behind
// trusted proxies the one that they forward.
func (s *Server) visitorAddress() func(http.Handler) http.Handler {
	if len(s.cfg.TrustedProxies) == 0 {
		return middleware.ClientIPFromRemoteAddr
	}
	return middleware.ClientIPFromXFF(s.cfg.TrustedProxies...)
}

// visitor identifies who sends a request for the purpose of limits. Of an IPv6
// address the network counts, because one visitor has all addresses of it.
func (s *Server) visitor(r *http.Request) string {
	if who, ok := s.classes.Visitor(s.editToken(r)); ok {
		return who
	}
	addr := middleware.GetClientIPAddr(r.Context())
	if !addr.IsValid() {
		return "unknown"
	}
	if addr.Is4() || addr.Is4In6() {
		return addr.Unmap().String()
	}
	return netip.PrefixFrom(addr.WithZone(""), 64).Masked().String()
}

// CheckOrigins returns an error for the first origin that is not one.
func CheckOrigins(origins []string) error {
	for _, o := range origins {
		u, err := url.Parse(o)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || o != u.Scheme+"://"+u.Host {
			return fmt.Errorf("origin %q is not of the form https://host:port", o)
		}
	}
	return nil
}
