package stream

import (
	"net/http/httptest"
	"testing"
)

// TestOriginsThatMayConnect: none, this host, and those that are listed; what no browser sends is refused.
func TestOriginsThatMayConnect(t *testing.T) {
	h := New(Config{Origins: []string{"https://other.example", "http://third.example:8080"}})
	for _, c := range []struct {
		host    string
		origins []string
		want    bool
	}{
		{"here.example", nil, true},
		{"here.example", []string{"http://here.example"}, true},
		{"here.example", []string{"https://here.example"}, true},
		{"here.example", []string{"https://HERE.example"}, true},
		{"here.example:80", []string{"http://here.example"}, false},
		{"here.example", []string{"http://here.example:81"}, false},
		{"here.example", []string{"https://other.example"}, true},
		{"here.example", []string{"HTTPS://Other.Example"}, true},
		{"here.example", []string{"http://other.example"}, false},
		{"here.example", []string{"http://third.example:8080"}, true},
		{"here.example", []string{"http://third.example"}, false},
		{"here.example", []string{"http://evil.example"}, false},
		{"here.example", []string{"http://here.example", "http://here.example"}, false},
		{"here.example", []string{"http://here.example/"}, false},
		{"here.example", []string{"http://here.example/a"}, false},
		{"here.example", []string{"http://user@here.example"}, false},
		{"here.example", []string{"ftp://here.example"}, false},
		{"here.example", []string{"here.example"}, false},
		{"here.example", []string{"null"}, false},
		{"here.example", []string{""}, false},
		{"here.example", []string{"http://%zz"}, false},
		{"", []string{"http://"}, false},
		{"", []string{"https://"}, false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = c.host
		for _, o := range c.origins {
			r.Header.Add("Origin", o)
		}
		if got := h.checkOrigin(r); got != c.want {
			t.Errorf("from %q to %q: %t, want %t", c.origins, c.host, got, c.want)
		}
	}
}
