// Package founding lets people sign up organizations, on servers where that is allowed (off by default): whoever confirms an address
// by mail makes an organization, and is its owner.
package founding
