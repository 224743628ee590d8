/** Finds words and links of what went. */
export interface Gone {
  names(text: string): boolean
  /** Removes references to tests that went: `` `folder/file.test.ts` "title" ``. */
  withoutTests(text: string): string
}

const WIDTH = 120
const indentOf = (line = '') => line.length - line.trimStart().length

/** A reference to a test, or a link. */
const REFERENCE = /\.ts` "|\]\(/

const ITEM = /^(?:\[[^\]]*\]\([^)]*\)|`[^`]*`|[^\s`[\]]+)$/

/** Removes single words, names and links from enumerations: `a, b and c`. The end of the sentence stays. */
function withoutListed(sentence: string, gone: Gone): string {
  const [end = ''] = /[.!?:;]?$/.exec(sentence) ?? []
  const [first = '', ...rest] = sentence.slice(0, sentence.length - end.length).split(/(, (?:and |or )?| and | or )/)
  const pieces = [{ before: '', text: first }]
  for (let index = 0; index < rest.length; index += 2) {
    pieces.push({ before: rest[index] ?? '', text: rest[index + 1] ?? '' })
  }
  // A first word goes only before another item: `NAME, which …` is not an enumeration.
  const isItem = (index: number): boolean => ITEM.test(pieces[index]?.text ?? '') && (index > 0 || isItem(1))
  const left = pieces.filter(({ text }, index) => !(isItem(index) && gone.names(text)))
  if (left.length === 0) return ''
  if (left.length < pieces.length && left.at(-1)?.before === ', ' && pieces.at(-1)?.before !== ', ') {
    left.splice(-1, 1, { before: pieces.at(-1)?.before ?? '', text: left.at(-1)?.text ?? '' })
  }
  return left.map(({ before, text }, index) => (index === 0 ? text : before + text)).join('') + end
}

/** Removes the sentences and items that name what went. A colon ends no sentence. @returns null if nothing is left. */
function withoutSentences(text: string, gone: Gone, end = /(?<=[.!?;][`*)"]*) +(?=[A-Z`*[(0-9"_])/): string | null {
  const sentences = text.split(end).map((sentence) => (gone.names(sentence) ? withoutListed(sentence, gone) : sentence))
  const left = sentences.filter((sentence) => sentence !== '' && !gone.names(sentence))
  return left.length > 0 ? left.join(' ') : null
}

/** Breaks a text into lines, the first after `first`, the others after `next`. */
function wrapped(text: string, first: string, next: string): string[] {
  const lines: string[] = []
  let line = first
  let isEmpty = true
  for (const word of text.split(/\s+/).filter((one) => one !== '')) {
    if (!isEmpty && line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = next
      isEmpty = true
    }
    line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return isEmpty ? lines : [...lines, line]
}

/** Lines of one paragraph, list item or comment: what begins its first line and the others. */
function shortened(lines: readonly string[], first: string, next: string, gone: Gone): string[] {
  const text = [
    lines[0]?.slice(first.length) ?? '',
    ...lines.slice(1).map((line) => line.slice(next.trimEnd().length).trim()),
  ].join(' ')
  if (!gone.names(text)) return [...lines]
  const left = withoutSentences(text.trim(), gone)
  return left === null ? [] : wrapped(left, first, next)
}

/** Removes the clauses of a row's cells that name what went. @returns null if a cell has none left. */
function shorterRow(row: string, gone: Gone): string | null {
  const without = gone.withoutTests(row)
  const cellsOf = (text: string) =>
    text
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim())
  const cells = cellsOf(without)
  if (cellsOf(row).some((cell, index) => cell !== '' && cells[index] === '')) return null
  // A row whose proofs all went has nothing to say any more.
  if (without !== row && !REFERENCE.test(cells.at(-1) ?? '')) return null
  if (!gone.names(without)) return without
  const left = cells.map((cell) => (gone.names(cell) ? withoutSentences(cell, gone, /(?<=[.;]) +/) : cell))
  return left.includes(null) ? null : `| ${left.map((cell) => cell?.replace(/;$/, '')).join(' | ')} |`
}

/** Removes sections, rows, list items, sentences and lines of examples that name what went. */
export function shorterPage(page: string, gone: Gone): string {
  const lines = page.split('\n')
  const left: string[] = []
  let isCode = false
  const folders: string[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const [, marks = ''] = /^(#+) /.exec(line) ?? []
    if (/^\s*```/.test(line)) isCode = !isCode
    if (isCode) {
      // A map of folders shows the nesting by indentation.
      folders.length = Math.min(Math.floor(indentOf(line) / 2), folders.length)
      folders.push(/^\s*(\S+?)\/? /.exec(line)?.[1] ?? '')
      if (!gone.names(line) && !gone.names(`src/${folders.join('/')}`)) left.push(line)
      // In a map of folders, those below go too.
      else while (indentOf(lines[index + 1]) > indentOf(line)) index++
    } else if (marks !== '' && gone.names(line)) {
      while (index + 1 < lines.length && !new RegExp(`^#{1,${marks.length}} `).test(lines[index + 1] ?? '')) index++
    } else if (line.startsWith('|')) {
      const row = shorterRow(line, gone)
      if (row !== null) left.push(row)
    } else if (marks !== '' || line.trim() === '' || /^\s*(?:```|!\[|<)/.test(line)) left.push(line)
    else {
      const [first = ''] = /^\s*(?:[-*] |\d+\. )?/.exec(line) ?? []
      const next = ' '.repeat(first.length)
      const block = [line]
      while (
        /^\s*[^\s|#`-]|^\s*`[^`]/.test(lines[index + 1] ?? '') &&
        !/^\s*(?:[-*] |\d+\. )/.test(lines[index + 1] ?? '')
      ) {
        block.push(lines[++index] ?? '')
      }
      left.push(...shortened(block, first, next, gone))
    }
  }
  // An emptied example goes with its introduction: the paragraph or item before it that ends in a colon.
  return left
    .join('\n')
    .replace(/(?:^ *(?!```)\S.*(?:\n(?! *(?:[-*] |\d+\. |```)).+)*?:\n+)? *```\w+\n *```\n/gm, '')
    .replace(/^\|.*\|\n\|[-| :]+\|\n(?!\|)/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/\n+$/, '\n')
}

/** Removes the sentences of comments that name what went. */
export function shorterComments(code: string, gone: Gone): string {
  const lines = code.split('\n')
  const left: string[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const [mark] = /^\s*(?:\/\/ | \* (?:@\w+ )?|# )/.exec(line) ?? []
    if (mark === undefined) {
      const single = /^(\s*\/\*\* )(.*) \*\/$/.exec(line)
      if (!single || !gone.names(line)) {
        left.push(line)
        continue
      }
      const kept = withoutSentences(single[2] ?? '', gone)
      if (kept !== null) left.push(`${single[1]}${kept} */`)
      continue
    }
    const next = mark.replace(/@\w+ $/, '')
    const block = [line]
    while (new RegExp(`^${next.replace(/[*/]/g, '\\\\$&')}(?! |@)`).test(lines[index + 1] ?? ''))
      block.push(lines[++index] ?? '')
    left.push(...shortened(block, mark, next, gone))
  }
  return left.join('\n').replace(/^\s*\/\*\*\n\s*\*\/\n/gm, '')
}
