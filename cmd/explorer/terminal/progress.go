package terminal

import (
	"fmt"
	"io"
	"os"
	"time"
)

// redraw is the time between two drawings of the line of progress. What takes less shows none.
const redraw = 100 * time.Millisecond

// Progress is a line at the bottom of a terminal that says what is being done and for how long. A nil Progress shows nothing.
type Progress struct {
	screen *Screen
	start  time.Time
	text   string
	done   chan struct{}
}

// StartProgress starts the line of progress on w, until Stop. It returns nil where w is no terminal: then nothing is written.
func StartProgress(w io.Writer) *Progress {
	s, ok := w.(*Stream)
	if !ok || !s.tty || os.Getenv("TERM") == "dumb" {
		return nil
	}
	p := &Progress{screen: s.screen, start: time.Now(), done: make(chan struct{})}
	s.screen.mu.Lock()
	s.screen.progress = p
	s.screen.mu.Unlock()
	go p.tick()
	return p
}

// Set says what is being done from now on.
func (p *Progress) Set(text string) {
	if p == nil {
		return
	}
	p.screen.mu.Lock()
	p.text = Plain(text)
	p.screen.mu.Unlock()
}

// Stop removes the line.
func (p *Progress) Stop() {
	if p == nil {
		return
	}
	p.screen.mu.Lock()
	defer p.screen.mu.Unlock()
	if p.screen.progress == p {
		p.screen.erase()
		p.screen.progress = nil
		close(p.done)
	}
}

func (p *Progress) tick() {
	t := time.NewTicker(redraw)
	defer t.Stop()
	for {
		select {
		case <-p.done:
			return
		case now := <-t.C:
			p.screen.mu.Lock()
			if p.screen.progress == p {
				p.draw(now)
			}
			p.screen.mu.Unlock()
		}
	}
}

// draw writes the line. The screen is locked.
func (p *Progress) draw(now time.Time) {
	s := p.screen
	if s.open || p.text == "" {
		return // below is no line of its own
	}
	width, _ := Width(s.Err)
	took := fmt.Sprintf("  %.1fs", now.Sub(p.start).Seconds())
	line := Middle(p.text, max(0, width-1-len(took))) + took
	if len(line) >= width {
		line = Middle(line, width-1)
	}
	fmt.Fprintf(s.Err.file, "\r\x1b[K%s", line)
	s.shown = true
}

// erase removes the line of progress from the terminal, if it is there. The screen is locked.
func (s *Screen) erase() {
	if s.shown {
		fmt.Fprint(s.Err.file, "\r\x1b[K")
		s.shown = false
	}
}
