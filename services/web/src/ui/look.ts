import { effect } from '@preact/signals'
import type { State } from '../state/state'

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
    set('wide', settings['fluid_layout_width'] === true ? '' : undefined)
  })
}
