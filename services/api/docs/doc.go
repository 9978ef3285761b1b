// Package docs serves the description of the HTTP interface to everybody: the OpenAPI document, and a
// page to read and search it with.
//
// The page's viewer is Scalar's api-reference, as published, in the folder viewer with its licence and
// its version; hack/viewer fetches it. It reads OpenAPI 3.1 well, searches everything, and asks for nothing
// else once fonts, telemetry and proxies are switched off. What is served is all that the page needs. A
// Content-Security-Policy forbids it to ask any other host for anything, so that it works, and keeps
// quiet, in closed networks.
package docs
