package systemtest_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/storetest"
)

const (
	formType  = "Content-Type: multipart/form-data; boundary=b\r\n"
	beginFile = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n"
	endFile   = "\r\n--b--\r\n"
)

// post returns a request with the beginning of a file; more is the number of bytes that are announced but not sent.
func (a *attack) post(path, file string, more int) string {
	body := beginFile + file
	if more == 0 {
		body += endFile
	}
	return a.head("POST", path, a.login+formType+fmt.Sprintf("Content-Length: %d\r\n", len(body)+more)) + body
}

// page returns a request for a path outside the API.
func (a *attack) page(path string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: " + a.addr + "\r\n" + a.login + "\r\n"
}

// bomb returns a PNG file of a few KB whose decoded image takes the maximum of memory.
func bomb(t *testing.T, side int) string {
	t.Helper()
	out := bytes.Buffer{}
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, image.NewNRGBA(image.Rect(0, 0, side, side))); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestMemoryUnderUploads attacks a process with the memory of a pod by uploads of an account: many, large, slow and
// interrupted ones, and pictures that take far more memory than they have bytes. The process stays within its limit,
// others can send, and no interrupted upload is stored afterwards. With CHAT_ATTACK=full in the environment, there are
// ten times as many uploads.
func TestMemoryUnderUploads(t *testing.T) {
	t.Parallel()
	s := StartSystem(t)
	dir := t.TempDir()
	p := s.Service("chatserver", patiently, "GOMEMLIMIT="+goLimit, "CHAT_LOCAL_DIR="+t.TempDir(), "FILES_DIR="+dir)
	people := s.Organization(t, 2)
	person := &client{http: http.DefaultClient, urls: func() []string { return []string{p.URL()} }, email: people[0].Email, key: people[0].Key}
	a := &attack{t: t, addr: strings.TrimPrefix(p.URL(), "http://")}
	a.login = "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(people[1].Email+":"+people[1].Key)) + "\r\n"
	hang := func() {
		for _, conn := range a.held {
			_ = conn.Close()
		}
	}
	defer hang()

	const large = 25<<20 - 1
	zeros := string(make([]byte, large))
	dense := bomb(t, 4800) // 92 MB
	photos := []string{}
	for range 6 {
		photos = append(photos, a.upload(dense))
	}
	heavy := a.upload(zeros)

	ctx, stop := context.WithCancel(t.Context())
	working, attackers := sync.WaitGroup{}, sync.WaitGroup{}
	took := []time.Duration{}
	working.Go(func() { took = sendUntil(ctx, t, person, people[0].UserID) })
	times := 1
	if os.Getenv("CHAT_ATTACK") == "full" {
		times = 10
	}
	for range times {
		for range 8 { // whole ones, of which most must be refused
			attackers.Go(func() { a.open(a.post("/user_uploads", zeros, 0)) })
		}
		for range 30 { // that don't come
			attackers.Go(func() {
				a.open(a.post("/user_uploads", zeros[:64<<10], 20<<20))
				a.open(a.post("/users/me/avatar", zeros[:1<<20], 3<<20))
			})
		}
		for range 12 { // that take memory
			attackers.Go(func() {
				a.open(a.post("/users/me/avatar", dense, 0))
				a.open(a.post("/users/me/avatar", bomb(t, 5), 0))
			})
		}
		for _, photo := range photos {
			for range 5 {
				attackers.Go(func() { a.open(a.page("/thumbnail?size=thumbnail&url=" + url.QueryEscape(photo))) })
			}
		}
		for range 30 { // that nobody reads
			attackers.Go(func() { a.open(a.page(heavy)) })
		}
	}
	attackers.Wait()
	time.Sleep(5 * time.Second)
	stop()
	working.Wait()
	withstood(t, s, p, took)
	hang()
	a.nothingLeft(s, dir)
}

// upload stores a file and returns its address.
func (a *attack) upload(file string) string {
	a.t.Helper()
	request, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, "http://"+a.addr+"/api/v1/user_uploads", strings.NewReader(beginFile+file+endFile))
	if err != nil {
		a.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	request.Header.Set("Authorization", strings.TrimSpace(strings.TrimPrefix(a.login, "Authorization: ")))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		a.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	_, uri, found := strings.Cut(string(body), `"uri":"`)
	uri, _, _ = strings.Cut(uri, `"`)
	if err != nil || !found {
		a.t.Fatalf("%d %s: %v", answer.StatusCode, body, err)
	}
	return uri
}

// nothingLeft waits until the storage has exactly the files of the database.
func (a *attack) nothingLeft(s *System, dir string) {
	a.t.Helper()
	sql := storetest.Connect(a.t, s.DatabaseURL())
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(time.Second) {
		stored := []string{}
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				path, err = filepath.Rel(dir, path)
				stored = append(stored, path)
			}
			return err
		})
		if err != nil {
			a.t.Fatal(err)
		}
		unkept := storetest.Values[int64](sql, "select count(*) from unkept_files")[0]
		kept := storetest.Values[string](sql, "select path from files")
		slices.Sort(kept)
		slices.Sort(stored)
		if unkept == 0 && slices.Equal(kept, stored) {
			return
		}
		if time.Now().After(deadline) {
			a.t.Fatalf("%d files are to be removed; %d are kept, and the storage has %d", unkept, len(kept), len(stored))
		}
	}
}
