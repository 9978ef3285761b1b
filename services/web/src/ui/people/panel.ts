import { signal } from '@preact/signals'
import { HeldKeys } from '../heldkeys'
import { onceRendered } from '../rendered'

/** Whether the list of people is over the messages, where there is no room beside them. */
export const peopleOpen = signal(false)

/** Whether there is room beside the messages. */
export const room = signal(matchMedia('(width >= 80rem)').matches)

matchMedia('(width >= 80rem)').addEventListener('change', (event) => (room.value = event.matches))

/** The field by which people are found. */
export const filterID = 'find-people'
/** The list. */
export const listID = 'people'

/**
 * Shows the list of people, and goes to its field; on phones to the list, since a field brings up their keyboard. It may have to be loaded
 * first: what is typed meanwhile is typed into it.
 */
export function findPeople(): void {
  peopleOpen.value = true
  const to = matchMedia('(pointer: coarse)').matches ? listID : filterID
  let tries = 100
  const keys = new HeldKeys(() => {
    tries = 0
    peopleOpen.value = false
  })
  const focus = () => {
    const field = document.getElementById(to)
    if (field !== null) {
      field.focus()
      keys.release()
    } else if (tries-- > 0) {
      requestAnimationFrame(focus)
    } else {
      keys.forget()
    }
  }
  onceRendered(focus)
}
