package netlify_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/netlify"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, netlify.Receive)
}
