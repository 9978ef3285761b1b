package slackincoming_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/slackincoming"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, slackincoming.Receive)
}
