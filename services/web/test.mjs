// Runs the tests of src: Node.js runs no TypeScript, so Vite's bundler makes scripts of them first.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { rolldown } from 'rolldown'
import { mathML } from './mathml.mjs'

const made = new URL('../../.local/web/tests/', import.meta.url).pathname
rmSync(made, { recursive: true, force: true })
mkdirSync(made, { recursive: true })

/** Returns the tests below a folder. */
function tests(folder) {
  return readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.test.ts')).map((name) => `${folder}/${name}`)
}

const bundle = await rolldown({ input: Object.fromEntries(tests('src').map((file) => [file.replaceAll('/', '-').replace('.ts', ''), file])), platform: 'node', plugins: [mathML()] })
const { output } = await bundle.write({ dir: made, format: 'esm', entryFileNames: '[name].mjs' })
const files = output.filter((chunk) => chunk.isEntry).map((chunk) => made + chunk.fileName)
process.exit(spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' }).status ?? 1)
