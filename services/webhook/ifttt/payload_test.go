package ifttt_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/ifttt"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, ifttt.Receive)
}
