package class_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/irscope/irscope/web/class"
	"github.com/irscope/irscope/web/store"
)

// open returns the classes of a store, of which three may be open.
func open(t *testing.T, st store.Store) *class.Classes {
	t.Helper()
	c, err := class.Open(t.Context(), st, 3, func(session string) bool { return session == "presented" })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// create opens the class "c" of the session "from".
func create(t *testing.T, c *class.Classes) {
	t.Helper()
	if _, err := c.Create(t.Context(), class.Class{ID: "c", Title: "t", From: "from", Session: "begin"}, "teacher", "here"); err != nil {
		t.Fatal(err)
	}
}

// join takes a student in, whose session is called after their token.
func join(t *testing.T, c *class.Classes, token, name string) (string, error) {
	t.Helper()
	return c.Join(t.Context(), "c", token, name, func(one class.Class) (string, error) {
		if one.Session != "begin" || one.Students != nil {
			t.Errorf("a session begins with %+v", one)
		}
		return "s-" + token, nil
	})
}

// must joins, where that must succeed.
func must(t *testing.T, c *class.Classes, token, name string) string {
	t.Helper()
	session, err := join(t, c, token, name)
	if err != nil {
		t.Fatalf("%s joins as %q: %v", token, name, err)
	}
	return session
}

func TestNicknames(t *testing.T) {
	for in, want := range map[string]string{
		"Ada": "Ada", "  Ada   L. ": "Ada L.", "Łukasz": "Łukasz", "李雷": "李雷", "عمر": "عمر", "O'Neil-7": "O'Neil-7", "🐙": "🐙",
		"<b>x</b>": "<b>x</b>", strings.Repeat("ä", 24): strings.Repeat("ä", 24), "e\u0301": "e\u0301",
		"": "", "   ": "", "...": "", "a\u202eb": "", "a\u2066b": "", "a\u200bb": "", "a\x00b": "", "\xff": "", strings.Repeat("a", 25): "", strings.Repeat("a", 10_000): "",
		"a\u0301\u0301\u0301": "", "\u0301": "", "a\ufffdb": "", "a\u2028b": "a b", "\u00ad": "",
	} {
		got, err := class.Name(in)
		if got != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, class.ErrForm) {
			t.Errorf("Name(%.40q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

// TestJoining: each nickname once, whatever its capitals; whoever is in comes back to the session that they have.
func TestJoining(t *testing.T) {
	c := open(t, store.NewMemory(1<<20))
	if _, err := join(t, c, "a", "Ada"); !errors.Is(err, class.ErrNone) {
		t.Errorf("joining no class gives %v", err)
	}
	create(t, c)
	session := must(t, c, "a", "Ada")
	for _, same := range []string{"Ada", "ADA", "a da", " ada"} {
		if _, err := join(t, c, "b", same); !errors.Is(err, class.ErrTaken) {
			t.Errorf("a second %q gives %v", same, err)
		}
	}
	if got := must(t, c, "a", "Another"); got != session {
		t.Errorf("who is in gets another session, %s and not %s", got, session)
	}
	// Where the session cannot be made, the name is free again.
	broken := errors.New("no room")
	if _, err := c.Join(t.Context(), "c", "b", "Bob", func(class.Class) (string, error) { return "", broken }); !errors.Is(err, broken) {
		t.Errorf("joining without a session gives %v", err)
	}
	must(t, c, "b", "Bob")
	for i := range class.MaxStudents - 2 {
		must(t, c, fmt.Sprint("t", i), fmt.Sprint("student ", i))
	}
	if _, err := join(t, c, "z", "Zoe"); !errors.Is(err, class.ErrFull) {
		t.Errorf("one student more gives %v", err)
	}
	who := map[string]bool{}
	for _, token := range []string{"a", "b", "t7"} {
		v, ok := c.Visitor(token)
		if !ok || who[v] {
			t.Errorf("the visitor of %s is %q", token, v)
		}
		who[v] = true
	}
	for _, token := range []string{"", "z", "teacher", "s-a"} {
		if v, ok := c.Visitor(token); ok {
			t.Errorf("%q is the visitor %q", token, v)
		}
	}
}

// TestManyJoinAtOnce under names of which each occurs twice: half of them get in, and all of those are stored.
func TestManyJoinAtOnce(t *testing.T) {
	st := store.NewMemory(1 << 20)
	c := open(t, st)
	create(t, c)
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			if _, err := join(t, c, fmt.Sprint("t", i), fmt.Sprint("n", i/2)); err != nil && !errors.Is(err, class.ErrTaken) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	r, err := open(t, st).Roster("c")
	if err != nil || len(r.Students) != 50 {
		t.Fatalf("%d students are stored (%v)", len(r.Students), err)
	}
}

// TestClassesAreBounded on a server, and of one address.
func TestClassesAreBounded(t *testing.T) {
	c, err := class.Open(t.Context(), store.NewMemory(1<<20), class.PerOrigin+1, func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	make := func(id, origin string) error {
		_, err := c.Create(t.Context(), class.Class{ID: id}, "t", origin)
		return err
	}
	for i := range class.PerOrigin {
		if err := make(fmt.Sprint(i), "here"); err != nil {
			t.Fatal(err)
		}
	}
	if err := make("x", "here"); !errors.Is(err, class.ErrMany) {
		t.Errorf("one more of an address gives %v", err)
	}
	if err := make("y", "there"); err != nil {
		t.Error(err)
	}
	if err := make("z", "elsewhere"); !errors.Is(err, class.ErrMany) {
		t.Errorf("one more of a server gives %v", err)
	}
	if err := c.End(t.Context(), "0"); err != nil {
		t.Error(err)
	}
	if err := make("w", "here"); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}

// TestAnswersAndSteps is a lesson in short: what the teacher sees of it, and what is left of it after a restart.
func TestAnswersAndSteps(t *testing.T) {
	ctx, st := t.Context(), store.NewMemory(1<<20)
	c := open(t, st)
	create(t, c)
	ada, bob, eve := must(t, c, "a", "Ada"), must(t, c, "b", "Bob"), must(t, c, "e", "Eve")
	desk, leave, err := c.Enter(ada)
	if err != nil {
		t.Fatal(err)
	}
	if err := desk.Take([]byte(`{"step":"FuseOps \u202e› main"}`)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "[]", `{"step":1}`} {
		if err := desk.Take([]byte(bad)); err == nil {
			t.Errorf("the step %q was taken", bad)
		}
	}
	c.Ran(bob, "O2 −FuseOps")
	c.Ran(bob, "O2 −FuseTIR")
	c.Ran(eve, "O2 −FuseTIR")
	c.Ran("no student's", "O3")
	for _, bad := range [][]string{nil, {"one"}, {"same", "same "}, strings.Split(strings.Repeat("x,", 3)+"a,b,c,d,e,f,g,h", ",")} {
		if err := c.Ask(ctx, "c", "Which?", bad); !errors.Is(err, class.ErrForm) {
			t.Errorf("a question with the answers %q gives %v", bad, err)
		}
	}
	if err := c.Ask(ctx, "c", "Which pass?", []string{"FuseOps", "<b>none</b>", ""}); err != nil {
		t.Fatal(err)
	}
	const q = "1. Which pass?"
	for session, option := range map[string]int{ada: 1, bob: 1, eve: 0} {
		if err := c.Choose(ctx, session, q, 1-option); err != nil {
			t.Error(err)
		}
		if err := c.Choose(ctx, session, q, option); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []error{c.Choose(ctx, ada, q, 2), c.Choose(ctx, ada, q, -1), c.Choose(ctx, ada, "2. Which pass?", 0)} {
		if !errors.Is(bad, class.ErrForm) {
			t.Errorf("an answer that is none gives %v", bad)
		}
	}
	if err := c.Choose(ctx, "no student's", q, 0); !errors.Is(err, class.ErrNone) {
		t.Errorf("an answer of somebody else gives %v", err)
	}
	for session, right := range map[string]bool{ada: true, bob: false, "no student's": true} {
		if err := c.Record(ctx, session, "order/2", fmt.Sprint(right), right); err != nil {
			t.Error(err)
		}
	}
	check := func(r class.Roster, live bool) {
		t.Helper()
		a, b, e := r.Students[0], r.Students[1], r.Students[2]
		if a.Name != "Ada" || a.Answer != "<b>none</b>" || a.Right != 1 || a.Checked != 1 || b.Right != 0 || b.Checked != 1 || e.Answer != "FuseOps" || e.Checked != 0 {
			t.Errorf("the students are %+v", r.Students)
		}
		if a.Here != live || a.Step != "FuseOps  › main" || b.Runs != 2 || b.Run != "O2 −FuseTIR" || b.Here {
			t.Errorf("the students are %+v", r.Students)
		}
		if fmt.Sprint(r.Tried) != "[{O2 −FuseTIR 2 <nil>}]" {
			t.Errorf("tried was %v", r.Tried)
		}
		if len(r.Tallies) != 2 || r.Tallies[0].Question != "order/2" || len(r.Tallies[0].Answers) != 2 || r.Tallies[1].Answers[0] != (class.Count{Text: "<b>none</b>", Count: 2}) {
			t.Errorf("the answers are %+v", r.Tallies)
		}
	}
	r, err := c.Roster("c")
	if err != nil {
		t.Fatal(err)
	}
	check(r, true)
	leave()
	if r, _ = c.Roster("c"); r.Students[0].Here {
		t.Error("who has left is here")
	}
	// Another server on the same store.
	again := open(t, st)
	if r, err = again.Roster("c"); err != nil {
		t.Fatal(err)
	}
	check(r, false)
	if _, ok := again.Visitor("b"); !ok {
		t.Error("after a restart a student is no visitor of their own")
	}
	if got := must(t, again, "e", "Somebody"); got != eve {
		t.Errorf("after a restart who was in gets the session %s", got)
	}
}

// TestWhoseClassItIs is for the teacher's token alone.
func TestWhoseClassItIs(t *testing.T) {
	c := open(t, store.NewMemory(1<<20))
	create(t, c)
	one, err := c.Class("c")
	if err != nil || !one.Owns("teacher") || one.Owns("") || one.Owns("teache") || one.Owns("a") {
		t.Errorf("the class is %+v (%v)", one, err)
	}
	if c.Of("from") != "c" || c.Of("begin") != "" {
		t.Error("the class of a session is another")
	}
}

// hear returns the next message of a source.
func hear[T any](t *testing.T, next func(context.Context, int) ([][]byte, bool, error)) (out T) {
	t.Helper()
	lines, sealed, err := next(t.Context(), 0)
	if err != nil || sealed || len(lines) != 1 {
		t.Fatalf("got %q, sealed %t, %v", lines, sealed, err)
	}
	if err := json.Unmarshal(lines[0], &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPagesAreTold of what concerns them: a student of questions and the end and of nothing that others do, a teacher of everything, in
// calm.
func TestPagesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, c := t.Context(), open(t, store.NewMemory(1<<20))
		create(t, c)
		ada, bob := must(t, c, "a", "Ada"), must(t, c, "b", "Bob")
		desk, leave, err := c.Enter(ada)
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		if got := hear[class.Board](t, desk.Next); got.Name != "Ada" || got.Question != nil || got.Watch != "" {
			t.Errorf("a student is told %+v", got)
		}
		watch, err := c.Watch("c")
		if err != nil {
			t.Fatal(err)
		}
		if got := hear[class.Roster](t, watch.Next); len(got.Students) != 2 {
			t.Errorf("the teacher is told %+v", got)
		}
		for i := range 50 {
			c.Ran(bob, fmt.Sprint("run ", i))
		}
		began := time.Now()
		if got := hear[class.Roster](t, watch.Next); got.Students[1].Runs != 50 || time.Since(began) < 300*time.Millisecond {
			t.Errorf("after %v the teacher is told %+v", time.Since(began), got)
		}
		soon, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if lines, _, err := desk.Next(soon, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("of another's runs a student is told %s, %v", lines, err)
		}
		if err := c.Ask(ctx, "c", "Which?", []string{"x", "y"}); err != nil {
			t.Fatal(err)
		}
		if got := hear[class.Board](t, desk.Next); got.Question == nil || !slices.Equal(got.Question.Options, []string{"x", "y"}) || got.Answer != "" {
			t.Errorf("a student is asked %+v", got)
		}
		if err := c.Choose(ctx, bob, "1. Which?", 0); err != nil {
			t.Fatal(err)
		}
		if err := c.Choose(ctx, ada, "1. Which?", 1); err != nil {
			t.Fatal(err)
		}
		if got := hear[class.Board](t, desk.Next); got.Answer != "y" {
			t.Errorf("a student who answered y is told %+v", got)
		}
		if err := c.Ask(ctx, "c", "", nil); err != nil {
			t.Fatal(err)
		}
		if got := hear[class.Board](t, desk.Next); got.Question != nil {
			t.Errorf("when the question is taken back a student is told %+v", got)
		}
		if err := c.End(ctx, "c"); err != nil {
			t.Fatal(err)
		}
		if got := hear[class.Board](t, desk.Next); !got.Over {
			t.Errorf("at the end a student is told %+v", got)
		}
		for got := hear[class.Roster](t, watch.Next); !got.Over; {
			got = hear[class.Roster](t, watch.Next)
		}
		if _, sealed, err := desk.Next(ctx, 0); !sealed || err != nil {
			t.Error("after the end a student waits for more")
		}
		if _, _, ok := c.Seat(ada); ok {
			t.Error("after the end a session is a student's")
		}
		if _, ok := c.Visitor("a"); ok {
			t.Error("after the end a student is a visitor of their own")
		}
	})
}

// TestAClassExpires after its time, and takes nobody any more.
func TestAClassExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory(1 << 20)
		c := open(t, st)
		create(t, c)
		ada := must(t, c, "a", "Ada")
		time.Sleep(class.Lifetime + time.Second)
		if _, _, ok := c.Seat(ada); ok {
			t.Error("a session is a student's after the class has expired")
		}
		if _, err := join(t, c, "b", "Bob"); !errors.Is(err, class.ErrNone) {
			t.Errorf("joining gives %v", err)
		}
		if _, err := open(t, st).Class("c"); !errors.Is(err, class.ErrNone) {
			t.Errorf("another server finds %v", err)
		}
	})
}

// TestWhatChangesAllTheTime is stored a while later, once for many changes, and when the server ends.
func TestWhatChangesAllTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &counting{Store: store.NewMemory(1 << 20)}
		c := open(t, st)
		create(t, c)
		ada := must(t, c, "a", "Ada")
		desk, leave, err := c.Enter(ada)
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		stored := func() class.Row {
			r, err := open(t, st).Roster("c")
			if err != nil {
				t.Fatal(err)
			}
			return r.Students[0]
		}
		before := st.puts.Load()
		for i := range 100 {
			if err := desk.Take(fmt.Appendf(nil, `{"step":"step %d"}`, i)); err != nil {
				t.Fatal(err)
			}
			c.Ran(ada, "O1")
		}
		if got := stored(); got.Step != "" || st.puts.Load() != before {
			t.Errorf("at once %+v is stored, %d times", got, st.puts.Load()-before)
		}
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if got := stored(); got.Step != "step 99" || got.Run != "O1" || got.Runs != 100 || st.puts.Load() != before+1 {
			t.Errorf("a while later %+v is stored, %d times", got, st.puts.Load()-before)
		}
		c.Ran(ada, "O3")
		if err := c.Flush(t.Context()); err != nil || stored().Run != "O3" || st.puts.Load() != before+2 {
			t.Errorf("when the server ends %+v is stored, %d times (%v)", stored(), st.puts.Load()-before, err)
		}
		if err := c.Flush(t.Context()); err != nil || st.puts.Load() != before+2 {
			t.Errorf("what is stored is stored again (%v)", err)
		}
		c.Ran(ada, "O2")
		if err := c.End(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if all, err := st.Classes(t.Context()); len(all) != 0 || err != nil {
			t.Errorf("a class that has ended is stored again: %v, %v", all, err)
		}
	})
}

// counting counts how often a class is stored.
type counting struct {
	store.Store
	puts atomic.Int64
}

func (c *counting) PutClass(ctx context.Context, one store.Class) error {
	c.puts.Add(1)
	return c.Store.PutClass(ctx, one)
}
