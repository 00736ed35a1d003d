package process

import (
	"bytes"
	"errors"
	"io"
	"os"
	"unsafe"
)

// errNoFrame says that what came begins with no frame.
var errNoFrame = errors.New("no frame")

// link passes frames between two processes, one at a time: through two pipes, and where both sides know it through memory that they share, in which a
// frame takes a tenth of the time.
type link struct {
	to, from *os.File
	memory   *memory // nil for pipes alone

	words []uint64 // what was read; its memory is kept from frame to frame
	n     int      // bytes of it
}

// firstRead is how many bytes are asked for before the length of a frame is known: most come whole.
const firstRead = 1 << 16

// bytes returns the first n bytes of the memory for what is read, which begins at a multiple of 8.
func (l *link) bytes(n int) []byte {
	if words := (n + 7) / 8; words > len(l.words) {
		l.words = append(l.words, make([]uint64, max(words, firstRead/8)-len(l.words))...)
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&l.words[0])), n)
}

// send sends a frame.
func (l *link) send(b []byte) error {
	if l.memory != nil {
		return l.memory.send(b, l.to)
	}
	_, err := l.to.Write(b)
	return err
}

// receive reads a frame. The arrays of f stay until the next one is read.
func (l *link) receive(f *frame) error {
	if l.memory != nil {
		b, err := l.memory.receive(l.from)
		if err != nil {
			return err
		}
		if b != nil {
			k, id, n, err := parseHead(b)
			if err != nil {
				return err
			}
			f.kind, f.id = k, id
			return f.parse(b[headSize:min(headSize+n, len(b))])
		}
	}
	await(l.from)
	l.n = 0
	if err := l.fill(headSize); err != nil {
		return err
	}
	k, id, n, err := parseHead(l.bytes(headSize))
	if err != nil {
		return err
	}
	if err := l.fill(headSize + n); err != nil {
		return err
	}
	if l.n > headSize+n {
		return errNoFrame
	}
	f.kind, f.id = k, id
	return f.parse(l.bytes(headSize + n)[headSize:])
}

// fill reads until n bytes are there. What begins with no frame is not waited for.
func (l *link) fill(n int) error {
	for l.n < n {
		b := l.bytes(max(n, firstRead))
		k, err := l.from.Read(b[l.n:])
		l.n += k
		switch begins := min(l.n, len(magic)); {
		case string(b[:begins]) != magic[:begins]:
			return errNoFrame
		case k == 0 && err == nil:
			return io.ErrNoProgress
		case err != nil && l.n < n:
			if l.n > 0 && errors.Is(err, io.EOF) {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

// strange returns the first line of what came instead of a frame, or after one.
func (l *link) strange() string {
	b := l.bytes(l.n)
	if l.n >= headSize && string(b[:len(magic)]) == magic {
		if _, _, n, err := parseHead(b); err == nil {
			b = b[min(headSize+n, len(b)):]
		}
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return string(line[:min(len(line), 80)])
}
