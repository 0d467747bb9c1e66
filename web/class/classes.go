package class

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/irscope/irscope/web/store"
)

// Classes are the open classes of a server.
type Classes struct {
	store store.Store
	// most is the number of classes that may be open.
	most int
	// presenting tells whether a session is presented now.
	presenting func(session string) bool

	mu    sync.Mutex
	rooms map[string]*room
	// visitors says of the hash of a student's token who that is, and seats which session is whose.
	visitors map[[32]byte]string
	seats    map[string]seat
	origins  map[string]int // open classes by address; it is not stored
}

// room is an open class. Its fields belong to the lock of Classes.
type room struct {
	class   *Class
	origin  string
	pages   map[string]int  // that are open, by student
	pending map[string]bool // folded names of those who are about to join
	version int             // counts changes of what is stored
	// changed is closed and replaced at each change, asked at those that concern students.
	changed, asked chan struct{}
	over           bool
	later          *time.Timer // stores what changes all the time; nil while nothing of it has changed

	saving sync.Mutex // held while the class is stored
	saved  int        // the version that is stored; belongs to saving
}

// rest is how long what changes all the time waits to be stored.
const rest = 10 * time.Second

// seat is a student in a room.
type seat struct {
	room    *room
	student string
}

// Open returns the classes that a store keeps. At most so many may be open. Presenting tells whether a session is presented.
func Open(ctx context.Context, st store.Store, most int, presenting func(session string) bool) (*Classes, error) {
	c := &Classes{
		store: st, most: most, presenting: presenting, rooms: map[string]*room{}, visitors: map[[32]byte]string{}, seats: map[string]seat{}, origins: map[string]int{},
	}
	all, err := st.Classes(ctx)
	if err != nil {
		return nil, fmt.Errorf("open classes: %w", err)
	}
	for _, s := range all {
		var one Class
		if err := json.Unmarshal(s.Data, &one); err != nil {
			return nil, fmt.Errorf("open class %s: %w: %w", s.ID, store.ErrDamaged, err)
		}
		c.add(&one, "")
	}
	return c, nil
}

// add makes the room of a class; the caller holds the lock, or is alone.
func (c *Classes) add(one *Class, origin string) *room {
	r := &room{class: one, origin: origin, pages: map[string]int{}, pending: map[string]bool{}, changed: make(chan struct{}), asked: make(chan struct{})}
	c.rooms[one.ID] = r
	if origin != "" {
		c.origins[origin]++
	}
	for _, s := range one.Students {
		c.sit(r, s)
	}
	return r
}

// sit takes a student in.
func (c *Classes) sit(r *room, s Student) {
	c.visitors[[32]byte(s.Token)] = "class " + r.class.ID + " " + s.ID
	c.seats[s.Session] = seat{r, s.ID}
}

// room returns an open class. One whose time has come is closed.
func (c *Classes) room(id string) (*room, error) {
	r := c.rooms[id]
	if r == nil {
		return nil, ErrNone
	}
	if !time.Now().Before(r.class.Expires) {
		c.close(r)
		return nil, ErrNone
	}
	return r, nil
}

// close takes a class out; the caller holds the lock.
func (c *Classes) close(r *room) {
	delete(c.rooms, r.class.ID)
	if c.origins[r.origin]--; c.origins[r.origin] <= 0 {
		delete(c.origins, r.origin)
	}
	for _, s := range r.class.Students {
		delete(c.seats, s.Session)
		if c.visitors[[32]byte(s.Token)] == "class "+r.class.ID+" "+s.ID {
			delete(c.visitors, [32]byte(s.Token))
		}
	}
	r.over = true
	if r.later != nil {
		r.later.Stop()
	}
	r.tell(true)
}

// moves says that something has changed that changes all the time: the teacher is told at once, and it is stored a while later. The
// caller holds the lock.
func (c *Classes) moves(r *room) {
	r.version++
	r.tell(false)
	if r.later == nil && !r.over {
		r.later = time.AfterFunc(rest, func() {
			c.mu.Lock()
			r.later = nil
			c.mu.Unlock()
			_ = c.save(context.Background(), r) // what could not be stored is with the next change
		})
	}
}

