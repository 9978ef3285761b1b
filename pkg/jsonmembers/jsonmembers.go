// Package jsonmembers converts and compares values by the members of their JSON.
package jsonmembers

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
)

// Copy sets the members of to, a pointer to a struct or to a map, to the members of from with the same names. Members that from
// doesn't have stay unchanged.
func Copy(from, to any) error {
	encoded, err := json.Marshal(from)
	if err != nil {
		return fmt.Errorf("encode members: %w", err)
	}
	if err := json.Unmarshal(encoded, to); err != nil {
		return fmt.Errorf("decode members: %w", err)
	}
	return nil
}

// Of returns the members of a struct, by name.
func Of(value any) (map[string]any, error) {
	all := map[string]any{}
	err := Copy(value, &all)
	return all, err
}

// Differing returns the members of a struct that another one doesn't have, or has with another value, by name.
func Differing(value, other any) (map[string]any, error) {
	differing, err := Of(value)
	if err != nil {
		return nil, err
	}
	others, err := Of(other)
	maps.DeleteFunc(differing, func(name string, value any) bool { return reflect.DeepEqual(value, others[name]) })
	return differing, err
}
