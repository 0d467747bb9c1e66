package lower

// table finds nodes by what they compute and the region that they are in. It holds no keys: those of a node follow from it.
type table struct {
	slots []slot // a power of two, or none
	used  int
	round uint32 // slots of other rounds are free, so that nothing needs to be cleared
}

type slot struct {
	node  *Node
	hash  uint32
	round uint32
}

func (t *table) reset() {
	t.used = 0
	if t.round++; t.round == 0 { // all numbers were used
		clear(t.slots)
		t.round = 1
	}
}

// key identifies equal nodes.
type key struct {
	op      Op
	a, b, c *Node
	imm, hi uint64
	callee  Ref
}

func keyOf(op Op, imm, hi uint64, args []*Node) key {
	k := key{op: op, imm: imm, hi: hi}
	switch len(args) {
	case 3:
		k.c = args[2]
		fallthrough
	case 2:
		k.b = args[1]
		fallthrough
	case 1:
		k.a = args[0]
	}
	return k
}

// hash returns a number that follows from k.
func (k *key) hash() uint64 {
	h := uint64(k.op)<<32 ^ uint64(k.callee)
	for _, x := range [...]uint64{k.imm, k.hi} {
		h = stir(h, x)
	}
	for _, n := range [...]*Node{k.a, k.b, k.c} {
		if n == nil {
			break
		}
		h = stir(h, uint64(n.id))
	}
	return h
}

func stir(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// in is the hash of a key in a region: hash is that of the key alone.
func in(hash uint64, r *Region) uint32 {
	id := 0
	if r != nil {
		id = r.id
	}
	return uint32(stir(hash, uint64(id)) >> 32)
}

// is reports whether n computes what k says.
func (n *Node) is(k *key) bool {
	if n.Op != k.op || n.Imm != k.imm || n.Hi != k.hi || n.Callee != k.callee {
		return false
	}
	args := [3]*Node{}
	copy(args[:], n.Args)
	return args == [3]*Node{k.a, k.b, k.c}
}

// find returns the slot of the node with that key in r, or the free one where it belongs.
func (t *table) find(hash uint32, k *key, r *Region) *slot {
	for i := int(hash); ; i++ {
		s := &t.slots[i&(len(t.slots)-1)]
		if s.round != t.round || s.hash == hash && s.node.Region == r && s.node.is(k) {
			return s
		}
	}
}

// get returns the node with that key in r, nil if there is none.
func (t *table) get(hash uint64, k *key, r *Region) *Node {
	if len(t.slots) == 0 {
		return nil
	}
	if s := t.find(in(hash, r), k, r); s.round == t.round {
		return s.node
	}
	return nil
}

// put makes n the node with that key in its region.
func (t *table) put(hash uint64, k *key, n *Node) {
	if 2*t.used >= len(t.slots) {
		t.grow()
	}
	h := in(hash, n.Region)
	s := t.find(h, k, n.Region)
	if s.round != t.round {
		t.used++
	}
	*s = slot{node: n, hash: h, round: t.round}
}

func (t *table) grow() {
	old := t.slots
	t.slots = make([]slot, max(256, 2*len(old)))
	for _, s := range old {
		if s.round == t.round {
			i := int(s.hash)
			for t.slots[i&(len(t.slots)-1)].node != nil {
				i++
			}
			t.slots[i&(len(t.slots)-1)] = s
		}
	}
}
