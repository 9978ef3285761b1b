// Package product contains the version of the server and the level of its interface.
package product

// FeatureLevel is the level of the interface (http-api.md, versioning). It never decreases.
const FeatureLevel = 27
