import { open, stat } from 'node:fs/promises'
import { z } from 'zod'
import { jsonIn } from '../../../json-text.ts'
import type { Manager } from '../../cli/manager/accounts/manager-store.ts'
import { ALL_ROLES, get, page } from '../door/route.ts'
import type { Section } from '../section.ts'

const PATH = '/acts'
const ROWS = 200
/** A line has about 300 bytes. */
const TAIL_BYTES = 200_000

const Line = z.looseObject({
  event: z.literal('manager'),
  time: z.string(),
  outcome: z.string(),
  manager: z.string().optional(),
  viewer: z.string().optional(),
  entryPoint: z.string().optional(),
  target: z.string().optional(),
  count: z.number().optional(),
  address: z.string().optional(),
})
type Line = z.infer<typeof Line>

/** The last acts of all managers. A manager of some entry points sees only the own acts. */
export const journalSection: Section = {
  open: ({ actsFile }) => ({
    tab: { path: PATH, text: 'journal', roles: ALL_ROLES },
    routes: [
      get(PATH, ALL_ROLES, async ({ manager, words }) => {
        const lines = (await lastLines(actsFile)).filter((line) => isSeen(line, manager))
        const rows = lines.slice(-ROWS).toReversed()
        return page('journal', { title: words.t.journal.title, current: PATH, rows })
      }),
    ],
  }),
}

function isSeen({ manager: by }: Line, { name, entryPoints }: Manager): boolean {
  return entryPoints === null || by === name
}

async function lastLines(path: string): Promise<Line[]> {
  const found = await stat(path).catch(() => null)
  if (found === null || found.size === 0) return []
  const start = Math.max(0, found.size - TAIL_BYTES)
  const lines: Line[] = []
  // The first line may be cut: it is not JSON then.
  for await (const text of (await open(path)).readLines({ start })) {
    const line = Line.safeParse(jsonIn(text))
    if (line.success) lines.push(line.data)
  }
  return lines
}
