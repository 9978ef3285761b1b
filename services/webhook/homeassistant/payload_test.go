package homeassistant_test

import (
	"testing"

	"chatserver.dev/services/webhook/homeassistant"
	"chatserver.dev/services/webhook/hooktest"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, homeassistant.Receive)
}
