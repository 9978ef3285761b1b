import { X } from 'lucide'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import '../../style/form.css'
import '../../style/settings.css'
import { useClient } from '../../client'
import { addressOfPage, type Page } from '../../state/page'
import { text } from '../../text/text'
import { restore } from '../dialog'
import { MenuButton, Offline } from '../frame'
import { Icon } from '../icon'
import { areaTitle, maySee } from './pages'

/** Settings, in place of the messages: the list of an area's pages, and one of them. Where there is room for one alone, it is the list until a page is chosen. */
export function Settings({ page }: { readonly page: Page }) {
  const client = useClient()
  const all = maySee(client, page.area)
  const shown = page.path === '' ? all[0] : all.find((one) => one.path === page.path)
  useLayoutEffect(() => document.getElementById('settings')?.focus(), [page.area, shown?.path])
  useEffect(() => () => restore(), []) // to the messages that come in its place
  return (
    <>
      <header class="bar">
        <MenuButton />
        <h1>{areaTitle(page.area)}</h1>
        <button class="icon" aria-label={text.settings.back} title={text.settings.back} onClick={() => client.leavePage()}>
          <Icon of={X} />
        </button>
      </header>
      <Offline />
      <div class={page.path === '' ? 'settings at-list' : 'settings'}>
        <nav class="settings-list" aria-label={text.settings.pages}>
          <ul>
            {all.map((one, i) => (
              <li key={one.path}>
                {one.group === undefined || one.group() === all[i - 1]?.group?.() ? null : <h2>{one.group()}</h2>}
                <a class="entry" href={addressOfPage({ area: page.area, path: one.path })} aria-current={one === shown ? 'page' : undefined}>
                  {one.title()}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <section id="settings" class="settings-page" tabIndex={-1} aria-labelledby="settings-title">
          <a class="settings-up" href={addressOfPage({ area: page.area, path: '' })}>
            ‹ {areaTitle(page.area)}
          </a>
          <h2 id="settings-title">{shown?.title() ?? areaTitle(page.area)}</h2>
          {shown === undefined ? <p class="hint">{text.settings.noPage}</p> : <shown.Component key={shown.path} />}
        </section>
      </div>
    </>
  )
}
