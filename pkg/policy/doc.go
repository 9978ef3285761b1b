// Package policy implements the decisions of an organization's administrators (rest-api.md, sections 5.4 and 8.1):
// its name and description, its settings, and its deactivation. Package org defines the settings.
package policy
