import './style/tokens.css'
import './style/base.css'
import './style/signin.css'
import './style/frame.css'
import './style/sidebar.css'
import './style/feed.css'
import './style/content.css'
import './style/compose.css'
import './style/dialog.css'
import './style/menu.css'
import { render } from 'preact'
import { startWorker } from './html/trusted'
import { App } from './ui/app'

const root = document.getElementById('app')
if (root !== null) {
  render(<App />, root)
}
if (import.meta.env.PROD) {
  addEventListener('load', startWorker) // the page comes first
}
