package zapier_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/zapier"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, zapier.Receive)
}
