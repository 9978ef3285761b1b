// Package lists makes lists and maps of lists, beside what package slices has.
package lists

// Map returns what f makes of each item, in their order; never nil.
func Map[T, R any](from []T, f func(T) R) []R {
	to := make([]R, len(from))
	for i, item := range from {
		to[i] = f(item)
	}
	return to
}

// Index returns the items by their keys; of several with the same key, the last.
func Index[T any, K comparable](from []T, key func(T) K) map[K]T {
	to := make(map[K]T, len(from))
	for _, item := range from {
		to[key(item)] = item
	}
	return to
}

// Set returns the set of the items.
func Set[T comparable](from []T) map[T]bool {
	to := make(map[T]bool, len(from))
	for _, item := range from {
		to[item] = true
	}
	return to
}
