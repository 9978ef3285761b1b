package main

type fixedNames struct {
	code  string
	names []string
}

// fixed lists the names that clients of the interface rely on, the canonical one first. Everything
// else follows the data.
func fixed() []fixedNames {
	return []fixedNames{
		{"1f642", []string{"smile", "slight_smile"}},
		{"2764", []string{"heart"}},
		{"1f44d", []string{"thumbs_up", "+1"}},
		{"1f44e", []string{"thumbs_down", "-1"}},
		{"1f641", []string{"frown", "slight_frown"}},
		{"1f610", []string{"neutral"}},
		{"1f615", []string{"confused"}},
		{"1f609", []string{"wink"}},
		{"1f600", []string{"grinning"}},
		{"1f604", []string{"big_smile"}},
		{"1f62e", []string{"open_mouth"}},
		{"1f61b", []string{"stuck_out_tongue"}},
		{"1f6e0", []string{"working_on_it"}},
		{"1f6a8", []string{"alert"}},
		{"1f504", []string{"counterclockwise"}},
		{"1f197", []string{"squared_ok"}},
		{"2705", []string{"check_mark"}},
		{"2714", []string{"check"}},
	}
}
