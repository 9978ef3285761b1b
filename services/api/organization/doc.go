// Package organization has the endpoints by which administrators configure their organization (rest-api.md, section
// 5.4).
package organization
