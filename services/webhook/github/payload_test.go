package github_test

import (
	"testing"

	"chatserver.dev/services/webhook/github"
	"chatserver.dev/services/webhook/hooktest"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, github.Receive)
}
