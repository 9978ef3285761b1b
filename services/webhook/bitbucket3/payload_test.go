package bitbucket3_test

import (
	"testing"

	"chatserver.dev/services/webhook/bitbucket3"
	"chatserver.dev/services/webhook/hooktest"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, bitbucket3.Receive)
}
