package endpoint

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
)

const (
	// largestFile is the limit in bytes for a file that any endpoint takes (rest-api.md, section 9).
	largestFile = 25 << 20
	// aroundFile is what a body may have in bytes before its file, and after it.
	aroundFile = SmallBody
	// uploadPace is how many bytes of a file give its client a second more than other bodies have.
	uploadPace = 64 << 10
	// uploadTime is how long the body may take besides.
	uploadTime = 30 * time.Second
	// uploadBuffer is how many bytes of a body are read at a time: package multipart reads few.
	uploadBuffer = 64 << 10
	// mostUploads is how many files an account uploads to a process at a time.
	mostUploads = 10
)

var errUploads = fault.New(fault.TooMany, fault.CodeRateLimitHit, "Too many files are being uploaded: at most 10 at a time")

// OneFile says which file an endpoint of [Upload] takes, and how it refuses others.
type OneFile struct {
	// MaxBytes is the file's largest size, at most [largestFile].
	MaxBytes int64
	// Missing, Several and TooLarge are for no file, for several files, and for one of more than MaxBytes. Missing is nil if the
	// file may be left out; then the parameters may be in any body.
	Missing, Several, TooLarge *fault.Fault
}

// faults are those of the file.
func (o OneFile) faults() []*fault.Fault {
	if o.Missing == nil {
		return []*fault.Fault{o.Several, o.TooLarge}
	}
	return slices.Compact([]*fault.Fault{o.Missing, o.Several, o.TooLarge})
}

// Upload declares an endpoint that takes one file in a body of multipart/form-data, in a field of any name: handle reads
// it while it comes. Parameters are in the query string, or in the body before the file. The faults of the file needn't be
// declared besides.
func Upload[P, R any](about About, file OneFile, handle func(ctx context.Context, who actor.Actor, in P, file *File) (R, error)) Endpoint {
	about.Faults = append(slices.Clone(about.Faults), file.faults()...)
	e := declare(KindUpload, about, reflect.TypeFor[P](), reflect.TypeFor[R]())
	if file.MaxBytes <= 0 || file.MaxBytes > largestFile || slices.Contains(file.faults(), nil) {
		panic("endpoint: " + about.Route + ": a file has a limit, and faults for all that can be wrong with it")
	}
	e.file = &file
	e.serve = callerServe(func(ctx context.Context, who actor.Actor, in P) (R, error) {
		c, ok := ctx.Value(requestIDKey{}).(*call)
		if !ok {
			panic("endpoint: a handler's context has its call")
		}
		return handle(ctx, who, in, c.file)
	})
	return e
}

// File is the file of a request, which is read once, while it comes. Reading fails with the faults of [OneFile], at the end
// of the file at the latest, or with one that says why the body can't be read: what was read before an error other than
// io.EOF isn't a file.
type File struct {
	rule    OneFile
	parts   *multipart.Reader
	part    *multipart.Part // nil: there is no file
	body    *budget
	size    int64
	extend  func(bytes int64)
	granted int64 // bytes that extend was called for
	err     error // how reading ended
}

// Name is what the client calls the file, without folders; empty if there is none. It is any text.
func (f *File) Name() string {
	if f.part == nil {
		return ""
	}
	return f.part.FileName()
}

// Sent reports whether there is a file.
func (f *File) Sent() bool { return f.part != nil }

// Given fails with [OneFile.Missing] if there is no file.
func (f *File) Given() error {
	if f.part == nil && f.rule.Missing != nil {
		return f.rule.Missing
	}
	return nil
}

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	if f.err == nil && !f.Sent() {
		f.err = io.EOF
		if f.rule.Missing != nil {
			f.err = f.rule.Missing
		}
	}
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.part.Read(p)
	f.size += int64(n)
	switch {
	case f.size > f.rule.MaxBytes:
		n, f.err = 0, f.rule.TooLarge
	case errors.Is(err, io.EOF):
		f.err = f.end()
	case err != nil:
		f.err = bodyError(err)
	}
	if f.size-f.granted >= uploadPace {
		f.granted = f.size
		f.extend(f.size)
	}
	return n, f.err
}

// end reads what comes after the file, and returns io.EOF if there is no other file.
func (f *File) end() error {
	f.body.left = aroundFile
	for {
		part, err := f.parts.NextRawPart()
		switch {
		case errors.Is(err, io.EOF):
			return io.EOF
		case err != nil:
			return bodyError(err)
		case part.FileName() != "":
			return f.rule.Several
		}
	}
}

// budget is a body of which only so many bytes may be read for now.
type budget struct {
	io.Reader
	left int64
}

// Read implements io.Reader.
func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, &http.MaxBytesError{Limit: aroundFile}
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// readToFile reads the body as far as its file.
func (c *call) readToFile(ctx context.Context) error {
	rule := *c.endpoint.file
	c.file = &File{rule: rule, extend: c.extend}
	kind, params, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	switch {
	case kind != "multipart/form-data":
		return c.endpoint.schema.readBody(c.form, c.w, c.r, c.endpoint.about.MaxBody)
	case c.r.ContentLength > rule.MaxBytes+2*aroundFile:
		return rule.TooLarge
	}
	if !c.router.uploads.enter(c.who.User) {
		return errUploads.With("retry-after", 1)
	}
	c.uploads = true
	c.file.body = &budget{bufio.NewReaderSize(c.r.Body, uploadBuffer), aroundFile}
	c.file.parts = multipart.NewReader(c.file.body, params["boundary"])
	return c.readFields(ctx)
}

// readFields reads the fields before the file.
func (c *call) readFields(ctx context.Context) error {
	f := c.file
	for {
		part, err := f.parts.NextRawPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return bodyError(err)
		case part.FileName() != "":
			f.part = part
			f.body.left = f.rule.MaxBytes + aroundFile
			return ctx.Err()
		}
		at, ok := c.endpoint.schema.slots[part.FormName()]
		if !ok {
			continue
		}
		value := bytes.Buffer{}
		if _, err := value.ReadFrom(part); err != nil {
			return bodyError(err)
		}
		put(c.form.texts, at, text{raw: value.String()})
	}
}

// extend leaves the client more time, the more has come.
func (c *call) extend(bytes int64) {
	by := c.began.Add(uploadTime + time.Duration(bytes)*time.Second/uploadPace)
	_ = http.NewResponseController(c.w).SetReadDeadline(by) // a request without deadlines is a test's
}

// uploads counts the files that accounts upload. It is safe for concurrent use.
type uploads struct {
	mutex sync.Mutex
	by    map[id.User]int
}

// enter counts one more, unless there are too many.
func (u *uploads) enter(user id.User) bool {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.by[user] >= mostUploads {
		return false
	}
	if u.by == nil {
		u.by = map[id.User]int{}
	}
	u.by[user]++
	return true
}

// leave ends one.
func (u *uploads) leave(user id.User) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.by[user]--; u.by[user] == 0 {
		delete(u.by, user)
	}
}
