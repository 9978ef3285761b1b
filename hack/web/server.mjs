// The server that pages are opened from: the program of `make run`, with its own port and data.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = new URL('../../', import.meta.url).pathname
const program = root + 'bin/chatserver'
const folders = root + '.local/web/servers/'

/** Of each file of tests, since two of them run at a time. */
const folder = folders + basename(process.argv[1]).replace(/(\.test)?\.mjs$/, '')

/** Calls check until its result is true, and returns that. Fails after the seconds, also while a check is waiting for a page that hangs. */
export async function until(check, what, seconds = 40) {
  const late = sleep(seconds * 1000, undefined, { ref: false }).then(() => {
    throw new Error(`not within ${seconds} s: ${what}`)
  })
  late.catch(() => {}) // nobody waits for it once the check succeeded
  for (;;) {
    const result = await Promise.race([check(), late])
    if (result) return result
    await Promise.race([sleep(50), late])
  }
}

/** Returns at once unless a day is about to end, and else once the next one has begun, for those who ask what was today. */
export async function withinDay() {
  const left = new Date().setHours(24, 0, 0, 0) - Date.now()
  if (left < 60_000) await sleep(left)
}

export async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A server with the demo organization. start() starts it, again after stop(), with the same data. */
export class Server {
  /** Which has more variables than that, and is at another host, which browsers have to be led to. */
  constructor(environment = {}, host = 'localhost') {
    this.environment = environment
    this.host = host
  }

  async prepare() {
    rmSync(folder, { recursive: true, force: true })
    const fresh = folders + 'fresh-' + statSync(program).mtimeMs
    if (!existsSync(fresh)) await this.#makeFresh(fresh)
    execFileSync('cp', ['-a', fresh, folder])
    await this.#takePort()
    return this
  }

  /** Keeps the folder of a server's first start, which takes longer than all that follow, for the other files of tests. */
  async #makeFresh(fresh) {
    mkdirSync(folder, { recursive: true })
    const first = new Server()
    await first.#takePort()
    await first.start()
    await first.stop()
    for (const name of readdirSync(folders)) {
      if (name.startsWith('fresh-') && folders + name !== fresh) rmSync(folders + name, { recursive: true, force: true }) // of another program
    }
    try {
      renameSync(folder, fresh)
    } catch (error) {
      if (!existsSync(fresh)) throw error
      rmSync(folder, { recursive: true }) // another file of tests was faster
    }
  }

  async #takePort() {
    this.port = await freePort()
    this.site = `http://${this.host}:${this.port}`
  }

  async start() {
    this.printed = ''
    const { PATH, HOME } = process.env
    this.process = spawn(program, {
      cwd: root,
      env: { PATH, HOME, CHAT_ADDR: `127.0.0.1:${this.port}`, EXTERNAL_HOST: `${this.host}:${this.port}`, CHAT_LOCAL_DIR: folder, RATE_LIMIT_PER_USER: '100000/60s', LOG_LEVEL: 'warn', ...this.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.ended = new Promise((resolve) => this.process.on('exit', resolve))
    for (const stream of [this.process.stdout, this.process.stderr]) stream.on('data', (text) => (this.printed += text))
    await until(() => {
      if (this.process.exitCode !== null) throw new Error(this.printed)
      return this.printed.includes('Ctrl-C')
    }, 'the server starts', 60)
    this.demo = JSON.parse(readFileSync(folder + '/demo.json', 'utf8'))
  }

  async stop() {
    this.process.kill('SIGTERM')
    await this.ended
  }

  /** The address of the private PostgreSQL, for its superuser. */
  database() {
    const [, , , , socket] = readFileSync(folder + '/postgres/data/postmaster.pid', 'utf8').split('\n')
    return `postgres:///postgres?host=${encodeURIComponent(socket)}&user=postgres`
  }

  /** The link that signs a browser in as somebody, which was printed. Tests have no proxy with TLS in front of the server. */
  link(name) {
    return new RegExp(`${name} +\\w+ +(https?://\\S+)`).exec(this.printed)[1].replace(/^https:/, 'http:')
  }

  /** The account whose address begins with the name. */
  account(name) {
    return [...this.demo.accounts, ...this.demo.bots].find((a) => a.email.startsWith(name))
  }

  /** Calls the interface as somebody, as a program does: again where the server asks for that, since passwords take long on a busy machine. */
  async call(name, method, path, params = {}) {
    const { email, api_key: key } = this.account(name)
    const form = new URLSearchParams(Object.entries(params).map(([k, v]) => [k, typeof v === 'string' ? v : JSON.stringify(v)]))
    const response = await until(async () => {
      const one = await fetch(`${this.site}/api/v1${path}${method === 'GET' ? '?' + form : ''}`, {
        method,
        headers: { Authorization: 'Basic ' + btoa(`${email}:${key}`) },
        ...(method === 'GET' ? {} : { body: form }),
      })
      return one.status === 503 ? sleep(500) : one
    }, `${method} ${path} is served`, 120)
    const answer = await response.json()
    if (answer.result !== 'success') throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }
}
