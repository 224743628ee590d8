/** Finds in texts what went. */
export interface Gone {
  /** True if a text has a word of a removed part, a link to a file that went, or the path of one. */
  names(text: string): boolean
  /** Removes the proofs that went from a row: `` `folder/file.test.ts` "title" ``. */
  withoutTests(row: string): string
}

/** A table without rows has its head, an example without lines its two marks. */
const FEWEST_LINES = 2
const PROOF = /\.ts` "|\]\(/

/** Lines of a page that stay or go together, but for the lines of examples and tables. */
export interface Block {
  readonly kind: 'heading' | 'table' | 'example' | 'item' | 'paragraph' | 'blank'
  /** The level of a heading, or the column where another block begins. */
  readonly depth: number
  readonly lines: readonly string[]
}

const KINDS = [
  ['blank', /^\s*$/],
  ['heading', /^#+ /],
  ['example', /^\s*```/],
  ['table', /^\|/],
  ['item', /^\s*(?:[-*]|\d+\.) /],
] as const

const kindOf = (line: string) => KINDS.find(([, form]) => form.test(line))?.[0] ?? 'paragraph'

/** Splits a page into its blocks. */
export function blocksOf(page: string): Block[] {
  const lines = page.split('\n')
  const blocks: Block[] = []
  while (lines[0] !== undefined) {
    const line = lines[0]
    const kind = kindOf(line)
    const isLast = (other: string, index: number) => {
      if (kind === 'example') return index > 0 && kindOf(other) === kind
      const next = lines[index + 1]
      if (kind === 'table') return next === undefined || kindOf(next) !== kind
      return !['item', 'paragraph'].includes(kind) || next === undefined || kindOf(next) !== 'paragraph'
    }
    const depth = kind === 'heading' ? line.indexOf(' ') : line.length - line.trimStart().length
    blocks.push({ kind, depth, lines: lines.splice(0, lines.findIndex(isLast) + 1 || lines.length) })
  }
  return blocks
}

/** True if a block goes with one that went before it: all of a section or item, the example after its introduction. */
function goesWith({ kind, depth, lines }: Block, block: Block): boolean {
  if (block.kind === 'heading') return kind === 'heading' && block.depth > depth
  if (kind === 'heading' || block.kind === 'blank' || (kind === 'item' && block.depth > depth)) return true
  return lines.at(-1)?.endsWith(':') === true && ['example', 'table'].includes(block.kind)
}

/**
 * Removes the sections, paragraphs, list items, rows of tables and lines of examples that name what went, each whole. A table
 * or example without lines then goes with its introduction, and a section without text goes with its heading.
 */
export function shorterPage(page: string, gone: Gone): string {
  const left: Block[] = []
  let going: Block | null = null
  for (const block of blocksOf(page)) {
    if (going && goesWith(going, block)) continue
    // Without a blank line, a paragraph would become a part of the item before.
    if (going?.kind === 'item' && block.kind !== 'item') left.push({ kind: 'blank', depth: 0, lines: [''] })
    going = null
    if (block.kind !== 'table' && block.kind !== 'example') {
      if (gone.names(block.lines.join(' '))) going = block
      else left.push(block)
      continue
    }
    const shorter = block.kind === 'table' ? block.lines.map(gone.withoutTests) : block.lines
    const lines = shorter.filter((line, index) => {
      if (index === 0) return true
      return !gone.names(line) && (line === block.lines[index] || PROOF.test(line))
    })
    if (lines.length > FEWEST_LINES || lines.length === block.lines.length) left.push({ ...block, lines })
    else if (
      left
        .findLast(({ kind }) => kind !== 'blank')
        ?.lines.at(-1)
        ?.endsWith(':')
    ) {
      while (left.pop()?.kind === 'blank') {}
    }
  }
  const lines = withoutEmptySections(left, page).flatMap((block) => block.lines)
  const text = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()
  return text === '' ? '' : `${text}\n`
}

function withoutEmptySections(blocks: readonly Block[], before: string): Block[] {
  const isEmpty = (all: readonly Block[], index: number) => {
    const [{ kind, depth } = { kind: 'blank', depth: 0 }, ...rest] = all.slice(index)
    const next = rest.find((block) => block.kind !== 'blank')
    return kind === 'heading' && (!next || (next.kind === 'heading' && next.depth <= depth))
  }
  const all = blocksOf(before)
  const wereEmpty = all.filter((_block, index) => isEmpty(all, index)).map(({ lines }) => lines[0])
  return blocks.filter((block, index) => !isEmpty(blocks, index) || wereEmpty.includes(block.lines[0]))
}
