// Package present lets those who look at a session follow the one who presents it.
//
// A presenter sends the place where they are, and every follower gets the latest one: who is slow misses places in between and is
// never behind. Nothing is stored. A presentation ends when its presenter ends it or closes the page, a while after the presenter was
// cut off, and with the server. Package stream carries the messages; the web package imports both. It must not know HTTP, runs, or what
// a place means.
package present

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits of presentations.
const (
	// MaxFollowers is how many may follow one session at once.
	MaxFollowers = 500
	// Grace is how long a presenter who was cut off may take to come back.
	Grace = 10 * time.Second
)

// Errors of following a session.
var (
	// ErrNone says that nobody presents the session.
	ErrNone = errors.New("nobody is presenting this session")
	// ErrFull says that as many as may follow it do.
	ErrFull = fmt.Errorf("%d pages already follow this presentation", MaxFollowers)
)

// Scene is what a follower is told.
type Scene struct {
	// Presenting is false when the presentation has ended, in the last message.
	Presenting bool `json:"presenting"`
	// Away tells that the presenter was cut off and may come back.
	Away bool `json:"away,omitempty"`
	// At is the place; nil until the presenter has sent one.
	At *Place `json:"at,omitempty"`
}

// Audience is what a presenter is told.
type Audience struct {
	Followers int `json:"followers"`
	// Elsewhere tells that the session is presented from another page now, in the last message.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// Stages are the presentations of a server, one for a session at most.
type Stages struct {
	told func(session string)

	mu     sync.Mutex
	stages map[string]*stage
}

// stage is one presentation. Its fields belong to the lock of Stages.
type stage struct {
	presenter *Presenter // the one that presents now; nil while cut off
	at        *Place
	scene     []byte        // what followers are told now, as JSON
	version   int           // counts changes of the scene
	changed   chan struct{} // closed and replaced when the scene or the number of followers changes
	followers int
	away      *time.Timer // ends the presentation while the presenter is cut off
	over      bool
}

// New returns stages on which nothing is presented. Told is called when a presentation of a session begins or ends.
func New(told func(session string)) *Stages { return &Stages{told: told, stages: map[string]*stage{}} }

// Presenting tells whether a session is presented now.
func (s *Stages) Presenting(session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stages[session] != nil
}

// Scene returns what a follower of a session would be told now.
func (s *Stages) Scene(session string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.stages[session]; st != nil {
		return st.scene
	}
	return ending()
}

// ending is what the last message to followers says.
var ending = sync.OnceValue(func() []byte { return encode(Scene{}) })

// show has the followers told of the scene as it is now; the caller holds the lock.
func (st *stage) show() {
	st.version++
	st.scene = encode(Scene{Presenting: !st.over, Away: st.presenter == nil && !st.over, At: st.at})
	st.wake()
}

func (st *stage) wake() {
	close(st.changed)
	st.changed = make(chan struct{})
}

// end ends a presentation; the caller holds the lock and calls told without it.
func (s *Stages) end(session string, st *stage) {
	st.over, st.at, st.presenter = true, nil, nil
	delete(s.stages, session)
	st.show()
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("present: encode %T: %v", v, err)) // plain data, of which Place.read has seen to the numbers
	}
	return data
}
