// Package organization has the endpoints by which administrators decide on their organization (rest-api.md, section 5.4).
package organization
