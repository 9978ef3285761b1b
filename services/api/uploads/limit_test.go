package uploads_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/api/uploads"
	"chatserver.dev/services/servicetest"
)

const tooLarge = "Uploaded file is larger than the allowed limit of 25 MiB"

// large returns a form with a file of the given size, without holding it in memory.
func large(size int64) (kind string, body io.Reader) {
	return "multipart/form-data; boundary=b", io.MultiReader(
		strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"large\"\r\n\r\n"),
		io.LimitReader(zeros{}, size), strings.NewReader("\r\n--b--\r\n"))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestLargestFile(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	kind, body := large(attachment.MaxBytes)
	ann.Post("/user_uploads", kind, body).OK()
	kind, body = large(attachment.MaxBytes + 1)
	ann.Post("/user_uploads", kind, body).Fails(400, "", tooLarge)
	kept(t, w, 1)
}

// An upload that is interrupted, or has too much data around the file, stores nothing.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	const head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
	for what, body := range map[string]io.Reader{
		"in the file":       strings.NewReader(head + "half"),
		"with an error":     io.MultiReader(strings.NewReader(head+"half"), iotest.ErrReader(io.ErrUnexpectedEOF)),
		"a long head":       strings.NewReader("--b\r\nX: " + strings.Repeat("x", 1<<20)),
		"many parts":        strings.NewReader(strings.Repeat("--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n\r\n", 5000)),
		"much after a file": strings.NewReader(head + "all\r\n--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n" + strings.Repeat("x", 1<<20) + "\r\n--b--\r\n"),
	} {
		if a := ann.Post("/user_uploads", "multipart/form-data; boundary=b", body); a.Status != 400 && a.Status != 413 {
			t.Errorf("%s: %d %s", what, a.Status, a.Body)
		}
	}
	kept(t, w, 0)
	if err := w.Files.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := storetest.Values[int64](storetest.Connect(t, w.DatabaseURL), "select count(*) from unkept_files")[0]; left != 0 {
		t.Errorf("%d files are left to remove", left)
	}
}

// Concurrent uploads don't exceed the organization's quota.
func TestQuota(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	storetest.Connect(t, w.DatabaseURL).Exec(`update organizations set settings = settings || '{"upload_quota": 50}'`)
	people := []servicetest.Account{}
	for i := range 8 {
		people = append(people, w.Person(fmt.Sprintf("Person %d", i), actor.Member))
	}
	stored, all := make(chan bool, len(people)), sync.WaitGroup{}
	for _, p := range people {
		body, kind := servicetest.Form(t, nil, "a.txt", "0123456789")
		all.Go(func() {
			a := p.Post("/user_uploads", kind, body)
			if stored <- a.Status == http.StatusOK; a.Status != http.StatusOK {
				a.Fails(400, "REALM_UPLOAD_QUOTA", "Upload would exceed your organization's upload quota.")
			}
		})
	}
	all.Wait()
	close(stored)
	count := 0
	for ok := range stored {
		if ok {
			count++
		}
	}
	if count != 5 {
		t.Errorf("%d files of 10 bytes fit into 50", count)
	}
	kept(t, w, 5)
}

// A server without a storage refuses with an error.
func TestNoStorage(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	none := attachment.New(attachment.Deps{DB: w.DB, Orgs: w.Orgs, Files: file.New(w.DB, nil, w.Logger)})
	w.Serve(uploads.Upload(none))
	body, kind := servicetest.Form(t, nil, "a.txt", "a")
	ann.Post("/user_uploads", kind, body).Fails(400, "BAD_REQUEST", "This server isn't set up to store files.")
}
