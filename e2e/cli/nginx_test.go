package cli

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// proxied is a server behind nginx, both as docs/deploy.md has them.
type proxied struct {
	t     *testing.T
	port  string
	roots *x509.CertPool
}

const publicName = "irscope.example.org"

var example = regexp.MustCompile("(?s)<!-- nginx:begin -->\n```nginx\n(.*?)```")

// behindNginx starts the server with a flag more, and nginx with the configuration of the document but for ports and files.
func behindNginx(t *testing.T, more ...string) *proxied {
	t.Helper()
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		if os.Getenv("E2E_REQUIRED") != "" {
			t.Fatal("no nginx found (E2E_REQUIRED is set): apt-get install nginx-light")
		}
		t.Skip("no nginx found: apt-get install nginx-light")
	}
	server := start(t, append([]string{
		"serve", "--addr", "127.0.0.1:0", "--host", publicName, "--secure-cookies", "--trusted-proxy", "127.0.0.1", "--log", "json", "--data", "memory",
	}, more...)...)
	doc, err := os.ReadFile("../../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	m := example.FindSubmatch(doc)
	if m == nil {
		t.Fatal("docs/deploy.md has no configuration of nginx")
	}
	dir := t.TempDir()
	roots := certificate(t, dir)
	port := freePort(t)
	text := string(m[1])
	for old, new := range map[string]string{
		"listen 443 ssl": "listen 127.0.0.1:" + port + " ssl", "/etc/ssl/irscope.pem": filepath.Join(dir, "cert.pem"),
		"/etc/ssl/irscope.key": filepath.Join(dir, "key.pem"), "http://127.0.0.1:8080": strings.TrimSuffix(server, "/"),
	} {
		if strings.Count(text, old) != 1 {
			t.Fatalf("the configuration does not have %q once", old)
		}
		text = strings.Replace(text, old, new, 1)
	}
	conf := filepath.Join(dir, "nginx.conf")
	whole := fmt.Sprintf("daemon off; worker_processes 1; pid %[1]s/pid; error_log %[1]s/error.log;\nevents {}\nhttp {\naccess_log off; "+
		"client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;\n%[2]s}\n", dir, text)
	if err := os.WriteFile(conf, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(nginx, "-e", filepath.Join(dir, "error.log"), "-p", dir, "-c", conf)
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	p := &proxied{t, port, roots}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = conn.Close()
			return p
		}
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(dir, "error.log"))
			t.Fatalf("nginx does not listen: %v\n%s", err, log)
		}
	}
}

// start starts the program and returns the address on which it serves.
func start(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, log.String())
		}
	})
	buf := make([]byte, 1000)
	n, err := out.Read(buf)
	m := address.FindStringSubmatch(strings.SplitAfter(string(buf[:n]), "\n")[0])
	if err != nil || m == nil {
		t.Fatalf("%v says %q (%v), expected its address", args, buf[:n], err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return m[1]
}

// certificate writes a certificate for the public name and returns the pool that trusts it.
func certificate(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: publicName}, DNSNames: []string{publicName, "evil.example"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return pool
}

func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	return port
}

// dialer connects to nginx, whatever the name, from an address of this machine.
func (p *proxied) dialer(from string) func(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return d.DialContext(ctx, network, "127.0.0.1:"+p.port)
	}
}

// visitor returns a client that connects from an address.
func (p *proxied) visitor(from string) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: p.dialer(from), TLSClientConfig: &tls.Config{RootCAs: p.roots}}}
}

// do sends a request and returns the answer with its body.
func (p *proxied) do(c *http.Client, method, url, body string, header ...string) (*http.Response, string) {
	p.t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp, string(data)
}

// TestBehindNginx runs the example of docs/deploy.md: pages, sockets, cookies, names, and a rate for each visitor.
func TestBehindNginx(t *testing.T) {
	p := behindNginx(t, "--runs-per-minute", "1")
	const at = "https://" + publicName
	one, two := p.visitor("127.0.0.2"), p.visitor("127.0.0.3")
	for path, want := range map[string]string{"/": "Transformer block", "/readyz": "ready", "/version": `"go":"go1`} {
		if resp, body := p.do(one, "GET", at+path, ""); resp.StatusCode != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("GET %s answers %s: %.300s", path, resp.Status, body)
		}
	}
	if resp, _ := p.do(one, "GET", "https://evil.example/", ""); resp.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("under a foreign name the server answers %s", resp.Status)
	}
	resp, body := p.do(one, "POST", at+"/api/sessions", `{"gallery":"mlp"}`)
	if resp.StatusCode != http.StatusCreated || !strings.HasPrefix(resp.Header.Get("Set-Cookie"), "__Host-irscope_edit=") {
		t.Fatalf("a session answers %s with cookie %q: %.300s", resp.Status, resp.Header.Get("Set-Cookie"), body)
	}
	run := regexp.MustCompile(`"runs":\["([^"]+)"`).FindStringSubmatch(body)
	if run == nil {
		t.Fatalf("the session has no run: %.500s", body)
	}
	id := regexp.MustCompile(`"session":\{"id":"([^"]+)"`).FindStringSubmatch(body)[1]
	token := regexp.MustCompile(`"edit_token":"([^"]+)"`).FindStringSubmatch(body)[1]
	again := func(c *http.Client, seed, status int) {
		t.Helper()
		resp, body := p.do(c, "POST", at+"/api/sessions/"+id+"/runs", fmt.Sprintf(`{"seed":%d}`, seed), "Authorization", "Bearer "+token)
		if resp.StatusCode != status {
			t.Errorf("a run with seed %d answers %s, want %d: %.300s", seed, resp.Status, status, body)
		}
	}
	again(one, 1, http.StatusTooManyRequests)
	again(two, 2, http.StatusAccepted)
	again(two, 3, http.StatusTooManyRequests)
	ws := websocket.Dialer{NetDialContext: p.dialer("127.0.0.2"), TLSClientConfig: &tls.Config{RootCAs: p.roots}}
	conn, _, err := ws.Dial("wss://"+publicName+"/runs/"+run[1]+"/events", http.Header{"Origin": {at}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	events := 0
	for ; ; events++ {
		if _, _, err = conn.ReadMessage(); err != nil {
			break
		}
	}
	if !websocket.IsCloseError(err, websocket.CloseNormalClosure) || events < 20 {
		t.Errorf("the socket ended after %d events with %v", events, err)
	}
	if _, resp, err := ws.Dial("wss://"+publicName+"/runs/"+run[1]+"/events", http.Header{"Origin": {"https://evil.example"}}); err == nil || resp == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another origin gets a socket: %v", err)
	}
}
