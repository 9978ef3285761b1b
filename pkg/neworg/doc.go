// Package neworg implements signing up organizations, on servers that allow it (off by default): whoever confirms
// an email address creates an organization and becomes its owner.
package neworg
