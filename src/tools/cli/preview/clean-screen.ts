import { type DefaultTreeAdapterTypes, parse, serialize } from 'parse5'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/** Attributes that say where a screen leads. */
const ADDRESSES = ['action', 'target']

/**
 * Returns HTML that shows the same screen, and leads nowhere: without scripts, addresses of other pages and values of
 * hidden fields.
 */
export function cleanScreen(html: string): string {
  const document = parse(html)
  cleanIn(document)
  return serialize(document)
}

function cleanIn(node: Node): void {
  if (!('childNodes' in node)) return
  if ('tagName' in node) clean(node)
  node.childNodes.forEach(cleanIn)
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
