package boot

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// Load reads the common configuration and the given settings from the environment, see [Read].
func Load(environ []string, settings ...any) (Config, error) {
	config := Config{}
	if err := Read(environ, append([]any{&config}, settings...)...); err != nil {
		return Config{}, err
	}
	return config, config.check()
}

// Read reads settings, pointers to structs with tags of package env, from an environment as returned by os.Environ. The
// error is one sentence that names the invalid variable.
func Read(environ []string, settings ...any) error {
	variables := env.ToMap(environ)
	for _, target := range settings {
		if err := env.ParseWithOptions(target, env.Options{Environment: variables}); err != nil {
			return explain(err, target, variables)
		}
	}
	return nil
}

// explain returns an error that names the first invalid variable, while package env names the struct's field.
func explain(err error, target any, variables map[string]string) error {
	for _, v := range variablesOf(reflect.ValueOf(target).Elem()) {
		// Fields of two structs may have the same name, so each variable is read again, into a struct of its own.
		field := reflect.StructField{Name: "Value", Type: v.value.Type(), Tag: reflect.StructTag(`env:"` + v.name + `"`)}
		alone := reflect.New(reflect.StructOf([]reflect.StructField{field}))
		wrong := env.ParseError{}
		if errors.As(env.ParseWithOptions(alone.Interface(), env.Options{Environment: variables}), &wrong) {
			return fmt.Errorf("%s: %q %w", v.name, variables[v.name], unsuitable(v.value, wrong.Err))
		}
	}
	return fmt.Errorf("configuration: %w", err)
}

// unsuitable returns an error that says which values can be given instead of one that couldn't be read because of err.
func unsuitable(to reflect.Value, err error) error {
	switch to.Interface().(type) {
	case time.Duration:
		return errors.New("is not a duration such as 500ms, 30s, 5m or 24h")
	case slog.Level:
		return errors.New("is not debug, info, warn or error")
	case []netip.Prefix:
		return errors.New("is not a list of networks such as 10.1.0.0/16,fd00:1::/32")
	}
	switch {
	case to.Kind() == reflect.Bool:
		return errors.New("is neither true nor false")
	case to.CanUint():
		return fmt.Errorf("is not a whole number from 0 to %d", uint64(math.MaxUint64)>>(64-to.Type().Bits()))
	case to.CanInt():
		return errors.New("is not a whole number")
	default:
		return fmt.Errorf("can't be read: %w", err)
	}
}

// variable is an environment variable and the field that it sets.
type variable struct {
	name  string
	field string
	value reflect.Value
}

func variablesOf(config reflect.Value) []variable {
	list := []variable(nil)
	for i := range config.NumField() {
		field := config.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("env"), ",")
		switch {
		case name != "":
			list = append(list, variable{name, field.Name, config.Field(i)})
		case field.Type.Kind() == reflect.Struct && field.IsExported():
			list = append(list, variablesOf(config.Field(i))...)
		}
	}
	return list
}

// show returns the effective configuration as attributes of a log record, without passwords.
func show(configs ...any) []slog.Attr {
	attrs := []slog.Attr(nil)
	for _, config := range configs {
		for _, v := range variablesOf(reflect.ValueOf(config).Elem()) {
			text := fmt.Sprint(v.value.Interface())
			switch {
			case strings.HasSuffix(v.name, "_URL"):
				text = withoutPassword(text)
			case strings.HasSuffix(v.name, "_TOKEN"), strings.HasSuffix(v.name, "PASSWORD"), strings.HasSuffix(v.name, "_SECRET_KEY"):
				text = strings.Repeat("*", min(3, len(text)))
			}
			attrs = append(attrs, slog.String(strings.ToLower(v.name), text))
		}
	}
	return attrs
}

// withoutPassword returns a URL without passwords. A text that isn't a URL is hidden completely.
func withoutPassword(text string) string {
	parsed, err := url.Parse(text)
	if text == "" || err != nil || parsed.Scheme == "" {
		return strings.Repeat("*", min(3, len(text)))
	}
	query := parsed.Query()
	for name := range query {
		if strings.Contains(name, "password") {
			query.Set(name, "xxxxx")
		}
	}
	parsed.RawQuery = query.Encode()
	return parsed.Redacted()
}
