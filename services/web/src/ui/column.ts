import { signal } from '@preact/signals'

const query = matchMedia('(width < 48rem)')

/** Whether the screen has one column. */
export const oneColumn = signal(query.matches)

query.addEventListener('change', () => (oneColumn.value = query.matches))
