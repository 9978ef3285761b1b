package boot

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"reflect"
	"strings"

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

// explain adds the name of the variable to the first error, in which package env names the struct's field.
func explain(err error, target any, variables map[string]string) error {
	all := env.AggregateError{}
	if errors.As(err, &all) && len(all.Errors) > 0 {
		err = all.Errors[0]
	}
	wrong := env.ParseError{}
	if !errors.As(err, &wrong) {
		return fmt.Errorf("configuration: %w", err)
	}
	for _, v := range variablesOf(reflect.ValueOf(target).Elem()) {
		// Fields of two structs may have the same name, so the value has to match as well.
		value := variables[v.name]
		if v.field == wrong.Name && value != "" && strings.Contains(wrong.Err.Error(), value) {
			return fmt.Errorf("%s: %q can't be read: %w", v.name, value, wrong.Err)
		}
	}
	return fmt.Errorf("configuration: %w", err)
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
