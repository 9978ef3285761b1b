package travis_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/travis"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, travis.Receive)
}
