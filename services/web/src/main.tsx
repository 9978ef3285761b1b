import './style/tokens.css'
import './style/base.css'
import './style/signin.css'
import './style/frame.css'
import './style/sidebar.css'
import './style/feed.css'
import './style/content.css'
import './style/math.css'
import './style/compose.css'
import './style/dialog.css'
import './style/menu.css'
import './style/print.css'
import './style/forced.css'
import { render } from 'preact'
import { startWorker } from './html/trusted'
import { versions } from './sync/version'
import { App } from './ui/app'

const root = document.getElementById('app')
if (root !== null) {
  render(<App />, root)
}
// A part of the page that was to be loaded now is gone: probably the server has another version.
addEventListener('vite:preloadError', () => void versions.lack().then(() => (document.querySelector('.frame') === null ? versions.renew() : undefined)))
if (import.meta.env.PROD) {
  addEventListener('load', startWorker) // the page comes first
}
