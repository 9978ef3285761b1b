import { createHash } from 'node:crypto'
import { rolldown } from 'rolldown'
import { defineConfig, type Plugin } from 'vite'
import { mathML } from './mathml.mjs'

/** Makes the service worker, one script by itself, which knows the files of the page and keeps them. */
function worker(): Plugin {
  return {
    name: 'worker',
    apply: 'build',
    enforce: 'post', // Vite drops scripts that have nothing but styles
    async generateBundle(_, bundle) {
      const files = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name)).map((name) => '/' + name).sort()
      const version = createHash('sha256').update(files.join()).digest('hex').slice(0, 12)
      const made = await rolldown({
        input: 'src/worker/worker.ts',
        transform: { define: { FILES: JSON.stringify(files), VERSION: JSON.stringify(version) } },
      })
      const { output } = await made.generate({ format: 'iife', minify: true })
      this.emitFile({ type: 'asset', fileName: 'worker.js', source: output[0].code })
    },
  }
}

/** The module of the script that runs before the others. */
const early = '/src/sync/early.ts'

interface Module {
  readonly isEntry: boolean
  readonly importers: readonly string[]
}

interface Modules {
  getModuleInfo(id: string): Module | null
}

/** Returns what says whether a module is a root, or is imported by one, other than when it is wanted. */
function loadedBy(isRoot: (id: string, module: Module) => boolean): (id: string, modules: Modules) => boolean {
  const known = new Map<string, boolean>()
  const isLoaded = (id: string, modules: Modules): boolean => {
    const before = known.get(id)
    if (before !== undefined) {
      return before
    }
    known.set(id, false) // modules may import each other
    const module = modules.getModuleInfo(id)
    const is = module !== null && (isRoot(id, module) || module.importers.some((importer) => isLoaded(importer, modules)))
    known.set(id, is)
    return is
  }
  return isLoaded
}

const isEarly = loadedBy((id) => id.endsWith(early))
const isFirst = loadedBy((id, module) => module.isEntry && !id.endsWith('.css'))

/**
 * Browsers take longer for many small scripts than for a large one: what the page begins with is one, beside the early one, which also has what
 * each language needs.
 */
function chunkOf(id: string, modules: Modules): string | null {
  return isEarly(id, modules) || id.endsWith('/text/plural.ts') ? 'early' : isFirst(id, modules) ? 'index' : null
}

/**
 * Has the page run the early script as soon as that is there, before the one that all of the page is in. Until both have run there is nothing to
 * see, and frames would only delay them.
 */
function hurry(): Plugin {
  return {
    name: 'hurry',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle = {} }) => {
        const script = Object.keys(bundle).find((name) => /\/early-[^/]*\.js$/.test(name))
        const tag = '<script type="module" blocking="render" crossorigin'
        return html.replace('<script type="module" crossorigin', `${tag} async fetchpriority="high" src="/${script}"></script>\n${tag}`)
      },
    },
  }
}

export default defineConfig({
  publicDir: 'src/public', // what has its name for ever: the manifest and its icons
  plugins: [worker(), hurry(), mathML()],
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'], // the first with light-dark(): for older ones, :dir() would be a list of languages
    assetsInlineLimit: 0, // the pages' policy lets nothing be inline
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['index.html', 'src/style/pages.css'],
      output: { codeSplitting: { groups: [{ debugName: 'index', name: chunkOf }] } },
    },
    reportCompressedSize: false,
  },
  server: {
    // `npm run dev` beside `make run`. The server takes sessions from pages of its own host alone.
    proxy: {
      '^/(api|avatar|user_avatars|user_uploads|thumbnail|external_content|accounts|reset|register|invite|join|new|icon|visit|mailbox)(/|\\?|$)': { target: 'http://localhost:8080', changeOrigin: false },
    },
  },
})
