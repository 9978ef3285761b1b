package blob_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/testbed"
)

// callTime is the timeout for opening and reading files in this test.
const callTime = 2 * time.Second

// silent starts a server with three files, until the test ends: it sends all of "whole", half of "half", and nothing about others.
func silent(t *testing.T) *blob.Bucket {
	t.Helper()
	const size = 4 << 20
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := map[string]int{"/files/whole": size, "/files/half": size / 2}[r.URL.Path]
		if sent > 0 {
			w.Header().Set("ETag", `"x"`)
			w.Header().Set("Last-Modified", time.Unix(0, 0).UTC().Format(http.TimeFormat))
			w.Header().Set("Content-Length", strconv.Itoa(size))
		}
		if sent > 0 && r.Method == http.MethodHead {
			return
		}
		_, _ = w.Write(make([]byte, sent))
		if sent > 0 && sent < size {
			_ = http.NewResponseController(w).Flush()
		}
		if sent < size {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	s, err := blob.OpenBucket(blob.Config{
		Endpoint: server.URL, Bucket: "files", Region: "us-east-1", PathStyle: true, AccessKey: "testkey", SecretKey: "testsecret",
	})
	if err != nil {
		t.Fatal(err)
	}
	s.SetCallTime(callTime)
	return s
}

// Nobody waits for a server that accepts connections and then is silent.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	testbed.Slow(t)
	s := silent(t)
	soon := func(t *testing.T, call func() error) {
		t.Helper()
		start := time.Now()
		err := call()
		if took := time.Since(start); err == nil || errors.Is(err, blob.ErrNotFound) || took > 5*callTime {
			t.Errorf("after %v: %v", took, err)
		}
	}
	t.Run("at once", func(t *testing.T) {
		t.Parallel()
		soon(t, func() error {
			_, err := s.Open(t.Context(), "nothing")
			return err
		})
	})
	t.Run("removing", func(t *testing.T) {
		t.Parallel()
		soon(t, func() error { return s.Remove(t.Context(), "nothing") })
	})
	t.Run("after half of a file", func(t *testing.T) {
		t.Parallel()
		file, err := s.Open(t.Context(), "half")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		soon(t, func() error {
			_, err := io.ReadAll(file)
			return err
		})
	})
	t.Run("the client, in between", func(t *testing.T) {
		t.Parallel()
		file, err := s.Open(t.Context(), "whole")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := io.ReadFull(file, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(callTime + callTime/4)
		if rest, err := io.ReadAll(file); err != nil || int64(len(rest)) != file.Size()-100 {
			t.Errorf("%d bytes, %v", len(rest), err)
		}
	})
}
