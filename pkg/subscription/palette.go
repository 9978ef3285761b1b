package subscription

// palette returns the colors of new subscriptions, in the order in which they are assigned (rest-api.md, section 3.3).
func palette() []string {
	return []string{
		"#76ce90", "#fae589", "#a6c7e5", "#e79ab5", "#bfd56f", "#f4ae55", "#b0a5fd", "#addfe5",
		"#f5ce6e", "#c2726a", "#94c849", "#bd86e5", "#ee7e4a", "#a6dcbf", "#95a5fd", "#53a063",
		"#9987e1", "#e4523d", "#c2c2c2", "#4f8de4", "#c6a8ad", "#e7cc4d", "#c8bebf", "#a47462",
	}
}

// pickColor returns the first unused color of the palette. When all are used, it starts over.
func pickColor(palette []string, used map[string]bool, subscriptions int) string {
	for _, color := range palette {
		if !used[color] {
			return color
		}
	}
	return palette[subscriptions%len(palette)]
}
