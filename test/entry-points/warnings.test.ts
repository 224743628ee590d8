import { expect, test } from 'vitest'
import { warningsOfEntryPoints } from '../../src/entry-points/warnings.ts'
import { ENTRY_POINT } from '../login/entry-point.ts'

const SESSIONS = { secrets: ['c04d8e1f5b7a926330e9d17f48c2ab65'], lifetimeSeconds: 28_800, idleSeconds: 28_800 }

function warningsOf(lifetimes: readonly number[]): string[] {
  const entryPoints = lifetimes.map((lifetimeSeconds, index) => {
    const secret = `3f9a1c7be2d84560${String(index).padStart(16, '0')}`
    return { ...ENTRY_POINT, name: `channel-${index}`, secret, lifetimeSeconds }
  })
  return warningsOfEntryPoints(entryPoints, [], SESSIONS)
}

test.each<[string, number[], RegExp[]]>([
  ['one has a line of its own', [0], [/^Entry point channel-0: the lifetime is 0/]],
  ['three have lines of their own', [0, 0, 0], [/channel-0:/, /channel-1:/, /channel-2:/]],
  [
    'a thousand share a line for each warning',
    [...Array<number>(1_000).fill(0), 90_000],
    [/^Entry points channel-0, channel-1, channel-2 and 997 more: the lifetime is 0/, /^Entry point channel-1000: /],
  ],
])('of entry points with the same warning, %s', (_what, lifetimes, expected) => {
  const warnings = warningsOf(lifetimes)
  expect(warnings).toHaveLength(expected.length)
  for (const [index, line] of expected.entries()) expect(warnings[index]).toMatch(line)
})
