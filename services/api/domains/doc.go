// Package domains has the endpoints of the domains whose addresses may join an organization (rest-api.md, section 5.5).
package domains
