// Package exports has the endpoints about archives of an organization (rest-api.md, section 5.14), and serves them.
package exports