// Flush stores what is still to be stored of all classes.
func (c *Classes) Flush(ctx context.Context) error {
	c.mu.Lock()
	rooms := slices.Collect(maps.Values(c.rooms))
	c.mu.Unlock()
	var errs []error
	for _, r := range rooms {
		if err := c.save(ctx, r); !errors.Is(err, ErrNone) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// tell wakes those who wait for a change.
func (r *room) tell(students bool) {
	close(r.changed)
	r.changed = make(chan struct{})
	if students {
		close(r.asked)
		r.asked = make(chan struct{})
	}
}

// Create opens a class of a teacher, whose edit token it takes. The origin is the address from which it is asked for.
func (c *Classes) Create(ctx context.Context, one Class, token, origin string) (Class, error) {
	now := time.Now().UTC()
	hash := sha256.Sum256([]byte(token))
	one.Token, one.Created, one.Expires = hash[:], now, now.Add(Lifetime)
	c.mu.Lock()
	for _, r := range c.rooms {
		if !now.Before(r.class.Expires) {
			c.close(r)
		}
	}
	if len(c.rooms) >= c.most || c.origins[origin] >= PerOrigin {
		c.mu.Unlock()
		return one, ErrMany
	}
	r := c.add(&one, origin)
	r.version++
	c.mu.Unlock()
	if err := c.save(ctx, r); err != nil {
		c.mu.Lock()
		c.close(r)
		c.mu.Unlock()
		return one, err
	}
	return one, nil
}

// save stores a class as it is now. Of several that want to at once, one does it for all.
func (c *Classes) save(ctx context.Context, r *room) error {
	c.mu.Lock()
	want := r.version
	c.mu.Unlock()
	r.saving.Lock()
	defer r.saving.Unlock()
	if r.saved >= want {
		return nil
	}
	c.mu.Lock()
	version, over := r.version, r.over
	data, err := json.Marshal(r.class)
	c.mu.Unlock()
	if err != nil {
		return fmt.Errorf("encode class: %w", err)
	}
	if over {
		return ErrNone
	}
	// The class is there for others too: one visitor who leaves does not keep it from being stored.
	if err := c.store.PutClass(context.WithoutCancel(ctx), store.Class{ID: r.class.ID, Expires: r.class.Expires, Data: data}); err != nil {
		return err
	}
	r.saved = version
	return nil
}

// change changes what is stored of a class.
func (c *Classes) change(ctx context.Context, id string, do func(*room) error) error {
	c.mu.Lock()
	r, err := c.room(id)
	if err == nil {
		err = do(r)
	}
	if err != nil {
		c.mu.Unlock()
		return err
	}
	r.version++
	r.tell(true)
	c.mu.Unlock()
	return c.save(ctx, r)
}

// End closes a class for good. The sessions of its students stay.
func (c *Classes) End(ctx context.Context, id string) error {
	c.mu.Lock()
	r, err := c.room(id)
	if err != nil {
		c.mu.Unlock()
		return err
	}
	c.close(r)
	c.mu.Unlock()
	r.saving.Lock()
	defer r.saving.Unlock()
	return c.store.DeleteClass(ctx, id)
}

// Class returns a class without its students and answers.
func (c *Classes) Class(id string) (Class, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, err := c.room(id)
	if err != nil {
		return Class{}, err
	}
	out := *r.class
	out.Students, out.Answers = nil, nil
	return out, nil
}

// Owns tells whether a token is that of the teacher. It takes the same time for every wrong token.
func (c Class) Owns(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return token != "" && subtle.ConstantTimeCompare(sum[:], c.Token) == 1
}

// Of returns the id of the class that a teacher holds of a session; empty for none.
func (c *Classes) Of(from string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, r := range c.rooms {
		if r.class.From == from && time.Now().Before(r.class.Expires) {
			return id
		}
	}
	return ""
}

// Visitor says who the owner of a token is among those with whom the server is shared: each student is one, whatever their address.
func (c *Classes) Visitor(token string) (string, bool) {
	if token == "" {
		return "", false
	}
	hash := sha256.Sum256([]byte(token))
	c.mu.Lock()
	defer c.mu.Unlock()
	who, ok := c.visitors[hash]
	return who, ok
}

// Move gives a student whose session is gone another one.
func (c *Classes) Move(ctx context.Context, id, token, session string) error {
	hash := sha256.Sum256([]byte(token))
	return c.change(ctx, id, func(r *room) error {
		i := r.class.holder(hash)
		if i < 0 {
			return ErrNone
		}
		s := &r.class.Students[i]
		delete(c.seats, s.Session)
		s.Session = session
		c.seats[session] = seat{r, s.ID}
		return nil
	})
}

// Join takes a student in under a nickname. Begin makes the student's session and returns its id. Whoever has joined already gets the
// session that they have.
func (c *Classes) Join(ctx context.Context, id, token, name string, begin func(Class) (string, error)) (session string, err error) {
	if name, err = Name(name); err != nil {
		return "", err
	}
	hash := sha256.Sum256([]byte(token))
	c.mu.Lock()
	r, err := c.room(id)
	if err != nil {
		c.mu.Unlock()
		return "", err
	}
	one := r.class
	folded := fold(name)
	known := one.holder(hash)
	switch {
	case known >= 0:
		session = one.Students[known].Session
		c.mu.Unlock()
		return session, nil
	case len(one.Students)+len(r.pending) >= MaxStudents:
		err = ErrFull
	case r.pending[folded] || slices.ContainsFunc(one.Students, func(s Student) bool { return fold(s.Name) == folded }):
		err = ErrTaken
	}
	if err != nil {
		c.mu.Unlock()
		return "", err
	}
	r.pending[folded] = true
	copied := *one
	copied.Students, copied.Answers = nil, nil
	c.mu.Unlock()

	session, err = begin(copied)

	c.mu.Lock()
	delete(r.pending, folded)
	if err != nil || r.over {
		c.mu.Unlock()
		if err == nil {
			err = ErrNone
		}
		return "", err
	}
	s := Student{ID: fmt.Sprint(len(one.Students) + 1), Token: hash[:], Name: name, Session: session, Joined: time.Now().UTC()}
	one.Students = append(one.Students, s)
	c.sit(r, s)
	r.version++
	r.tell(false)
	c.mu.Unlock()
	return session, c.save(ctx, r)
}

// Ask asks the students something, or with an empty text nothing any more.
func (c *Classes) Ask(ctx context.Context, id, text string, options []string) error {
	q := Question{Text: line(text, maxQuestion)}
	for _, o := range options {
		if o = line(o, maxOption); o != "" && !slices.Contains(q.Options, o) {
			q.Options = append(q.Options, o)
		}
	}
	if q.Text != "" && (len(q.Options) < 2 || len(q.Options) > maxOptions) {
		return fmt.Errorf("a question with %d different answers to choose from %w, want 2 to %d", len(q.Options), ErrForm, maxOptions)
	}
	return c.change(ctx, id, func(r *room) error {
		r.class.Question = nil
		if q.Text != "" {
			r.class.Asked++
			q.ID = fmt.Sprintf("%d. %s", r.class.Asked, q.Text)
			r.class.Question = &q
		}
		return nil
	})
}

// Seat returns the class and the name of the student whose session it is.
func (c *Classes) Seat(session string) (one Class, name string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.seats[session]
	if !ok || !time.Now().Before(at.room.class.Expires) {
		return Class{}, "", false
	}
	one = *at.room.class
	one.Students, one.Answers = nil, nil
	return one, at.room.class.student(at.student).Name, true
}

// Choose notes which answer a student has chosen to the question that is asked now.
func (c *Classes) Choose(ctx context.Context, session, question string, option int) error {
	return c.of(ctx, session, func(r *room, student string) error {
		q := r.class.Question
		if q == nil || q.ID != question || option < 0 || option >= len(q.Options) {
			return fmt.Errorf("an answer to a question that is not asked %w", ErrForm)
		}
		return r.class.put(Answer{Student: student, Question: q.ID, Text: q.Options[option]})
	})
}

// Record notes what the student whose session it is has answered to a question of somebody else, such as the task of a lesson, and
// whether that was right. Where the session is that of no student it does nothing.
func (c *Classes) Record(ctx context.Context, session, question, answer string, right bool) error {
	c.mu.Lock()
	_, ok := c.seats[session]
	c.mu.Unlock()
	if !ok {
		return nil
	}
	return c.of(ctx, session, func(r *room, student string) error {
		return r.class.put(Answer{Student: student, Question: line(question, maxQuestion), Text: line(answer, maxOption), Right: &right})
	})
}

// of changes what is stored of the class of a student.
func (c *Classes) of(ctx context.Context, session string, do func(r *room, student string) error) error {
	c.mu.Lock()
	at, ok := c.seats[session]
	c.mu.Unlock()
	if !ok {
		return ErrNone
	}
	return c.change(ctx, at.room.class.ID, func(r *room) error { return do(r, at.student) })
}

// Ran notes what the latest run of a student's session is called.
func (c *Classes) Ran(session, label string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.seats[session]; ok {
		s := at.room.class.student(at.student)
		s.Run, s.Runs = line(label, maxLabel), s.Runs+1
		c.moves(at.room)
	}
}

// Touch tells the students of a session's classes that it is presented now, or no longer.
func (c *Classes) Touch(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.rooms {
		if r.class.From == session {
			r.tell(true)
		}
	}
}
