package sentry_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/sentry"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, sentry.Receive)
}
