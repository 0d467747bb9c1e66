// Package stream sends the log of a run to browsers over websockets.
//
// It is the only package that imports the websocket library, so that its traps are
// handled in one place: the origin check stays on, messages of clients are limited
// after inflation, every write has an end (see link), and no connection outlives its
// viewer. The web package imports it. It must not know runs, sessions or the
// meaning of an event: it sends numbered lines from a cursor.
package stream

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Source is a log that grows: the lines from a number on, or none and true where
// there will be no more. It must be comparable; two viewers of one source share work.
type Source interface {
	Next(ctx context.Context, seq int) (lines [][]byte, sealed bool, err error)
}

// Sink takes what the client of one connection sends.
type Sink interface {
	// Take takes one message, of at most 4 KiB. Where it returns an error the client is told so and the connection ends.
	Take(msg []byte) error
}

// Config are the limits of a Hub; a zero field takes the value of Defaults.
type Config struct {
	// Origins are further origins ("https://host:port") whose pages may connect beside
	// those of the server's own host.
	Origins []string
	// Viewers is the number of connections at once.
	Viewers int
	// Ping is the time between pings, Pong the time in which a client must answer.
	Ping, Pong time.Duration
	// TalkPing and TalkPong are those of a client that talks to a Sink: others wait for what it says, and want to know soon that it is gone.
	TalkPing, TalkPong time.Duration
	// Slow is the time for which a client may keep the server from writing one message; one
	// that needs half of it is told to come back later, one that needs all of it is cut.
	// What this process does meanwhile does not count, see link.
	Slow time.Duration
	// Error answers a request that cannot be upgraded.
	Error func(w http.ResponseWriter, r *http.Request, status int, message string)
}

// Limits on what clients send. Most have nothing to say: maxMessages is all that they may send. For one that talks to a Sink the
// limit is a rate.
const (
	maxMessage       = 4 << 10
	maxMessages      = 100
	messageBurst     = 60
	messagePerSecond = 20
)

// minCompressed is the size from which compressing a message pays.
const minCompressed = 1 << 10

// Defaults returns the limits for a public server.
func Defaults() Config {
	return Config{
		Viewers: 2000, Ping: 25 * time.Second, Pong: 60 * time.Second, TalkPing: 4 * time.Second, TalkPong: 12 * time.Second, Slow: 10 * time.Second,
		Error: func(w http.ResponseWriter, _ *http.Request, status int, message string) {
			http.Error(w, message, status)
		},
	}
}

// The causes with which a connection ends.
var (
	errDrain  = errors.New("the server is shutting down")
	errGone   = errors.New("the viewer is gone")
	errSlow   = errors.New("the viewer reads too slowly")
	errTooBig = errors.New("the client sends more than it is allowed to")
	errBye    = errors.New("the viewer has said goodbye")
	errUnread = errors.New("the client sends what cannot be read")
)

// Hub serves viewers and knows them, so that it can end all of them.
type Hub struct {
	cfg      Config
	upgrader websocket.Upgrader
	ctx      context.Context
	stop     context.CancelCauseFunc

	mu      sync.Mutex
	viewers int
	idle    sync.Cond // signalled when a viewer leaves
	shared  map[Source]*shared
}

// New returns a hub without viewers.
func New(cfg Config) *Hub {
	def := Defaults()
	if cfg.Viewers == 0 {
		cfg.Viewers = def.Viewers
	}
	if cfg.Ping == 0 {
		cfg.Ping = def.Ping
	}
	if cfg.Pong == 0 {
		cfg.Pong = def.Pong
	}
	if cfg.TalkPing == 0 {
		cfg.TalkPing = def.TalkPing
	}
	if cfg.TalkPong == 0 {
		cfg.TalkPong = def.TalkPong
	}
	if cfg.Slow == 0 {
		cfg.Slow = def.Slow
	}
	if cfg.Error == nil {
		cfg.Error = def.Error
	}
	h := &Hub{cfg: cfg, shared: map[Source]*shared{}}
	h.idle.L = &h.mu
	h.ctx, h.stop = context.WithCancelCause(context.Background())
	h.upgrader = websocket.Upgrader{
		ReadBufferSize: 1 << 10, WriteBufferSize: 16 << 10, WriteBufferPool: &sync.Pool{},
		EnableCompression: true, CheckOrigin: h.checkOrigin,
		Error: func(w http.ResponseWriter, r *http.Request, status int, reason error) {
			cfg.Error(w, r, status, reason.Error())
		},
	}
	return h
}

