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
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
)

const (
	// maxFile is the maximum size in bytes of a file of any endpoint (rest-api.md, section 9).
	maxFile = 25 << 20
	// aroundFile is the maximum size in bytes of a body's part before its file, and of that after it.
	aroundFile = SmallBody
	// uploadPace is how many bytes of a file extend its client's time by a second.
	uploadPace = 64 << 10
	// uploadTime is the time for the body in addition to that.
	uploadTime = 30 * time.Second
	// uploadBuffer is the size of the buffer for reading a body. Package multipart uses small reads.
	uploadBuffer = 64 << 10
	// maxUploads is the maximum number of files that an account uploads to a process concurrently.
	maxUploads = 10
)

var errUploads = fault.New(fault.TooMany, fault.CodeRateLimitHit, "Too many files are being uploaded: at most 10 at a time")

// OneFile says which file an endpoint of [Upload] accepts, and the faults of others.
type OneFile struct {
	// MaxBytes is the file's maximum size, at most [maxFile].
	MaxBytes int64
	// Missing, Several and TooLarge are the faults if there is no file, several files, or one of more than MaxBytes. Missing is
	// nil if the file may be left out; then the parameters may be in any body.
	Missing, Several, TooLarge *fault.Fault
}

// faults returns the faults of the file.
func (o OneFile) faults() []*fault.Fault {
	if o.Missing == nil {
		return []*fault.Fault{o.Several, o.TooLarge}
	}
	return slices.Compact([]*fault.Fault{o.Missing, o.Several, o.TooLarge})
}

// Upload declares an endpoint with one file in a body of multipart/form-data, in a field of any name. handle reads
// the file while it arrives. Parameters are in the query string, or in the body before the file. about needn't declare the
// faults of the file.
func Upload[P, R any](about About, file OneFile, handle func(ctx context.Context, who actor.Actor, in P, file *File) (R, error)) Endpoint {
	about.Faults = append(slices.Clone(about.Faults), file.faults()...)
	e := declare(KindUpload, about, reflect.TypeFor[P](), reflect.TypeFor[R]())
	if file.MaxBytes <= 0 || file.MaxBytes > maxFile || slices.Contains(file.faults(), nil) {
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

// File is the file of a request. It is read once, while it arrives. Reading fails with the faults of [OneFile], at the end
// of the file at the latest, or with a fault that says why the body can't be read, or that the caller may not make the request
// anymore. If reading ends with an error other than io.EOF, the data read must not be used.
type File struct {
	rule    OneFile
	parts   *multipart.Reader
	part    *multipart.Part // nil: there is no file
	body    *budget
	size    int64
	extend  func(bytes int64)
	confirm func() error // called when all of the body has been read
	granted int64        // bytes that extend was called for
	err     error        // the error at the end of reading
}

// Name returns the client's name of the file, without folders; empty if there is none. It may be any text.
func (f *File) Name() string {
	if f.part == nil {
		return ""
	}
	return f.part.FileName()
}

// Sent reports whether there is a file.
func (f *File) Sent() bool { return f.part != nil }

// Given returns [OneFile.Missing] if there is no file.
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

// end reads the rest of the body after the file, and returns io.EOF if there is no other file.
func (f *File) end() error {
	f.body.left = aroundFile
	for {
		part, err := f.parts.NextRawPart()
		switch {
		case err == io.EOF: // another error may wrap it: then the form is cut off
			if err := f.confirm(); err != nil {
				return err
			}
			return io.EOF
		case err != nil:
			return bodyError(err)
		case part.FileName() != "":
			return f.rule.Several
		}
	}
}

// budget is a body of which only left bytes may be read.
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

// readToFile reads the body up to its file.
func (c *call) readToFile(ctx context.Context) error {
	rule := *c.endpoint.file
	c.file = &File{rule: rule, extend: c.extend, confirm: func() error { return c.confirmSame(ctx) }}
	if err := checkEncoding(c.r); err != nil {
		return err
	}
	kind, params, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	switch {
	case kind != multipartType:
		return c.endpoint.schema.readBody(c.form, c.w, c.r, c.endpoint.about.MaxBody)
	case c.r.ContentLength > rule.MaxBytes+2*aroundFile:
		return rule.TooLarge
	}
	if !c.router.uploads.Enter(c.who.User) {
		return errUploads.With(retryAfter, 1)
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
		case err == io.EOF: // as in end
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

// extend extends the deadline for the body according to the bytes received so far.
func (c *call) extend(bytes int64) {
	by := c.began.Add(uploadTime + time.Duration(bytes)*time.Second/uploadPace)
	_ = http.NewResponseController(c.w).SetReadDeadline(by) // only requests in tests have no deadlines
}
