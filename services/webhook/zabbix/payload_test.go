package zabbix_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/zabbix"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, zabbix.Receive)
}