// checkOrigin lets pages of this server and of the listed hosts connect, and
// clients that are no browsers and send no origin.
func (h *Hub) checkOrigin(r *http.Request) bool {
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return true
	}
	u, err := url.Parse(values[0])
	if err != nil || len(values) > 1 || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	// An origin is a scheme and a host; what has more was not written by a browser.
	origin := u.Scheme + "://" + u.Host
	if !strings.EqualFold(origin, values[0]) {
		return false
	}
	return strings.EqualFold(u.Host, r.Host) || slices.ContainsFunc(h.cfg.Origins, func(o string) bool { return strings.EqualFold(o, origin) })
}

// Wants tells whether a request asks for a websocket.
func Wants(r *http.Request) bool { return websocket.IsWebSocketUpgrade(r) }

// Serve upgrades the request and sends the source from number from on, until its
// end, or until the viewer or the server goes away. It answers the request in
// every case.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, src Source, from int) {
	h.Converse(w, r, src, from, nil)
}

// Converse is Serve for a client that may send messages, which the sink takes one after the other. It tells whether the client ended
// the connection in form, as a page does that is closed, and not by being cut off.
func (h *Hub) Converse(w http.ResponseWriter, r *http.Request, src Source, from int, sink Sink) (bye bool) {
	sh, err := h.enter(src)
	if err != nil {
		w.Header().Set("Retry-After", "10")
		h.cfg.Error(w, r, http.StatusServiceUnavailable, err.Error())
		return false
	}
	defer h.leave(src, sh)
	hijack, ping := &hijacker{ResponseWriter: w, cfg: h.cfg, talks: sink != nil}, h.cfg.Ping
	if sink != nil {
		ping = h.cfg.TalkPing
	}
	conn, err := h.upgrader.Upgrade(hijack, r, nil)
	if err != nil {
		return false // the upgrader has answered
	}
	ctx, cancel := context.WithCancelCause(h.ctx)
	defer cancel(nil)
	v := &viewer{hub: h, conn: conn, link: hijack.link, src: src, shared: sh, seq: from, sink: sink, every: ping}
	reader := make(chan struct{})
	go func() {
		defer close(reader)
		cause := v.read()
		bye = errors.Is(cause, errBye)
		cancel(cause)
		v.link.discard()
	}()
	linger := time.Duration(0)
	if v.sayGoodbye(v.write(ctx)) {
		linger = min(time.Second, h.cfg.Slow)
	}
	// The reader ends when the client has answered the close message, or soon after with the
	// connection. Until then it reads on: closing a connection with something unread would take
	// back what is on its way to the client, the close message too.
	defer time.AfterFunc(linger, func() { _ = conn.Close() }).Stop()
	<-reader
	_ = conn.Close()
	return bye
}

// enter counts a viewer in.
func (h *Hub) enter(src Source) (*shared, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() != nil {
		return nil, errDrain
	}
	if h.viewers >= h.cfg.Viewers {
		return nil, errors.New("too many pages are following runs right now; try again later")
	}
	h.viewers++
	sh := h.shared[src]
	if sh == nil {
		sh = &shared{}
		h.shared[src] = sh
	}
	sh.viewers.Add(1)
	return sh, nil
}

// leave counts a viewer out.
func (h *Hub) leave(src Source, sh *shared) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.viewers--
	if sh.viewers.Add(-1) == 0 {
		delete(h.shared, src)
	}
	h.idle.Broadcast()
}

// Viewers returns the number of connections.
func (h *Hub) Viewers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.viewers
}

// Drain tells all viewers to come back later (close code 1012), admits no more, and
// returns when they are gone or the context ends.
func (h *Hub) Drain(ctx context.Context) {
	h.stop(errDrain)
	defer context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.idle.Broadcast()
	})()
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.viewers > 0 && ctx.Err() == nil {
		h.idle.Wait()
	}
}
