package uptimerobot_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/uptimerobot"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, uptimerobot.Receive)
}
