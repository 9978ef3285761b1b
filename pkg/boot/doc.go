// Package boot has what all processes of the product have in common: it reads the configuration, connects to PostgreSQL and
// Redis, serves HTTP, reports health, and shuts down in order. A main function calls [Run] with the process's parts.
//
// It promises:
//
//   - Configuration is read from the environment only. The error of an invalid value is one sentence that names the
//     variable. The log shows the effective configuration, without passwords.
//   - All requests except GET /api/v1/events are traced, if traces are enabled.
//   - /healthz reports that the process is alive, /readyz that it can serve: the database and Redis respond,
//     all parts are ready, and the process isn't shutting down. Changes are logged once.
//   - On SIGTERM or SIGINT readiness fails first, and each response closes its connection. After the configured delay
//     the process accepts no more connections, answers waiting polls, finishes requests, and stops its parts in reverse
//     order. After the grace period it aborts the rest. A second signal ends the process at once.
//   - A part's goroutines belong to its Run, which returns when they have ended.
//
// Telemetry is off by default: traces are sent if OTEL_EXPORTER_OTLP_ENDPOINT is set (the exporter reads the other
// OTEL_EXPORTER_OTLP_* variables itself), metrics are served for Prometheus at METRICS_ADDR, profiles at PPROF_ADDR, and
// with LOG_LEVEL=debug each request is logged.
package boot
