package newrelic_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/newrelic"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, newrelic.Receive)
}
