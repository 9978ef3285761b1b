package gitea_test

import (
	"testing"

	"chatserver.dev/services/webhook/gitea"
	"chatserver.dev/services/webhook/hooktest"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, gitea.Receive)
}
