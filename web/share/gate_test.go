package share_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/irscope/irscope/web/share"
)

// class is one with room for everything.
func class() share.Class {
	return share.Class{
		Name: "drawings", PerMinute: 1000, PerVisitor: 100, Total: 1000, Turns: 2, TurnsPerVisitor: 2,
		Bytes: 1000, BytesPerVisitor: 1000, Time: time.Minute,
	}
}

// enter lets a request in that must be.
func enter(t *testing.T, g *share.Gate, visitor string) *share.Ticket {
	t.Helper()
	ticket, err := g.Enter(visitor)
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

// refused returns the refusal of a request that must not be let in.
func refused(t *testing.T, err error, busy bool, parts ...string) *share.Refusal {
	t.Helper()
	var r *share.Refusal
	if !errors.As(err, &r) || r.Busy != busy || r.RetryAfter <= 0 {
		t.Fatalf("got %#v, want a refusal with a time; busy %t", err, busy)
	}
	for _, p := range parts {
		if !strings.Contains(r.Message, p) {
			t.Errorf("the refusal says %q, want %q in it", r.Message, p)
		}
	}
	return r
}

func TestAdmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := class()
		c.PerMinute, c.PerVisitor, c.Total = 6, 2, 3
		g := share.New(c)
		a, b := enter(t, g, "a"), enter(t, g, "a")
		_, err := g.Enter("a")
		refused(t, err, false, "2 of your requests for drawings")
		other := enter(t, g, "b")
		_, err = g.Enter("c")
		refused(t, err, true, "busy with drawings")
		for _, x := range []*share.Ticket{a, b, other} {
			x.Leave()
		}
		if l := g.Load(); l != (share.Load{}) {
			t.Fatalf("left, there is %+v", l)
		}
		// Two were counted; what was refused for another reason was not.
		for range 4 {
			enter(t, g, "a").Leave()
		}
		_, err = g.Enter("a")
		if r := refused(t, err, false, "6 drawings per minute", "in 10 s"); r.RetryAfter != 10*time.Second {
			t.Errorf("retry after %v", r.RetryAfter)
		}
		enter(t, g, "b").Leave()
		time.Sleep(10 * time.Second)
		enter(t, g, "a").Leave()
		_, err = g.Enter("a")
		refused(t, err, false)
	})
}

// TestTurnsGoRound lets one visitor ask for much before others come: they are served in between.
func TestTurnsGoRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := class()
		c.Turns, c.TurnsPerVisitor = 1, 1
		g := share.New(c)
		var order []string
		var wg sync.WaitGroup
		ask := func(visitor string, n int) {
			for i := range n {
				ticket := enter(t, g, visitor)
				wg.Go(func() {
					defer ticket.Leave()
					_, err := share.Work(t.Context(), ticket, 1, func(context.Context) (int, error) {
						time.Sleep(time.Second)
						order = append(order, fmt.Sprint(visitor, i))
						return 0, nil
					})
					if err != nil {
						t.Error(err)
					}
				})
				synctest.Wait()
			}
		}
		ask("a", 4)
		ask("b", 2)
		ask("c", 1)
		wg.Wait()
		if got := strings.Join(order, " "); got != "a0 a1 b0 c0 a2 b1 a3" {
			t.Errorf("the order is %s", got)
		}
		if l := g.Load(); l != (share.Load{}) {
			t.Errorf("in the end there is %+v", l)
		}
	})
}

// TestOneVisitorLeavesRoomForOthers takes all turns that one visitor may have.
func TestOneVisitorLeavesRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := class()
		c.TurnsPerVisitor = 1
		g := share.New(c)
		a1, a2, b := enter(t, g, "a"), enter(t, g, "a"), enter(t, g, "b")
		done, err := a1.Turn(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := a2.Turn(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second turn of one visitor gives %v", err)
		}
		also, err := b.Turn(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		done()
		done() // once more does nothing
		again, err := a2.Turn(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		again()
		also()
		if l := g.Load(); l.Turns != 0 || l.Waiting != 0 || l.Inside != 3 {
			t.Errorf("there is %+v", l)
		}
	})
}

