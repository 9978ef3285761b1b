package jira_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/jira"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, jira.Receive)
}
