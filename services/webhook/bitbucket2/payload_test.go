package bitbucket2_test

import (
	"testing"

	"chatserver.dev/services/webhook/bitbucket2"
	"chatserver.dev/services/webhook/hooktest"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, bitbucket2.Receive)
}
