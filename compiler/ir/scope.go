package ir

// Equality and hash both want to look at a shared node once, although what they find out about it may
// depend on where it is reached from. This file decides when a finding may be reused.
//
// Take g shared in fun(x) { (fun(y) { g(x) }, fun(z) { g(x) }) }. The node g(x) reads x only. At its
// first place its finding is tagged with the scope of x, depth 1, and holds again at the second place,
// since that scope is still the same one, although the scope of y has been replaced by that of z. A node
// that reads y would be tagged with depth 2 and not be found again inside of z.
//
// Every operation is amortized constant time but for the tree of maxima (latest), which costs the
// logarithm of the nesting depth: it answers which scope remains the innermost one read when the one
// that was innermost is closed.

// scopes is the place at which a walk over nodes stands, for walks that look at a shared node
// once: the nodes around it in which definitions hold, and what was read of them.
//
// What a walk finds out about a node depends on the place only through the variables that
// the node reads and does not define. So a finding notes the innermost scope that was read of, and
// holds at each place inside the same scope, however deep: what is further out is the same
// there. It holds everywhere if the node reads of no scope. Where a variable is defined
// again, the scopes from its first definition inwards count as others for as long.
type scopes struct {
	frames  []frame
	clock   int64
	read    latest
	reach   int32 // innermost scope read of since the node at hand was begun, -1 for none
	marks   marks
	renewed []renewal
	first   [8]frame
}

// A frame is a scope: a node that is walked over, at one place. The outermost stands for all
// that is around the root; free variables belong to it.
type frame struct {
	since   int64 // when it was opened, which no two frames have in common
	id      int64 // what findings refer to: since, or another number while a variable is redefined
	count   int32 // definitions so far
	renamed int32 // those of them that differ on the two sides
	height  int32 // scopes below it, for the hash
	renewed int32 // entries of renewed when it was opened
}

type renewal struct {
	depth int32
	id    int64
}

// marks are what else a finding depends on.
type marks uint8

const (
	// markFree: a variable that nobody defines was read; in a definition it would be defined.
	markFree marks = 1 << iota
	// markShared: what both sides share was not looked into, since no variable was renamed.
	markShared
)

// binding says where a variable was defined: the frame, and the number of the definition.
type binding struct {
	since int64
	depth int32
	num   int32
	free  bool // before that it was found to be defined by nobody
}

// finding says where what was found out about a node holds. Depth -1 is everywhere.
type finding struct {
	id    int64
	depth int32
	marks marks
}

func (s *scopes) init() {
	s.frames = append(s.first[:0], frame{})
	s.reach = -1
}

func (s *scopes) top() *frame { return &s.frames[len(s.frames)-1] }

func (s *scopes) open(height int32) {
	s.clock++
	s.frames = append(s.frames, frame{since: s.clock, id: s.clock, height: height, renewed: int32(len(s.renewed))})
}

// close ends the innermost scope. What was read of it is no matter outside.
func (s *scopes) close() {
	d := int32(len(s.frames) - 1)
	f := &s.frames[d]
	for i := len(s.renewed) - 1; i >= int(f.renewed); i-- {
		s.frames[s.renewed[i].depth].id = s.renewed[i].id
	}
	s.renewed = s.renewed[:f.renewed]
	s.read.set(d, 0)
	if s.reach == d {
		s.reach = s.read.last(f.since)
	}
	s.frames = s.frames[:d]
}

// live reports whether the scope of b is open, so that b is in force.
func (s *scopes) live(b binding) bool {
	return int(b.depth) < len(s.frames) && s.frames[b.depth].since == b.since
}

// define returns the next definition in the innermost scope.
func (s *scopes) define() binding {
	f := s.top()
	f.count++
	return binding{since: f.since, depth: int32(len(s.frames) - 1), num: f.count}
}

// use notes that the scope at depth was read of.
func (s *scopes) use(depth int32) {
	s.reach = max(s.reach, depth)
	if int(depth) < len(s.frames)-1 {
		s.read.set(depth, s.clock)
	}
}

func (s *scopes) useFree() {
	s.use(0)
	s.marks |= markFree
}

// renew makes all findings that read of the scope at depth, or of one in it, hold no longer. Those
// from before hold again when the innermost scope is closed.
func (s *scopes) renew(depth int32) {
	for ; int(depth) < len(s.frames); depth++ {
		f := &s.frames[depth]
		if int(depth) < len(s.frames)-1 {
			s.renewed = append(s.renewed, renewal{depth, f.id})
		}
		s.clock++
		f.id = s.clock
	}
}

// begin begins a node, and returns what end needs to go on with the node around it.
func (s *scopes) begin() (reach int32, m marks) {
	reach, m = s.reach, s.marks
	s.reach, s.marks = -1, 0
	return reach, m
}

// end ends a node, and returns where what was found out about it holds.
func (s *scopes) end(reach int32, m marks) finding {
	f := finding{depth: s.reach, marks: s.marks}
	if f.depth >= 0 {
		f.id = s.frames[f.depth].id
	}
	s.reach, s.marks = max(s.reach, reach), s.marks|m
	return f
}

// holds reports whether f holds here, in a definition or not.
func (s *scopes) holds(f finding, def bool) bool {
	if f.depth >= 0 && (int(f.depth) >= len(s.frames) || s.frames[f.depth].id != f.id) {
		return false
	}
	return !def || f.marks == 0
}

// again notes what a node reads without looking at it.
func (s *scopes) again(f finding) {
	if f.depth >= 0 {
		s.use(f.depth)
	}
	s.marks |= f.marks
}

// latest has a time for each depth, and finds the greatest depth with a time that is not
// before another. It is a tree of maxima: the parent of i is i/2, depth d is at size + d.
type latest struct {
	tree  []int64
	first [16]int64
}

func (l *latest) set(depth int32, time int64) {
	size := len(l.tree) / 2
	if int(depth) >= size {
		if time == 0 {
			return
		}
		l.grow(int(depth) + 1)
		size = len(l.tree) / 2
	}
	i := size + int(depth)
	if l.tree[i] == time {
		return
	}
	l.tree[i] = time
	for i /= 2; i > 0; i /= 2 {
		m := max(l.tree[2*i], l.tree[2*i+1])
		if l.tree[i] == m {
			return
		}
		l.tree[i] = m
	}
}

func (l *latest) grow(need int) {
	size := 8
	for size < need {
		size *= 2
	}
	old := l.tree
	if l.tree = l.first[:]; size > 8 {
		l.tree = make([]int64, 2*size)
	}
	copy(l.tree[size:], old[len(old)/2:])
	for i := size - 1; i > 0; i-- {
		l.tree[i] = max(l.tree[2*i], l.tree[2*i+1])
	}
}

// last returns the greatest depth whose time is not before t, -1 if there is none.
func (l *latest) last(t int64) int32 {
	if len(l.tree) == 0 || l.tree[1] < t {
		return -1
	}
	i, size := 1, len(l.tree)/2
	for i < size {
		if i = 2*i + 1; l.tree[i] < t {
			i--
		}
	}
	return int32(i - size)
}
