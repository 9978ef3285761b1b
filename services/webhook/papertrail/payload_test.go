package papertrail_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/papertrail"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, papertrail.Receive)
}
