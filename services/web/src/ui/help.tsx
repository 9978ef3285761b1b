import { signal } from '@preact/signals'
import { text } from '../text/text'
import { Dialog } from './dialog'
import { command, shortcutGroups } from './keys'

/** Whether the list of keys is shown. */
export const helpOpen = signal(false)

/** The signs of keys that have one. */
const signs: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑', ' ': '␣' }

/** Returns what is written on a key, or on two that are pressed together. */
export function keyName(key: string): string {
  if (key.startsWith(command)) {
    return `${text.keyNames.Control} ${key.slice(command.length).toUpperCase()}`
  }
  return signs[key] ?? (text.keyNames as Readonly<Record<string, string>>)[key] ?? key
}

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

/** All keys with what they do, in groups. */
export function KeyList() {
  return (
    <div class="keys">
      {Object.entries(shortcutGroups).map(([group, shortcuts]) => (
        <div key={group}>
          <h3 id={`keys-${group}`}>{text.keyGroups[group as keyof typeof shortcutGroups]}</h3>
          <dl aria-labelledby={`keys-${group}`}>
            {shortcuts.map(({ keys, does }) => (
              <div key={does}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{keyName(key)}</kbd>
                  ))}
                </dt>
                <dd>{text.keys[does]}</dd>
              </div>
            ))}
          </dl>
        </div>
      ))}
    </div>
  )
}
