import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import part from 'katex'

/** KaTeX as it is, which no bundler has changed. */
const whole = createRequire(`${process.cwd()}/`)('katex') as typeof part

/** Returns the MathML that KaTeX makes of TeX, or what is wrong with that. */
function made(by: typeof part, tex: string): string {
  try {
    return by.renderToString(tex, { output: 'mathml', displayMode: true, strict: 'ignore', trust: true, maxExpand: 200 })
  } catch (error) {
    return String(error)
  }
}

test('what is left of KaTeX writes the same MathML of each command that it knows', () => {
  const source = readFileSync('node_modules/katex/dist/katex.mjs', 'utf8')
  const commands = new Set(source.match(/\\\\(?:[a-zA-Z@]+|[^a-zA-Z\s'"`])/g)?.map((name) => name.slice(1)))
  for (const name of ['\\show', '\\message', '\\errmessage']) commands.delete(name) // they print
  const environments = new Set([...source.matchAll(/['"]([a-z]*(?:matrix|array|cases|align|gather|split|alignat|equation|CD)\*?)['"]/g)].map(([, name]) => name))
  assert.ok(commands.size > 1000 && environments.size > 15, `${commands.size} commands and ${environments.size} environments`)
  const all = [
    ...[...commands].flatMap((name) => [`x ${name} y`, `${name}{a_1^2}{b+c}{d}`, `\\text{${name} é}`, `\\left${name} \\frac{a}{b} \\right.`]),
    ...[...environments].map((name) => `\\begin{${name}}{ll} a & b \\\\ \\hline c & d \\end{${name}}`),
    ...['mathrm', 'mathbf', 'mathit', 'mathcal', 'mathfrak', 'mathbb', 'mathsf', 'mathtt', 'mathscr', 'boldsymbol', 'bm'].map((font) => `\\${font}{AZaz09αΩ∂ıé+}`),
    'f(x)=\\int_{-\\infty}^\\infty\\hat f(\\xi)\\,e^{2\\pi i\\xi x}\\,d\\xi', '\\color{red}{\\TeX}\\LaTeX\\KaTeX', 'é ÄЖ漢 𝐀 ½ x′', '\\genfrac(]{2pt}{1}{a}{b}', '\\rule[1em]{2ex}{3pt}',
  ]
  const other = all.filter((tex) => made(part, tex) !== made(whole, tex))
  assert.deepEqual(other, [])
  const right = all.filter((tex) => made(part, tex).startsWith('<span'))
  assert.ok(right.length > 1000, `${right.length} of ${all.length} are right`)
})
