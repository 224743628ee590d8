import { printableJson, printableLines } from '../terminal/text.ts'

const MOST_LINE_NUMBERS = 10
/** Limits the memory for a file in which every line has a fault of its own. */
const MOST_FAULTS = 1000

interface Group {
  readonly fault: string
  /** The first lines. */
  readonly lines: number[]
  count: number
}

/** Collects the refused lines of a file. Lines with the same fault are printed as one. @param write prints a line. */
export function collectRefusals(write: (text: string) => void, json: boolean) {
  const groups = new Map<string, Group>()

  /** Prints what was added since the last call. */
  function flush(): void {
    for (const group of groups.values()) write(json ? inJson(group) : inWords(group))
    groups.clear()
  }

  return {
    flush,
    /** @param fault the end of a sentence that begins with the line. */
    add(line: number, fault: string): void {
      if (groups.size >= MOST_FAULTS && !groups.has(fault)) flush()
      const group = groups.get(fault) ?? { fault, lines: [], count: 0 }
      groups.set(fault, group)
      group.count += 1
      if (group.lines.length < MOST_LINE_NUMBERS) group.lines.push(line)
    },
  }
}

function inJson({ fault, lines, count }: Group): string {
  return printableJson({ line: lines[0], error: fault, ...(count > 1 && { count, lines }) })
}

function inWords({ fault, lines: [first, ...others], count }: Group): string {
  const more = count - 1
  const numbers = `${others.join(', ')}${others.length < more ? ', …' : '.'}`
  const rest = ` ${more === 1 ? '1 more line has' : `${more.toLocaleString('en')} more lines have`} this fault: ${numbers}`
  return printableLines(`Line ${first} ${fault}.${more > 0 ? rest : ''}`)
}
