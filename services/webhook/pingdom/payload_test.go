package pingdom_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/pingdom"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, pingdom.Receive)
}
