module chatserver.dev/probe

go 1.26.0
