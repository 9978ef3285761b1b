package opsgenie_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/opsgenie"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, opsgenie.Receive)
}
