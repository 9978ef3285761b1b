package signin_test

import (
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestGoogleClientID(t *testing.T) {
	t.Parallel()
	servicetest.New(t).Nobody().Do(http.MethodGet, "/fetch_google_client_id", nil).Fails(400, "", "GOOGLE_CLIENT_ID is not configured")
}
