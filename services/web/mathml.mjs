// Of KaTeX, what writes MathML: the other half of it makes HTML, which the page can't use (see src/html/math.ts).

/** The fonts of which KaTeX reads measures for MathML, too. Of the others it reads which characters they have. */
const measured = new Set(['Main-Regular', 'Size1-Regular', 'Size4-Regular'])

/** How many builders of HTML KaTeX has at least: with fewer, it is written otherwise, and this has to be looked at again. */
const least = 50

/** Leaves out of KaTeX what makes HTML, and the measures of fonts: two fifths of it, packed. */
export function mathML() {
  return {
    name: 'mathml',
    transform(code, id) {
      if (!id.endsWith('/katex/dist/katex.mjs')) {
        return null
      }
      const cuts = []
      visit(this.parse(code), (node) => {
        if (node.type === 'Property' && node.key.name === 'htmlBuilder') {
          cuts.push({ node, by: 'htmlBuilder: undefined' })
        } else if (node.type === 'FunctionDeclaration' && node.id.name === 'buildHTML') {
          cuts.push({ node: node.body, by: '{}' })
        } else if (node.type === 'VariableDeclarator' && node.id.name === 'fontMetricsData') {
          const fonts = node.init.properties.filter((font) => !measured.has(font.key.value))
          cuts.push(...fonts.flatMap((font) => font.value.properties.map(({ value }) => ({ node: value, by: '[]' }))))
        }
      })
      if (cuts.filter(({ by }) => by.startsWith('html')).length < least || !cuts.some(({ by }) => by === '{}') || !cuts.some(({ by }) => by === '[]')) {
        throw new Error('KaTeX is written otherwise: mathml.mjs has to be changed')
      }
      let [made, from] = ['', 0]
      for (const { node, by } of cuts.sort((a, b) => a.node.start - b.node.start)) {
        if (node.start >= from) { // and isn't in what was left out
          made += code.slice(from, node.start) + by
          from = node.end
        }
      }
      return { code: made + code.slice(from), map: null }
    },
  }
}

/** Calls does with each node of a syntax tree. */
function visit(node, does) {
  does(node)
  for (const part of Object.values(node)) {
    for (const one of Array.isArray(part) ? part : [part]) {
      if (typeof one?.type === 'string') {
        visit(one, does)
      }
    }
  }
}
