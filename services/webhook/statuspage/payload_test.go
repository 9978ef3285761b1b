package statuspage_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/statuspage"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, statuspage.Receive)
}
