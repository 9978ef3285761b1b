import { effect } from '@preact/signals'
import type { State } from '../state/state'
import { twelveHours } from '../text/text'

/** The numbers of colour schemes (rest-api.md, section 4.5). */
export const schemes = { automatic: 1, night: 2, day: 3 } as const

/** Has the page look as the account's display settings say, until the function that it returns is called. */
export function look(state: State): () => void {
  const { dataset } = document.documentElement
  const set = (name: string, value: string | undefined) => {
    if (value === undefined) {
      delete dataset[name]
    } else {
      dataset[name] = value
    }
  }
  return effect(() => {
    const settings = state.settings.value
    set('scheme', { [schemes.night]: 'night', [schemes.day]: 'day' }[Number(settings['color_scheme'])])
    set('contrast', settings['high_contrast_mode'] === true ? '' : undefined)
    set('roomy', settings['dense_mode'] === false ? '' : undefined)
    set('wide', settings['fluid_layout_width'] === true ? '' : undefined)
    twelveHours.value = settings['twenty_four_hour_time'] === false
  })
}

/** The set of emoji that has words in place of pictures; all others are those of the device. */
export const emojiSets = { words: 'text', pictures: 'google' } as const

/** Whether emoji are shown by their names. */
export function emojiInWords(state: State): boolean {
  return state.settings.value['emojiset'] === emojiSets.words
}
