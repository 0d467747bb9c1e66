package sqlite

import "sync"

// present knows, without asking the database, texts that are there and runs that go on. A run that repeats an earlier one keeps some
// hundred texts in several dozen steps: it need not wait for the writer each time to hear that they are there.
//
// What is pinned stays: the writer passes over a text that it would drop while the change that keeps it is on its way.
type present struct {
	mu    sync.Mutex
	runs  map[string]bool
	texts map[string]int // the pins of each
}

// maxPresent is the number of texts that are known; beyond it all that are not pinned are forgotten.
const maxPresent = 1 << 16

func newPresent() *present { return &present{runs: map[string]bool{}, texts: map[string]int{}} }

// begins and ends note that a run goes on, and that it does not any more.
func (p *present) begins(run string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs[run] = true
}

func (p *present) ends(run string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.runs, run)
}

// add notes that texts are there.
func (p *present) add(hashes []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.texts)+len(hashes) > maxPresent {
		for h, pins := range p.texts {
			if pins == 0 {
				delete(p.texts, h)
			}
		}
	}
	for _, h := range hashes {
		p.texts[h] += 0
	}
}

// pin pins texts where all are known to be there and the run goes on.
func (p *present) pin(run string, hashes []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.runs[run] {
		return false
	}
	for _, h := range hashes {
		if _, ok := p.texts[h]; !ok {
			return false
		}
	}
	for _, h := range hashes {
		p.texts[h]++
	}
	return true
}

func (p *present) unpin(hashes []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range hashes {
		p.texts[h]--
	}
}

// drop forgets a text that the writer is about to drop, or reports that it must not.
func (p *present) drop(hash string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.texts[hash] > 0 {
		return false
	}
	delete(p.texts, hash)
	return true
}
