import { type DefaultTreeAdapterTypes, parse, serialize } from 'parse5'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/** Attributes that say where a screen leads. */
const ADDRESSES = ['action', 'target']
const TEXT_ATTRIBUTE = /^(?:aria-label|alt|placeholder|title|data-.+)$/
/** Elements inside of a sentence. */
const IN_SENTENCE = ['bdi', 'b', 'strong', 'em']

/**
 * Reads a screen as a browser does.
 * @returns HTML that shows the same, and leads nowhere: without scripts, addresses of other pages and values of hidden
 *   fields. Also the texts for viewers, of elements and attributes. A text may also be a part of another.
 */
export function cleanScreen(html: string) {
  const document = parse(html)
  const texts = new Set<string>()
  for (const element of elementsIn(document)) {
    for (const text of textsOf(element)) texts.add(text.replace(/\s+/g, ' ').trim())
    clean(element)
  }
  return { html: serialize(document), texts: [...texts].filter((text) => text !== '') }
}

function clean(element: Element): void {
  const isHidden = element.attrs.some(({ name, value }) => name === 'type' && value === 'hidden')
  element.attrs = element.attrs.flatMap((attribute) => {
    const { name } = attribute
    if (ADDRESSES.includes(name) || name === 'autofocus' || (name === 'value' && isHidden)) return []
    // Style sheets ask for the name.
    if (name.startsWith('data-')) return [{ name, value: '' }]
    // Without an address, a link would not look like one.
    return name === 'href' && element.tagName === 'a' ? [{ name, value: '#' }] : [attribute]
  })
  element.childNodes = element.childNodes.filter((child) => !isRemoved(child))
}

function isRemoved(node: Node): boolean {
  if (!('tagName' in node)) return node.nodeName === '#comment'
  const rel = node.attrs.find(({ name }) => name === 'rel')?.value
  return node.tagName === 'script' || (node.tagName === 'link' && rel !== 'stylesheet')
}

function* elementsIn(node: Node): Generator<Element> {
  if (!('childNodes' in node)) return
  // A copy: cleaning changes the list.
  for (const child of [...node.childNodes]) {
    if (!('tagName' in child)) continue
    yield child
    yield* elementsIn(child)
  }
}

function* textsOf(element: Element): Generator<string> {
  for (const { name, value } of element.attrs) if (TEXT_ATTRIBUTE.test(name)) yield* textsIn(value)
  if (element.tagName === 'style' || element.tagName === 'script') return
  let sentence = ''
  for (const child of element.childNodes) {
    if ('value' in child) {
      sentence += child.value
      yield child.value
    } else if ('tagName' in child && IN_SENTENCE.includes(child.tagName)) {
      sentence += innerText(child)
    } else {
      yield sentence
      sentence = ''
    }
  }
  yield sentence
}

/** Returns the texts of an attribute: all of it, a part in brackets, or those of its JSON. */
function* textsIn(value: string): Generator<string> {
  yield value
  const [, inBrackets] = /\((.+)\)$/.exec(value) ?? []
  if (inBrackets !== undefined) yield inBrackets
  if (value.startsWith('{')) for (const [, text] of leavesOf(JSON.parse(value))) yield text
}

/** Returns the texts of JSON with their paths, such as `errors.disabled`. */
export function* leavesOf(data: unknown, path = ''): Generator<readonly [path: string, text: string]> {
  if (typeof data === 'string') yield [path, data]
  else if (typeof data === 'object' && data !== null) {
    for (const [name, one] of Object.entries(data)) yield* leavesOf(one, path === '' ? name : `${path}.${name}`)
  }
}

function innerText(element: Element): string {
  return element.childNodes
    .map((child) => ('value' in child ? child.value : 'tagName' in child ? innerText(child) : ''))
    .join('')
}
