import { call } from '../../api/request'
import type { Calls } from '../../api/schema'
import { useClient } from '../../client'
import { text } from '../../text/text'
import { RadioField, Toggle } from '../form/chosen'
import { schemes } from '../look'

type Change = Calls['PATCH /settings/display']['params']

const store = (change: Change) => call('PATCH /settings/display', change)

/** How everything looks. */
export function Display() {
  const { settings } = useClient().state
  const words = text.settings.look
  return (
    <div class="fields">
      <RadioField
        label={words.scheme}
        value={Number(settings.value['color_scheme'] ?? schemes.automatic)}
        options={[
          { value: schemes.automatic, name: words.schemes.automatic },
          { value: schemes.day, name: words.schemes.day },
          { value: schemes.night, name: words.schemes.night },
        ]}
        save={(color_scheme) => store({ color_scheme: color_scheme as 1 | 2 | 3 })}
      />
      <Toggle label={words.contrast} value={settings.value['high_contrast_mode'] === true} save={(high_contrast_mode) => store({ high_contrast_mode })} />
      <Toggle label={words.wide} hint={words.wideHint} value={settings.value['fluid_layout_width'] === true} save={(fluid_layout_width) => store({ fluid_layout_width })} />
    </div>
  )
}
