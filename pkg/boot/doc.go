// Package boot is what every process of the product does besides its work: it reads the
// configuration, connects to PostgreSQL and Redis, serves HTTP, reports whether it is well, and ends in
// order. It is wired here once; a main is a call of [Run] with the process's parts.
//
// It promises:
//
//   - Configuration is the environment and nothing else. A value that can't be read ends the start
//     with one sentence that names the variable. The log shows what is in force, without passwords.
//   - Everything but GET /api/v1/events is traced, where traces are on.
//   - /healthz says that the process lives, /readyz that it can serve: the database and Redis answer,
//     every part is ready, and the process isn't about to end. The log says once when that changes.
//   - On SIGTERM or SIGINT readiness fails first, and every answer asks its client to close the connection.
//     After the delay that the configuration says no connection is accepted any more, waiting
//     polls are answered, requests end, and the parts stop in the reverse of their order. What isn't
//     done by the end of the grace period is cut off. A second signal ends the process at once.
//   - The goroutines of a part are its Run's; Run returns when they are gone.
//
// Telemetry is off until asked for: traces are sent when OTEL_EXPORTER_OTLP_ENDPOINT is set (the
// exporter reads the other OTEL_EXPORTER_OTLP_* variables itself), metrics are served for Prometheus
// at METRICS_ADDR, profiles at PPROF_ADDR, and with LOG_LEVEL=debug each request has a line in the log.
package boot
