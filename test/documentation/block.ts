/**
 * Lines of a file that are made from the code, between a line with `NAME: written by npm run docs` and one with
 * `end of NAME`.
 */
export interface Block {
  readonly name: string
  /** The path of the file, from the root of the checkout. */
  readonly file: string
  /** Makes the lines, as they stand in the file. */
  lines(): string[] | Promise<string[]>
}

/**
 * Replaces the lines of a block in the text of its file.
 * @throws Error if the text does not have both lines around the block.
 */
export async function withBlock(text: string, { name, file, lines }: Block): Promise<string> {
  const all = text.split('\n')
  const start = all.findIndex((line) => line.includes(`${name}: written by npm run docs`))
  const end = all.findIndex((line) => line.includes(`end of ${name}`))
  if (start === -1 || end < start) throw new Error(`${file} has no block "${name}"`)
  return [...all.slice(0, start + 1), ...(await lines()), ...all.slice(end)].join('\n')
}

/** Makes the lines of a Markdown table. No rows make no table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)]
}
