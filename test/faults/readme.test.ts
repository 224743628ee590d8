import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FAULTS } from './fault-list.ts'
import type { Fault } from './rehearse.ts'

const README = readFileSync(new URL('../../src/server/README.md', import.meta.url), 'utf8')
/** The rows of the first table of the page. */
const ROWS = (/^\| fault .*\n(?:\|.*\n)+/m.exec(README)?.[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').slice(1, -1))

function rowOf(id: string): string[] {
  return ROWS.find(([ids = '']) => ids.includes(`\`${id}\``)) ?? []
}

/** Returns the statuses that viewers see on a page or after a sign-in. */
function statusesOf({ sees, maySee = {} }: Fault): string[] {
  const seen = [sees, maySee].flatMap((outcomes) => [outcomes['right password'] ?? [], outcomes.page ?? []].flat())
  return [...new Set(seen.filter((outcome) => /^\d+$/.test(outcome)))]
}

test('the table of src/server/README.md has every fault of the suite, once', () => {
  const ids = ROWS.flatMap(([first = '']) => [...first.matchAll(/`([^`]+)`/g)].map(([, id]) => id))
  expect(ids.toSorted()).toEqual(FAULTS.map(({ id }) => id).toSorted())
})

test.each(FAULTS)('the row of $id has the bounds and the statuses that the suite checks', (fault) => {
  const [, , seen = '', wait = '', recovery = ''] = rowOf(fault.id)
  expect([wait.trim(), recovery.trim()]).toEqual([`${fault.waitSeconds} s`, `${fault.recoverySeconds} s`])
  expect(seen.match(/\b[1-5]\d\d\b/g) ?? []).toEqual(statusesOf(fault))
  const seesNothing = /^ nothing\b/.test(seen)
  expect(seesNothing).toBe(Object.keys({ ...fault.sees, ...fault.maySee }).length === 0)
})
