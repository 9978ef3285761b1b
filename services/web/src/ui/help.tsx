import { signal } from '@preact/signals'
import { text } from '../text/text'
import { Dialog } from './dialog'
import { shortcuts } from './keys'

/** Whether the list of keys is shown. */
export const helpOpen = signal(false)

/** How keys are written that have no sign of their own. */
const signs: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑', Escape: 'Esc', PageDown: 'PgDn', PageUp: 'PgUp', ' ': '␣' }

/** The list of keys. */
export function Help() {
  return helpOpen.value ? (
    <Dialog class="help" title={text.help} onClose={() => (helpOpen.value = false)}>
      <KeyList />
      <p class="hint">
        <a href="/api/docs" target="_blank" rel="noopener">
          {text.helpForPrograms}
        </a>
      </p>
    </Dialog>
  ) : null
}

/** All keys with what they do. */
export function KeyList() {
  return (
    <dl class="keys">
      {shortcuts.map(({ keys, does }) => (
        <div key={does}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{key === 'Ctrl+k' ? text.goToKey : (signs[key] ?? key)}</kbd>
            ))}
          </dt>
          <dd>{text.keys[does]}</dd>
        </div>
      ))}
    </dl>
  )
}
