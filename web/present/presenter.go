package present

import (
	"context"
	"sync"
	"time"
)

// Presenter is the page that presents a session: a stream.Source of its Audience, and a stream.Sink of its places.
type Presenter struct {
	stages  *Stages
	session string
	begin   sync.Once
	stage   *stage // set by begin
	told    int    // the number of followers that it was told; -1 for none yet
	ended   bool
}

// Present returns who is about to present a session. The presentation begins when the connection is there, which asks for the first
// message, and goes on where the presenter was cut off. A page that presented the session before is then told that it no longer does.
// Leave must be called in the end.
func (s *Stages) Present(session string) *Presenter {
	return &Presenter{stages: s, session: session, told: -1}
}

// enter takes the stage.
func (p *Presenter) enter() {
	s, session := p.stages, p.session
	s.mu.Lock()
	st := s.stages[session]
	begins := st == nil
	if begins {
		st = &stage{changed: make(chan struct{})}
		s.stages[session] = st
	}
	if st.away != nil {
		st.away.Stop()
		st.away = nil
	}
	p.stage, st.presenter = st, p
	st.show()
	s.mu.Unlock()
	if begins {
		s.told(session)
	}
}

// Take implements stream.Sink.
func (p *Presenter) Take(msg []byte) error {
	at, err := readPlace(msg)
	if err != nil {
		return err
	}
	p.begin.Do(p.enter)
	p.stages.mu.Lock()
	defer p.stages.mu.Unlock()
	if st := p.stage; st.presenter == p && (st.at == nil || *st.at != *at) {
		st.at = at
		st.show()
	}
	return nil
}

// Next implements stream.Source: how many follow, whenever that has changed.
func (p *Presenter) Next(ctx context.Context, _ int) (lines [][]byte, sealed bool, err error) {
	p.begin.Do(p.enter)
	for {
		p.stages.mu.Lock()
		st := p.stage
		mine, followers, changed := st.presenter == p, st.followers, st.changed
		p.stages.mu.Unlock()
		switch {
		case p.ended:
			return nil, true, nil
		case !mine:
			p.ended = true
			return [][]byte{encode(Audience{Followers: followers, Elsewhere: true})}, false, nil
		case followers != p.told:
			p.told = followers
			return [][]byte{encode(Audience{Followers: followers})}, false, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
	}
}

// Leave says that the page is gone. Where it said goodbye the presentation ends, else it waits for a while. A page that presents no
// longer, or never did, changes nothing.
func (p *Presenter) Leave(bye bool) {
	p.begin.Do(func() {})
	s, st := p.stages, p.stage
	if st == nil {
		return
	}
	s.mu.Lock()
	if st.presenter != p {
		s.mu.Unlock()
		return
	}
	if bye {
		s.end(p.session, st)
		s.mu.Unlock()
		s.told(p.session)
		return
	}
	defer s.mu.Unlock()
	st.presenter = nil
	var timer *time.Timer
	timer = time.AfterFunc(Grace, func() {
		s.mu.Lock()
		mine := st.away == timer // else the presenter is back
		if mine {
			s.end(p.session, st)
		}
		s.mu.Unlock()
		if mine {
			s.told(p.session)
		}
	})
	st.away = timer
	st.show()
}

// Follower is a page that follows a presentation. It is a stream.Source of its scenes.
type Follower struct {
	stages *Stages
	stage  *stage
	seen   int
	ended  bool
}

// Follow begins to follow a session, until leave is called. The errors are ErrNone and ErrFull.
func (s *Stages) Follow(session string) (f *Follower, leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stages[session]
	switch {
	case st == nil:
		return nil, nil, ErrNone
	case st.followers >= MaxFollowers:
		return nil, nil, ErrFull
	}
	st.followers++
	st.wake()
	return &Follower{stages: s, stage: st}, sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		st.followers--
		st.wake()
	}), nil
}

// Next implements stream.Source: the scene as it is now, where it differs from the last one.
func (f *Follower) Next(ctx context.Context, _ int) (lines [][]byte, sealed bool, err error) {
	for {
		f.stages.mu.Lock()
		st := f.stage
		version, scene, over, changed := st.version, st.scene, st.over, st.changed
		f.stages.mu.Unlock()
		if f.ended {
			return nil, true, nil
		}
		if version != f.seen {
			f.seen, f.ended = version, over
			return [][]byte{scene}, false, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
	}
}
