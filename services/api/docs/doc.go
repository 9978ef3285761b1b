// Package docs serves the description of the HTTP interface without authentication: the OpenAPI document, and a page to
// read and search it.
//
// The page's viewer is Scalar's api-reference, as published, in the folder viewer with its licence and
// its version; hack/viewer fetches it. It supports OpenAPI 3.1, searches everything, and makes no other
// requests once fonts, telemetry and proxies are switched off. This package serves all that the page needs,
// so it works in closed networks. A Content-Security-Policy forbids requests to other hosts.
package docs
