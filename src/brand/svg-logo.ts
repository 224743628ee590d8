import { createRequire } from 'node:module'
import type { Logo } from './brand.ts'

const SVG = 'http://www.w3.org/2000/svg'
const ADVICE = 'Export it as a plain SVG'
/** Shapes, text, colours and filters. Any other element could run script, load something or move. */
const ELEMENTS: ReadonlySet<string> = new Set([
  ...['svg', 'g', 'defs', 'symbol', 'use', 'title', 'desc', 'style', 'text', 'tspan', 'textPath'],
  ...['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon'],
  ...['linearGradient', 'radialGradient', 'stop', 'clipPath', 'mask', 'pattern', 'marker', 'filter'],
  ...['feBlend', 'feColorMatrix', 'feComposite', 'feDropShadow', 'feFlood', 'feGaussianBlur', 'feMerge'],
  ...['feMergeNode', 'feMorphology', 'feOffset'],
])
/** A style sheet that loads something, or hides with escapes that it does. `url(#name)` is within the file. */
const LOADS = /@import|\\|&#|url\((?!\s*(["']|&quot;|&apos;)?#)|image-set\(|src\(/i

/**
 * Checks an SVG. A browser runs nothing in an `img`, but a person may open the address of the logo as a page.
 * @throws RangeError for a file with script, event handlers, references to other files, or without a viewBox.
 */
export function readSvgLogo(content: Buffer): Logo {
  const text = textOf(content)
  const [root, ...others] = parse(text)
  if (root?.name !== 'svg' || others.length > 0) throw new RangeError('names a file that is not an SVG')
  checkElement(root)
  if (root.attributes.xmlns !== SVG) throw new RangeError(`names an SVG without xmlns="${SVG}"`)
  const [x, y, width = 0, height = 0, ...rest] = (root.attributes.viewBox ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  if (![x, y].every(Number.isFinite) || !(width > 0 && height > 0) || rest.length > 0) {
    throw new RangeError('names an SVG without a viewBox. Add it: the screens need it to scale the logo')
  }
  return { type: 'image/svg+xml', content, width, height }
}

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  readonly text: string
}

function checkElement({ name, attributes, children, text }: Element): void {
  if (!ELEMENTS.has(name)) {
    const advice = name === 'image' ? 'Use a PNG, or an SVG without a picture inside' : ADVICE
    throw new RangeError(`names an SVG with <${name}>, which a logo may not have. ${advice}`)
  }
  for (const [attribute, value] of Object.entries(attributes)) checkAttribute(name, attribute, value)
  if (name === 'style' && LOADS.test(text)) throw foreign(name)
  for (const child of children) checkElement(child)
}

function checkAttribute(element: string, attribute: string, value: string): void {
  const name = attribute.toLowerCase()
  if (name.startsWith('on')) throw new RangeError(`names an SVG with the event handler ${attribute}. ${ADVICE}`)
  if (/(^|:)(href|base)$/.test(name) && !value.startsWith('#')) throw foreign(element)
  if (name === 'xmlns' && value !== SVG) throw foreign(element)
  if (!name.startsWith('xmlns') && LOADS.test(value)) throw foreign(element)
}

function foreign(element: string): RangeError {
  return new RangeError(`names an SVG whose <${element}> refers to something outside of the file. ${ADVICE}`)
}

function textOf(content: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    // Entities and style sheets of other files; a comment or CDATA section is harmless.
    if (!/<!(?!--|\[CDATA\[)|<\?(?!xml\s)/i.test(text)) return text
  } catch {
    throw new RangeError('names an SVG that is not UTF-8. Save it in this encoding')
  }
  throw new RangeError(`names an SVG with a DOCTYPE or a processing instruction. ${ADVICE}`)
}

/** @throws RangeError for a text that is not XML, or is nested deeper than a logo. */
function parse(text: string): Element[] {
  // Loaded only for an SVG, because it takes as long as all settings together.
  const { XMLParser, XMLValidator } = createRequire(import.meta.url)(
    'fast-xml-parser',
  ) as typeof import('fast-xml-parser')
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseAttributeValue: false,
    processEntities: false,
    ignoreDeclaration: true,
  })
  try {
    if (XMLValidator.validate(text) === true) return elementsOf(parser.parse(text) as Nodes)
  } catch {
    // The parser refuses what is nested too deeply.
  }
  throw new RangeError('names a file that is not well-formed XML')
}

/** The parser's form: an element by its name, its attributes by `:@`, a text by `#text`. */
type Nodes = readonly Readonly<Record<string, Nodes | string | Record<string, string>>>[]

function elementsOf(nodes: Nodes): Element[] {
  return nodes.flatMap(({ ':@': attributes = {}, '#text': _text, ...element }) =>
    Object.entries(element).map(([name, children]) => ({
      name,
      attributes: attributes as Record<string, string>,
      children: elementsOf(children as Nodes),
      text: (children as Nodes).map((child) => child['#text'] ?? '').join(''),
    })),
  )
}
