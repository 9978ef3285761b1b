package pagerduty_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/pagerduty"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, pagerduty.Receive)
}
