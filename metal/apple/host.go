package apple

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"

	"gamma/metal/internal/protocol"
)

// host is the Objective-C world of a process.
type host struct {
	n         native
	selectors [messages]selector
	mu        sync.Mutex
	classes   map[string]id
	answers   map[inquiry]bool
	proven    map[acquaintance]bool
}

// inquiry is a question of respondsToSelector:, asked once for all objects of a class or protocol.
type inquiry struct {
	device id // protocols have a class for each device
	m      message
}

// acquaintance is a class or protocol whose objects of a device know all messages of the table.
type acquaintance struct {
	device id
	on     string
}

// newHost registers every selector.
func newHost(n native) *host {
	h := &host{n: n, classes: map[string]id{}, answers: map[inquiry]bool{}, proven: map[acquaintance]bool{}}
	for m := range messages {
		h.selectors[m] = n.register(table[m].selector)
	}
	return h
}

// pool is an autorelease pool that is open on a locked thread. Only a pool can send messages, and it must not leave the function
// that host.work gave it to.
type pool struct{ h *host }

// work locks the thread, opens a pool, calls f, and closes both again.
func (h *host) work(f func(p *pool) error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	token := h.n.pushPool()
	defer h.n.popPool(token)
	return f(&pool{h})
}

// send sends a message.
func (p *pool) send(m message, to id, args ...argument) result {
	d := &table[m]
	params := prototypes[d.sig].params
	ok := len(args) == len(params)
	for i := 0; ok && i < len(args); i++ {
		ok = args[i].kind == params[i]
	}
	if !ok {
		panic(wrongArguments(d, args))
	}
	if to == 0 {
		panic(nilReceiver(d))
	}
	return p.h.n.send(call{sig: d.sig, to: to, sel: p.h.selectors[m], args: args})
}

// class returns the class called name.
func (p *pool) class(name string) (id, error) {
	h := p.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.classes[name]; c != 0 {
		return c, nil
	}
	c := h.n.class(name)
	if c == 0 {
		return 0, errorf("the Objective-C runtime has no class %s; this system is too old, or the framework was not loaded", name)
	}
	h.classes[name] = c
	return c, nil
}

// make returns a new object of the class called name, +1.
func (p *pool) make(name string) (id, error) {
	c, err := p.class(name)
	if err != nil {
		return 0, err
	}
	x := p.send(msgNew, c).object()
	if x == 0 {
		return 0, errorf("new of %s returned nil; the system is out of memory", name)
	}
	return x, nil
}

// release sends release.
func (p *pool) release(x id) { p.send(msgRelease, x) }

// responds asks whether x, an object of device, knows m.
func (p *pool) responds(device, x id, m message) bool {
	h, key := p.h, inquiry{device, m}
	h.mu.Lock()
	yes, known := h.answers[key]
	h.mu.Unlock()
	if !known {
		yes = p.send(msgRespondsToSelector, x, selectorArg(h.selectors[m])).yes()
		h.mu.Lock()
		h.answers[key] = yes
		h.mu.Unlock()
	}
	return yes
}

// understands says whether x knows every message of the table to objects of class or protocol on, those apart that are optional. A message
// that an object does not know ends the process, and no Go code could stop that.
func (p *pool) understands(device, x id, on string) error {
	h, key := p.h, acquaintance{device, on}
	h.mu.Lock()
	proven := h.proven[key]
	h.mu.Unlock()
	if proven {
		return nil
	}
	var missing []string
	for m := range messages {
		if d := &table[m]; d.on == on && !d.class && !d.optional && !p.responds(device, x, m) {
			missing = append(missing, d.selector)
		}
	}
	if missing != nil {
		return errorf("this system's %s does not know %s; it is too old or too new for this package", on, strings.Join(missing, ", "))
	}
	h.mu.Lock()
	h.proven[key] = true
	h.mu.Unlock()
	return nil
}

// text returns s as an NSString, which the pool owns.
func (p *pool) text(what, s string) (id, error) {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return 0, errorf("%s holds a zero byte, at byte %d; take it out", what, i)
	}
	if !utf8.ValidString(s) {
		return 0, errorf("%s is not UTF-8; convert it", what)
	}
	c, err := p.class("NSString")
	if err != nil {
		return 0, err
	}
	x := p.send(msgStringWithUTF8String, c, stringArg(s)).object()
	if x == 0 {
		return 0, errorf("%s could not be made an NSString; the system is out of memory", what)
	}
	return x, nil
}

// maxText is the longest C string that is read.
const maxText = 16 << 20

// string returns the text of an NSString; "" for nil.
func (p *pool) string(x id) string {
	if x == 0 {
		return ""
	}
	c := p.send(msgUTF8String, x).ptr
	if c == nil {
		return ""
	}
	n := 0
	for n < maxText && *(*byte)(unsafe.Add(c, n)) != 0 {
		n++
	}
	return strings.Clone(unsafe.String((*byte)(c), n))
}

// Error is an NSError.
type Error struct {
	Call   string // what returned it
	Domain string // for instance MTLLibraryErrorDomain
	Code   int64
	Text   string // localizedDescription
}

// Error returns all of it.
func (e *Error) Error() string {
	s := fmt.Sprintf("apple: %s: %s (%s, code %d", e.Call, e.Text, e.Domain, e.Code)
	if e.Domain == commandBufferDomain {
		for _, x := range commandBufferErrors {
			if x.value == e.Code {
				s += ", " + x.name
			}
		}
	}
	return s + ")"
}

// failure reads the NSError that call returned, which may be nil.
func (p *pool) failure(call string, e id) error {
	if e == 0 {
		return errorf("%s failed and Metal gave no NSError", call)
	}
	return &Error{
		Call: call, Domain: p.string(p.send(msgDomain, e).object()), Code: int64(p.send(msgCode, e).word),
		Text: p.string(p.send(msgLocalizedDescription, e).object()),
	}
}

// errorf makes an error of this package.
func errorf(format string, args ...any) error { return name.Errorf(format, args...) }

// name begins errors of this package.
const name protocol.Name = "apple"
