package helloworld_test

import (
	"testing"

	"chatserver.dev/services/webhook/helloworld"
	"chatserver.dev/services/webhook/hooktest"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, helloworld.Receive)
}
