package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"
)

// shared holds messages of one source that several viewers need, framed and
// compressed once for all of them.
type shared struct {
	viewers atomic.Int32

	mu       sync.Mutex
	messages []*websocket.PreparedMessage // by number; nil where not yet prepared
}

// message returns the message with a number, whose text is line.
func (s *shared) message(seq int, line []byte) (*websocket.PreparedMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.messages) <= seq {
		s.messages = append(s.messages, nil)
	}
	if s.messages[seq] == nil {
		p, err := websocket.NewPreparedMessage(websocket.TextMessage, line)
		if err != nil {
			return nil, err
		}
		s.messages[seq] = p
	}
	return s.messages[seq], nil
}

// viewer is one connection. Its reader and its writer are one goroutine each.
type viewer struct {
	hub    *Hub
	conn   *websocket.Conn
	link   *link
	src    Source
	shared *shared
	seq    int           // number of the next event to send
	sink   Sink          // takes what the client sends; nil where it has nothing to say
	every  time.Duration // between pings
}

// read reads what the client sends until the connection ends, and says why it ended.
func (v *viewer) read() error {
	v.conn.SetReadLimit(maxMessage)
	if v.sink != nil {
		return v.take()
	}
	for range maxMessages {
		_, r, err := v.conn.NextReader()
		if err != nil {
			return ended(err)
		}
		// The library's limit counts bytes on the wire; what they inflate to is
		// limited here.
		n, err := io.Copy(io.Discard, io.LimitReader(r, maxMessage+1))
		switch {
		case n > maxMessage:
			return errTooBig
		case err != nil:
			return ended(err)
		}
	}
	return errTooBig
}

// take hands each message of the client to the sink.
func (v *viewer) take() error {
	may := rate.NewLimiter(messagePerSecond, messageBurst)
	for {
		_, r, err := v.conn.NextReader()
		if err != nil {
			return ended(err)
		}
		msg, err := io.ReadAll(io.LimitReader(r, maxMessage+1))
		switch {
		case len(msg) > maxMessage || !may.Allow():
			return errTooBig
		case err != nil:
			return ended(err)
		}
		if err := v.sink.Take(msg); err != nil {
			return fmt.Errorf("%w: %w", errUnread, err)
		}
	}
}

// ended returns what an error of reading means.
func ended(err error) error {
	switch {
	case errors.Is(err, websocket.ErrReadLimit) || errors.Is(err, errTooBig):
		return errTooBig
	case websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway):
		return errBye
	}
	return errGone
}

// write sends events until there are no more (then it returns nil) or the
// connection must end.
func (v *viewer) write(ctx context.Context) error {
	pinged := time.Now()
	for {
		wait, cancel := context.WithTimeout(ctx, v.every-time.Since(pinged))
		lines, sealed, err := v.src.Next(wait, v.seq)
		cancel()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			return err
		case err == nil && sealed && len(lines) == 0:
			return nil
		}
		for _, line := range lines {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := v.send(line); err != nil {
				return err
			}
			if pinged, err = v.ping(pinged); err != nil {
				return err
			}
		}
		if pinged, err = v.ping(pinged); err != nil {
			return err
		}
	}
}

// send sends one event.
func (v *viewer) send(line []byte) error {
	v.conn.EnableWriteCompression(len(line) >= minCompressed)
	v.link.begin()
	var err error
	if v.shared.viewers.Load() > 1 {
		var p *websocket.PreparedMessage
		if p, err = v.shared.message(v.seq, line); err == nil {
			err = v.conn.WritePreparedMessage(p)
		}
	} else {
		err = v.conn.WriteMessage(websocket.TextMessage, line)
	}
	if err != nil {
		return errGone
	}
	v.seq++
	if v.link.wasSlow() {
		return errSlow
	}
	return nil
}

// ping sends a ping if the last one is long enough ago, and returns when the last
// one was.
func (v *viewer) ping(last time.Time) (time.Time, error) {
	now := time.Now()
	if now.Sub(last) < v.every {
		return last, nil
	}
	v.link.begin()
	if err := v.conn.WriteControl(websocket.PingMessage, nil, time.Time{}); err != nil {
		return now, errGone
	}
	return now, nil
}

// sayGoodbye sends the close message that tells the client what to do next, and tells
// whether it could. A client that is gone gets none.
func (v *viewer) sayGoodbye(cause error) bool {
	code, text := websocket.CloseNormalClosure, "run finished"
	switch {
	case cause == nil:
	case errors.Is(cause, errDrain):
		code, text = websocket.CloseServiceRestart, "server restarts"
	case errors.Is(cause, errSlow):
		code, text = websocket.CloseTryAgainLater, "reading too slowly"
	case errors.Is(cause, errTooBig) && v.sink != nil:
		code, text = websocket.CloseMessageTooBig, "messages are too large or too many"
	case errors.Is(cause, errTooBig):
		code, text = websocket.CloseMessageTooBig, "clients must not send messages"
	case errors.Is(cause, errUnread):
		code, text = websocket.CloseInvalidFramePayloadData, "a message cannot be read"
	case errors.Is(cause, errGone), errors.Is(cause, errBye):
		return false
	default:
		code, text = websocket.CloseInternalServerErr, "log cannot be read"
	}
	v.link.begin()
	return v.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, text), time.Time{}) == nil
}
