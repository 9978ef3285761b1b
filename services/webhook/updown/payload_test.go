package updown_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/updown"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, updown.Receive)
}
