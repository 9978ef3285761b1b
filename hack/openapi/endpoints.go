package main

import (
	"path/filepath"

	"chatserver.dev/pkg/endpoint"
)

// endpoints gives every endpoint of the product. The makers are given nil services: declaring an
// endpoint starts nothing.
func endpoints() []endpoint.Endpoint {
	return nil
}

// sources gives the module folders in which the endpoints and their types are declared.
func sources(root string) []Source {
	return []Source{
		{Module: "chatserver.dev/pkg", Dir: filepath.Join(root, "pkg")},
		{Module: "chatserver.dev/services", Dir: filepath.Join(root, "services")},
	}
}
