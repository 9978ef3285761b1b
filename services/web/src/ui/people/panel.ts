import { signal } from '@preact/signals'

/** Whether the list of people is over the messages, where there is no room beside them. */
export const peopleOpen = signal(false)

/** Whether there is room beside the messages. */
export const room = signal(matchMedia('(width >= 80rem)').matches)

matchMedia('(width >= 80rem)').addEventListener('change', (event) => (room.value = event.matches))

/** The field by which people are found. */
export const filterID = 'find-people'

/** Shows the list of people, and goes to its field. It may have to be loaded first. */
export function findPeople(): void {
  peopleOpen.value = true
  let tries = 100
  const focus = () => {
    const field = document.getElementById(filterID)
    if (field !== null) {
      field.focus()
    } else if (tries-- > 0) {
      requestAnimationFrame(focus)
    }
  }
  requestAnimationFrame(focus)
}
