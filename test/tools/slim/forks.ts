import { belongsTo, type Part, partsToRemove, readParts, WrongChoice } from '../../../src/tools/slim/parts.ts'
import { git, readTree } from '../../../src/tools/slim/tree.ts'
import { ROOT } from './copy.ts'
import { BUDGET } from './lines.ts'

/** A choice of parts that the drill builds and checks. */
export interface Fork {
  readonly title: string
  readonly keep: readonly string[]
  /** The most lines of src. Only a typical fork has a limit. */
  readonly most: number
  /** `full`: all unit tests. `part`: those that read the project, and those that the choice touches. `types`: none. */
  readonly checks: 'full' | 'part' | 'types'
}

export const project = readTree(ROOT)
const allParts = readParts(project)
const parts = allParts.filter(({ choice, always }) => choice && !always)
const UNLIMITED = Number.POSITIVE_INFINITY
const SMALLEST = 'sqlite'

export const isTypical = ({ most }: Fork) => most < UNLIMITED

/** The fork without some parts, nor those that need them. */
export function without(...gone: readonly string[]): Fork {
  const needing = parts.filter(({ name, needs }: Part) => {
    const isHelpless = (need: string) => need.split('|').every((one) => gone.includes(one))
    return !gone.includes(name) && needs.some(isHelpless)
  })
  if (needing.length > 0) return without(...gone, ...needing.map(({ name }) => name))
  const keep = parts.map(({ name }) => name).filter((name) => !gone.includes(name))
  return { title: `without ${gone.join(', ')}`, keep, most: UNLIMITED, checks: 'part' }
}

/** The smallest fork with one more part. A user store takes the place of the smallest one's. */
export function adding(name: string): Fork {
  const isStore = parts.some((part) => part.name === name && part.kind === 'user store')
  const keep = isStore ? [name] : [SMALLEST, name]
  return { title: `only ${keep.join(',')}`, keep, most: UNLIMITED, checks: 'part' }
}

export function only(keep: string): Fork {
  return { title: `only ${keep}`, keep: keep.split(','), most: BUDGET.forks[keep] ?? UNLIMITED, checks: 'full' }
}

export const typical = Object.keys(BUDGET.forks).map(only)

/** Each part removed from the whole, and each part added to the smallest fork. */
export const single = parts.flatMap(({ name }) => [without(name), adding(name)])

/** The pairs of parts that share a file or a need. Where one brings the other with it, there is nothing to add. */
export function pairs(): Fork[] {
  const isJoined = (a: Part, b: Part) =>
    a.needs.some((need) => b.needs.includes(need)) ||
    [...project.keys()].some((path) => belongsTo(a, path) && belongsTo(b, path))
  const isAlone = (a: Part, b: Part) => without(a.name).keep.includes(b.name)
  return parts.flatMap((a, index) =>
    parts
      .slice(index + 1)
      .filter((b) => isJoined(a, b) && isAlone(a, b) && isAlone(b, a))
      .map((b) => ({ ...without(a.name, b.name), checks: 'types' as const })),
  )
}

/** Chooses forks by chance, small ones more often than large ones. The same seed chooses the same forks. */
export function byChance(count: number, seed: number): Fork[] {
  const random = randomFrom(seed)
  const forks: Fork[] = []
  while (forks.length < count) {
    const share = 0.05 + random() * 0.5
    const keep = parts.map(({ name }) => name).filter(() => random() < share)
    if (isPossible(keep)) forks.push(only(keep.join(',')))
  }
  return forks
}

function isPossible(keep: readonly string[]): boolean {
  try {
    return partsToRemove(allParts, keep).length > 0
  } catch (error) {
    if (error instanceof WrongChoice) return false
    throw error
  }
}

/** Returns numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Begins a list with another item after each commit. */
export function inTurn<T>(items: readonly T[]): T[] {
  const from = (7 * Number(git(ROOT, 'rev-list', '--count', 'HEAD'))) % items.length
  return [...items.slice(from), ...items.slice(0, from)]
}
