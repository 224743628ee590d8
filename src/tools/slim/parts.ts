import { basename, dirname } from 'node:path'
import { z } from 'zod'
import type { Tree } from './tree.ts'

/** The kind of which every fork keeps one. */
const STORE = 'user store'

/** A file `part.json` beside the code of a part. */
const Description = z.strictObject({
  /** The name in `--keep`. Default: that of its folder. */
  name: z.string().regex(/^[a-z][a-z0-9-]*$/),
  /** The question that it stands in. Default: that of its room. */
  kind: z.enum([STORE, 'answer', 'feature', 'server', 'tool']),
  about: z.string(),
  /** What a fork misses without it, as a sentence. */
  loses: z.string().optional(),
  /** The parts that it needs. `a|b` stands for one of them. */
  needs: z.array(z.string()).default([]),
  /** False for a part that is kept only as long as another one needs it. Default: false among the services. */
  choice: z.boolean(),
  /** True for a part that every fork keeps. */
  always: z.boolean().default(false),
  /** Files and folders that go with it, besides those that its folder's name tells. */
  also: z.array(z.string()).default([]),
  /** Files and folders that go with it, in place of those that its folder's name tells. */
  only: z.array(z.string()).optional(),
  /** Words that only texts about this part contain: the beginnings of its settings, its names. */
  words: z.array(z.string()).default([]),
})

export type Part = z.output<typeof Description> & {
  readonly folder: string
  readonly file: string
}

const KIND_OF_ROOM: readonly (readonly [string, Part['kind']])[] = [
  ['src/users/', STORE],
  ['src/features/', 'feature'],
  ['src/services/', 'feature'],
  ['src/tools/', 'tool'],
  ['test/', 'tool'],
  ['src/', 'server'],
]

export class WrongChoice extends Error {}

export const isDescription = (path: string) => /^(?:src|test)\/.*[/.]part\.json$/.test(path)

/** Reads the descriptions of all parts, in the order of their paths. */
export function readParts(tree: Tree): Part[] {
  return [...tree]
    .filter(([path]) => isDescription(path))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, text]) => {
      const folder = dirname(file)
      const kind = KIND_OF_ROOM.find(([room]) => file.startsWith(room))?.[1] ?? 'tool'
      const defaults = { name: basename(folder), kind, choice: !file.startsWith('src/services/') }
      return { ...Description.parse({ ...defaults, ...JSON.parse(text) }), folder, file }
    })
}

/** @throws WrongChoice if a name is unknown. */
export function checkNames(parts: readonly Part[], keep: readonly string[]): void {
  const known = parts.filter(({ choice }) => choice).map(({ name }) => name)
  const unknown = keep.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new WrongChoice(`Unknown part: ${unknown.join(', ')}. Here are: ${known.join(', ')}.`)
}

/**
 * Finds the parts that stay only because others need them, with the names of those. Parts that no choice can name are left out.
 * @throws WrongChoice as partsToRemove().
 */
export function partsBrought(parts: readonly Part[], keep: readonly string[]) {
  const removed = partsToRemove(parts, keep)
  const kept = parts.filter((part) => !removed.includes(part))
  return kept
    .filter(({ name, choice, always }) => choice && !always && !keep.includes(name))
    .map((part) => ({ part, neededBy: kept.filter(({ needs }) => needs.includes(part.name)).map(({ name }) => name) }))
}

/**
 * Finds the parts that go.
 * @param keep the names of the parts that stay, with those that they need. Names of parts that are not here have no effect.
 * @throws WrongChoice if no user store stays, or a part that stays needs one of several.
 */
export function partsToRemove(parts: readonly Part[], keep: readonly string[]): Part[] {
  const kept = new Set(parts.filter(({ name, choice, always }) => always || (choice && keep.includes(name))))
  for (const { name, needs } of kept) {
    for (const need of needs) {
      for (const part of parts) if (part.name === need) kept.add(part)
      if ([...kept].some((part) => need.split('|').includes(part.name))) continue
      throw new WrongChoice(`${name} needs ${need.replaceAll('|', ' or ')}. Keep one of them.`)
    }
  }
  if (![...kept].some(({ kind }) => kind === STORE)) throw new WrongChoice(`Keep at least one ${STORE}.`)
  return parts.filter((part) => !kept.has(part))
}

/**
 * True if a file goes with a part: it is below a folder of code, tests or screens with the name of the part's folder, or
 * is an asset or a piece of a screen with that name.
 */
export function belongsTo({ folder, file, also, only }: Part, path: string): boolean {
  const isBelow = (place: string) => path === place || path.startsWith(`${place}/`)
  if (path === file || also.some(isBelow)) return true
  if (only) return only.some(isBelow)
  const name = basename(folder)
  const asset = /^(?:public|views\/parts)\/([^/]+)$/.exec(path)?.[1]
  if (asset) return asset.startsWith(`${name}.`) || asset.startsWith(`${name}-`)
  return /^(?:src|test|views)\//.test(path) && dirname(path).split('/').includes(name)
}
