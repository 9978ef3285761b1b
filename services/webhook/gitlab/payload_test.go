package gitlab_test

import (
	"testing"

	"chatserver.dev/services/webhook/gitlab"
	"chatserver.dev/services/webhook/hooktest"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, gitlab.Receive)
}
