package alertmanager_test

import (
	"testing"

	"chatserver.dev/services/webhook/alertmanager"
	"chatserver.dev/services/webhook/hooktest"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, alertmanager.Receive)
}
