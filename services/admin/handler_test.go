package admin_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	domain "chatserver.dev/pkg/admin"
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
