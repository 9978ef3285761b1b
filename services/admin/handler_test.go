package admin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	domain "chatserver.dev/pkg/admin"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
	"chatserver.dev/services/admin"
)

// A caller that has disconnected, such as an operator whose time is over, is no failure of the server.
func TestDisconnectedCaller(t *testing.T) {
	t.Parallel()
	w, log := newWorld(t), strings.Builder{}
	service := domain.New(domain.Deps{DB: w.DB})
	handler := admin.NewHandler(admin.Operations(service), admin.NewTokens(admin.Config{Token: token}), slog.New(slog.NewTextHandler(&log, nil)))
	for _, gone := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		if gone {
			cancel()
		}
		request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/admin/v1/organizations/nobody", http.NoBody)
		request.Header.Set("Authorization", "Bearer "+token)
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, request)
		cancel()
		if log.Len() > 0 || !gone && response.Code != http.StatusNotFound {
			t.Errorf("gone: %v, status %d, logged %s", gone, response.Code, log.String())
		}
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, wrong := range []string{"", "x", token + "x", token[1:]} {
		client, err := adminclient.New(w.url, wrong, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Status(t.Context())
		if !adminclient.IsUnauthorized(err) || err.Error() != "The admin token is missing or wrong" {
			t.Errorf("token %q: %v", wrong, err)
		}
	}
	status := must(w.Status(t.Context()))(t)
	if status.Schema.Has != status.Schema.Needs || status.Schema.Has < 3 || status.Version != "1.2.3" || len(status.Organizations) != 1 {
		t.Errorf("status: %+v", status)
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	for _, test := range []struct{ body, code, msg string }{
		{`{"name": "x", "title": "y"}`, "UNKNOWN_FIELD", "There is no field 'title' in the body"},
		{`{"name": 5}`, "INVALID_JSON", "The body isn't valid: the field 'name' must not be of type number"},
		{`{"name": "x"} {}`, "INVALID_JSON", "The body isn't valid: there is more than one JSON value"},
		{`{"name": "x"`, "INVALID_JSON", "The body isn't valid: unexpected EOF"},
		{`[]`, "INVALID_JSON", "The body isn't valid: the field '' must not be of type array"},
	} {
		status, code, msg := w.raw(http.MethodPut, "/admin/v1/organizations/team%2Fengineering/streams/k", test.body)
		if status != 400 || code != test.code || msg != test.msg {
			t.Errorf("%s: %d %s %q, want 400 %s %q", test.body, status, code, msg, test.code, test.msg)
		}
	}
	status, _, msg := w.raw(http.MethodPut, "/admin/v1/organizations/team%2Fengineering/streams/k", strings.Repeat(" ", 1<<20+1))
	if want := "The request's body is too large"; status != 413 || msg != want {
		t.Errorf("a large body: %d %q, want 413 %q", status, msg, want)
	}
	if got, want := w.halfSent(), "The request's body can't be read"; got != want {
		t.Errorf("half a body: %q, want %q", got, want)
	}
	if status, code, _ := w.raw(http.MethodGet, "/api/v1/users/me", ""); status != 404 || code != "NOT_FOUND" {
		t.Errorf("a path of the public interface: %d %s", status, code)
	}
}

// A call whose token is revoked while its body is sent changes nothing.
func TestRevokedMeanwhile(t *testing.T) {
	t.Parallel()
	w, file := newWorld(t), filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	handler := admin.NewHandler(admin.Operations(domain.New(domain.Deps{DB: w.DB})), admin.NewTokens(admin.Config{TokenFile: file}), slog.New(slog.DiscardHandler))
	body := io.MultiReader(strings.NewReader(`{"name": "Hall"`), reading(func() {
		if err := os.WriteFile(file, []byte(strings.Repeat("new", 16)), 0o600); err != nil {
			t.Error(err)
		}
	}), strings.NewReader("}"))
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/admin/v1/organizations/x/streams/k", body)
	request.Header.Set("Authorization", "Bearer "+token)
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	if response.Code != http.StatusUnauthorized || response.Header().Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("%d %v %s", response.Code, response.Header(), response.Body)
	}
}

// reading is an empty reader that calls a function when it is read.
type reading func()

func (r reading) Read([]byte) (int, error) {
	r()
	return 0, io.EOF
}

// halfSent sends a body that ends before its length, and returns the message of the answer.
func (w *world) halfSent() string {
	w.t.Helper()
	server := must(url.Parse(w.url))(w.t)
	connection := must(net.Dial("tcp", server.Host))(w.t)
	defer connection.Close()
	if _, err := fmt.Fprintf(connection, "PUT /admin/v1/organizations/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 9\r\n\r\n{", token); err != nil {
		w.t.Fatal(err)
	}
	if err := connection.(*net.TCPConn).CloseWrite(); err != nil { //nolint:forcetypeassert // it was dialed as such
		w.t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	failure := adminapi.Failure{}
	if err := json.NewDecoder(response.Body).Decode(&failure); err != nil {
		w.t.Fatal(err)
	}
	return failure.Msg
}
