package stream

import (
	"encoding/json"
	"math"

	"chatserver.dev/pkg/fault"
)

// retainForever is the number of days for streams whose messages are kept forever, whatever the organization's setting.
const retainForever = -1

// Retention is how long a stream's messages are kept.
type Retention struct {
	Days *int32 // at least 1, or retainForever; nil: as the organization says
}

// ParseParam parses the parameter message_retention_days: a number of days, or realm_default or forever, in quotes or
// not. It fails with [fault.ErrBadValue], or with another fault for a value of another type.
func (r *Retention) ParseParam(raw string) error {
	const name = "message_retention_days"
	switch raw {
	case "realm_default", `"realm_default"`:
		*r = Retention{}
		return nil
	case "forever", `"forever"`:
		r.Days = new(int32(retainForever))
		return nil
	}
	value := any(nil)
	if err := json.Unmarshal([]byte(raw), &value); err != nil {
		return fault.Bad(`Argument "` + name + `" is not valid JSON.`)
	}
	switch value := value.(type) {
	case string:
		return fault.BadValue(name, value)
	case float64:
		switch {
		case value != math.Trunc(value) || math.Abs(value) > math.MaxInt32:
			return fault.Bad(name + " is not a string or integer")
		case value < 1:
			return fault.BadValue(name, raw)
		}
		r.Days = new(int32(value))
		return nil
	default:
		return fault.Bad(name + " is not a string or integer")
	}
}
