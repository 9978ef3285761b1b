import { signal } from '@preact/signals'

const today = signal(beginning())

/** How often it is looked whether a day began, in milliseconds: a timer until midnight would be late after a device slept. */
const interval = 30_000

/** Returns the time that it is. What is drawn with it is drawn again when another day began. */
export function now(): Date {
  void today.value
  return new Date()
}

/** Has today follow the clock until the function is called that it returns. */
export function followDay(): () => void {
  const look = () => (today.value = beginning())
  look()
  const timer = setInterval(look, interval)
  document.addEventListener('visibilitychange', look)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', look)
  }
}

function beginning(): number {
  return new Date().setHours(0, 0, 0, 0)
}
