package push

import "time"

// SetTimeout replaces the timeout of requests, before Run is called.
func (w *Worker) SetTimeout(timeout time.Duration) { w.client.Timeout = timeout }
