package exports_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// slowClient is a client that does something once it has received the beginning.
type slowClient struct {
	*httptest.ResponseRecorder

	once func()
}

// Write implements io.Writer.
func (s *slowClient) Write(p []byte) (int, error) {
	n, err := s.ResponseRecorder.Write(p)
	if once := s.once; once != nil {
		s.once = nil
		once()
	}
	return n, err
}

// The download of an archive ends when its caller isn't an administrator anymore.
func TestDownloadEnds(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	olga, ann := w.Person("Olga", actor.Owner), w.Person("Ann", actor.Administrator)
	olga.Subscribe("hall")
	olga.SendStream("hall", "t", "[x]("+olga.Upload("noise.png", servicetest.Noise(t, 300, 300))+")")
	ann.Do(http.MethodPost, "/export/realm", nil).OK()
	if err := w.Exports.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/exports/%d.tar.gz", exports(ann)[0].ID)
	whole := ann.Page(path, nil).Body.Len()
	if parts := ann.Page(path, map[string]string{"Range": "bytes=0-0,2-2"}); parts.Code != http.StatusOK || parts.Body.Len() != whole {
		t.Errorf("parts: %d, %d bytes", parts.Code, parts.Body.Len())
	}
	download := func(once func()) int {
		client := &slowClient{httptest.NewRecorder(), func() {
			once()
			time.Sleep(1100 * time.Millisecond)
		}}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
		r.Host = servicetest.Host
		r.SetBasicAuth(ann.RealEmail, ann.Key)
		w.Pages.ServeHTTP(client, r)
		return client.Body.Len()
	}
	if got := download(func() {}); got != whole {
		t.Errorf("%d bytes, want %d", got, whole)
	}
	got := download(func() {
		olga.Do(http.MethodPatch, "/users/"+ann.ID.String(), servicetest.Params{"role": 400}).OK()
		w.Forget(ann)
	})
	if got == 0 || got >= whole {
		t.Errorf("%d of %d bytes", got, whole)
	}
}
