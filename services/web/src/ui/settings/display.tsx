import { call, quoted } from '../../api/request'
import type { Calls } from '../../api/schema'
import { useClient } from '../../client'
import { languages } from '../../text/languages'
import { text } from '../../text/text'
import { RadioField, SelectField, Toggle } from '../form/chosen'
import { emojiInWords, emojiSets, schemes } from '../look'

type Change = Calls['PATCH /settings/display']['params']

const store = (change: Change) => call('PATCH /settings/display', change)

/** Whether times are usually written as 17:00 in a language. Whoever has its usual clock gets that of another language with it. */
function hasLongClock(code: string): boolean {
  return !new Intl.DateTimeFormat(code || 'en', { hour: 'numeric' }).resolvedOptions().hour12
}

/** How everything looks. */
export function Display() {
  const { state } = useClient()
  const { settings } = state
  const said = text.settings.look
  const language = String(settings.value['default_language'] ?? '')
  const is = (name: string) => settings.value[name] === true
  const zones = Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, name: zone.replaceAll('_', ' ') }))
  return (
    <div class="fields">
      <RadioField
        label={said.scheme}
        value={Number(settings.value['color_scheme'] ?? schemes.automatic) as 1 | 2 | 3}
        options={[
          { value: schemes.automatic, name: said.schemes.automatic },
          { value: schemes.day, name: said.schemes.day },
          { value: schemes.night, name: said.schemes.night },
        ]}
        save={(color_scheme) => store({ color_scheme })}
      />
      <Toggle label={said.contrast} value={is('high_contrast_mode')} save={(high_contrast_mode) => store({ high_contrast_mode })} />
      <Toggle label={said.dense} hint={said.denseHint} value={is('dense_mode')} save={(dense_mode) => store({ dense_mode })} />
      <Toggle label={said.wide} hint={said.wideHint} value={is('fluid_layout_width')} save={(fluid_layout_width) => store({ fluid_layout_width })} />
      <Toggle label={said.starredCount} value={is('starred_message_counts')} save={(starred_message_counts) => store({ starred_message_counts })} />

      <h3>{said.language}</h3>
      <SelectField
        label={said.language}
        value={language}
        options={Object.entries(languages).map(([value, { name }]) => ({ value, name }))}
        save={(code) => store({ default_language: quoted(code), ...(hasLongClock(language) === is('twenty_four_hour_time') ? { twenty_four_hour_time: hasLongClock(code) } : {}) })}
      />
      <RadioField
        label={said.clock}
        value={is('twenty_four_hour_time')}
        options={[
          { value: true, name: said.clocks.long },
          { value: false, name: said.clocks.short },
        ]}
        save={(twenty_four_hour_time) => store({ twenty_four_hour_time })}
      />
      <SelectField label={said.zone} hint={said.zoneHint} value={String(settings.value['timezone'] ?? '')} options={zones} save={(zone) => store({ timezone: quoted(zone) })} />

      <h3>{text.emoji}</h3>
      <RadioField
        label={said.emoji}
        value={emojiInWords(state) ? emojiSets.words : emojiSets.pictures}
        options={[
          { value: emojiSets.pictures, name: said.emojis.pictures },
          { value: emojiSets.words, name: said.emojis.words },
        ]}
        save={(emojiset) => store({ emojiset: quoted(emojiset) as typeof emojiset })}
      />
      <Toggle label={said.emoticons} hint={said.emoticonsHint} value={is('translate_emoticons')} save={(translate_emoticons) => store({ translate_emoticons })} />
    </div>
  )
}
