package circleci_test

import (
	"testing"

	"chatserver.dev/services/webhook/circleci"
	"chatserver.dev/services/webhook/hooktest"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, circleci.Receive)
}