// TestBytes lets work wait for bytes, those of its visitor and those of all.
func TestBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := class()
		c.Turns, c.TurnsPerVisitor, c.BytesPerVisitor = 10, 10, 600
		g := share.New(c)
		may := func(ticket *share.Ticket, bytes int64) func() {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			done, _ := ticket.Turn(ctx, bytes)
			return done
		}
		a, b, d := enter(t, g, "a"), enter(t, g, "b"), enter(t, g, "d")
		big := may(a, 5000)
		if big == nil {
			t.Fatal("work that needs more than there is does not begin where nothing is held")
		}
		if may(b, 1) != nil {
			t.Error("work begins where all bytes are held")
		}
		big()
		first := may(a, 400)
		if may(a, 201) != nil {
			t.Error("a visitor holds more than a share")
		}
		if may(a, 200) == nil {
			t.Error("a visitor cannot hold all of a share")
		}
		if may(b, 401) != nil || may(b, 400) == nil {
			t.Error("the bytes of all are not 1000")
		}
		// Those that wait for much are not passed by.
		begun := make(chan bool)
		go func() { begun <- may(d, 300) != nil }()
		synctest.Wait()
		e := enter(t, g, "e")
		if may(e, 1) != nil {
			t.Error("work passes by what came before it")
		}
		<-begun
		first()
		b.Hold(390)
		if may(e, 11) != nil || may(e, 10) == nil {
			t.Error("what answers hold does not count")
		}
		b.Leave()
		if got := g.Load().Bytes; got != 200+400+10 {
			t.Errorf("%d bytes are held", got)
		}
	})
}

// TestWorkThatIsLate tells the visitor, and keeps its turn while it goes on.
func TestWorkThatIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := class()
		c.Turns, c.Time = 1, 3*time.Second
		g := share.New(c)
		deaf := func(context.Context) (string, error) { time.Sleep(10 * time.Second); return "late", nil }
		hears := func(ctx context.Context) (string, error) { <-ctx.Done(); return "", errors.New("stopped") }
		ticket := enter(t, g, "a")
		if s, err := share.Work(t.Context(), ticket, 1, hears); s != "" || !strings.Contains(refused(t, err, true).Message, "too long") {
			t.Errorf("got %q", s)
		}
		began := time.Now()
		_, err := share.Work(t.Context(), ticket, 1, deaf)
		refused(t, err, true)
		ticket.Leave()
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("the visitor was told after %v", took)
		}
		next := enter(t, g, "b")
		_, err = share.Work(t.Context(), next, 1, deaf) // no turn within its time
		refused(t, err, true)
		if l := g.Load(); l.Turns != 1 || l.Waiting != 0 || l.Bytes != 1 {
			t.Errorf("while the first goes on there is %+v", l)
		}
		time.Sleep(5 * time.Second)
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("the visitor is gone")
		cancel(gone)
		if _, err := share.Work(ctx, next, 1, hears); !errors.Is(err, gone) {
			t.Errorf("a visitor who is gone gets %v", err)
		}
		if s, err := share.Work(t.Context(), next, 1, func(context.Context) (string, error) { return "x", gone }); s != "x" || !errors.Is(err, gone) {
			t.Errorf("what work returns comes as %q, %v", s, err)
		}
		next.Leave()
		synctest.Wait()
		if l := g.Load(); l != (share.Load{}) {
			t.Errorf("in the end there is %+v", l)
		}
	})
}

// TestWhoIsInsideIsRemembered lets a table of visitors fill up around one who works, waits for an
// answer, or has left work behind.
func TestWhoIsInsideIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := class()
		c.PerVisitor, c.Time, c.TurnsPerVisitor = 1, time.Second, 1
		g := share.New(c)
		inside := enter(t, g, "inside")
		done, err := inside.Turn(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		done()
		left := enter(t, g, "left")
		_, err = share.Work(t.Context(), left, 1, func(context.Context) (int, error) { time.Sleep(10 * time.Minute); return 0, nil })
		refused(t, err, true)
		left.Leave()
		time.Sleep(2 * time.Minute)
		for i := range 10_001 {
			enter(t, g, fmt.Sprint("v", i)).Leave()
		}
		if _, err := g.Enter("inside"); err == nil {
			t.Error("one who is inside was forgotten")
		}
		again := enter(t, g, "left")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := again.Turn(ctx, 0); err == nil {
			t.Error("one who left work behind was forgotten")
		}
		again.Leave()
		inside.Leave()
		time.Sleep(10 * time.Minute)
	})
}

// TestManyAtOnce takes and gives at random; bounds hold at every moment.
func TestManyAtOnce(t *testing.T) {
	c := class()
	c.PerMinute, c.Turns, c.TurnsPerVisitor, c.Bytes, c.BytesPerVisitor = 1e6, 3, 2, 100, 60
	g := share.New(c)
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			for k := range 20 {
				ticket, err := g.Enter(fmt.Sprint(i % 7))
				if err != nil {
					t.Error(err)
					return
				}
				ctx := t.Context()
				if k%5 == 4 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, time.Duration(k)*50*time.Microsecond)
					defer cancel()
				}
				_, err = share.Work(ctx, ticket, int64(10+k), func(context.Context) (int, error) {
					if l := g.Load(); l.Turns > 3 || l.Bytes > 100 || l.Turns < 1 {
						t.Errorf("while working there is %+v", l)
					}
					return 0, nil
				})
				if err != nil && k%5 != 4 {
					t.Error(err)
				}
				ticket.Leave()
			}
		})
	}
	wg.Wait()
	for deadline := time.Now().Add(time.Minute); g.Load() != (share.Load{}); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in the end there is %+v", g.Load())
		}
	}
}
