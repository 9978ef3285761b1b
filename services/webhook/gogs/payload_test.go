package gogs_test

import (
	"testing"

	"chatserver.dev/services/webhook/gogs"
	"chatserver.dev/services/webhook/hooktest"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, gogs.Receive)
}
