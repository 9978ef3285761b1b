package buildbot_test

import (
	"testing"

	"chatserver.dev/services/webhook/buildbot"
	"chatserver.dev/services/webhook/hooktest"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, buildbot.Receive)
}
