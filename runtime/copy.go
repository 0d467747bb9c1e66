package runtime

import "github.com/irscope/irscope/runtime/memory"

// Sharer is an Attachment whose threads take part in other work on its device.
type Sharer interface {
	// Share calls f for each part, on several threads as far as they have nothing to do, and returns when all calls have.
	Share(parts int, f func(part int))
}

// partBytes is how much a thread copies at a time.
const partBytes = 64 << 10

// copyBytes copies src to dst, which has its size, between a host and the device. Long copies are divided among the threads of a loader: most of their time goes to pages that are
// touched for the first time.
func (d *Device) copyBytes(dst, src []byte) {
	parts := (len(src) + partBytes - 1) / partBytes
	if s := d.sharer(); parts > 1 && s != nil {
		s.Share(parts, func(i int) {
			from, till := i*partBytes, min((i+1)*partBytes, len(src))
			memory.Copy(dst[from:till], src[from:till])
		})
		return
	}
	memory.Copy(dst, src)
}

// sharer is the first attachment that has threads, nil if none has.
func (d *Device) sharer() Sharer {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range d.attached {
		if s, ok := a.Attachment.(Sharer); ok {
			return s
		}
	}
	return nil
}
