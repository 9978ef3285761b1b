package user

// Languages returns the values of Display.DefaultLanguage, each with the language's name in itself.
func Languages() map[string]string {
	return map[string]string{
		"ar": "العربية", "bg": "български", "ca": "Català", "cs": "čeština", "da": "dansk", "de": "Deutsch",
		"el": "Ελληνικά", "en": "English", "en-gb": "British English", "es": "español", "et": "eesti", "fa": "فارسی",
		"fi": "suomi", "fr": "français", "gl": "galego", "he": "עברית", "hi": "हिन्दी", "hr": "hrvatski",
		"hu": "magyar", "id": "Indonesia", "it": "italiano", "ja": "日本語", "ko": "한국어", "lt": "lietuvių",
		"lv": "latviešu", "ml": "മലയാളം", "nb": "norsk bokmål", "nl": "Nederlands", "pl": "polski", "pt": "português",
		"pt-br": "português (Brasil)", "ro": "română", "ru": "русский", "sk": "slovenčina", "sl": "slovenščina", "sr": "српски",
		"sv": "svenska", "ta": "தமிழ்", "th": "ไทย", "tr": "Türkçe", "uk": "українська", "vi": "Tiếng Việt",
		"zh-hans": "简体中文", "zh-hant": "繁體中文",
	}
}
