module chatserver.dev/hack

go 1.26.0

require (
	chatserver.dev/pkg v0.0.0
	chatserver.dev/services v0.0.0
)

require (
	github.com/getkin/kin-openapi v0.152.0 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
)

replace (
	chatserver.dev/pkg => ../pkg
	chatserver.dev/services => ../services
)
