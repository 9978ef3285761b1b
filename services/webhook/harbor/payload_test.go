package harbor_test

import (
	"testing"

	"chatserver.dev/services/webhook/harbor"
	"chatserver.dev/services/webhook/hooktest"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, harbor.Receive)
}
