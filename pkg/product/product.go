// Package product describes the server: which interface it speaks, and its version.
package product

// FeatureLevel is the level of the interface (http-api.md, versioning). It only ever grows.
const FeatureLevel = 27
