import { expect, test } from 'vitest'
import { createServedEntryPoints } from '../../../src/entry-points/served-entry-points.ts'
import { createEntryPointChanges } from '../../../src/features/entry-points-file/entry-point-changes.ts'
import { entryPointAt } from '../../login/entry-point.ts'

const read = () => null
/** A feature that may change, one that needs a restart, and one that no entry point has at the start. */
const FEATURES = [
  { name: 'free', read },
  { name: 'fixed', isFixed: true, read },
  { name: 'unused', read },
]
const GOLD = entryPointAt('gold', { features: { free: 1, fixed: { id: 1 } } })
const PLAIN = entryPointAt('plain')

/** Serves these entry points in place of `gold` and `plain`. */
function replaceBy(...next: (typeof GOLD)[]) {
  const served = createServedEntryPoints(FEATURES)
  const taken: Record<string, unknown> = {}
  served.onServe((all) => {
    for (const { name, lifetimeSeconds, features } of all as (typeof GOLD)[])
      taken[name] = { lifetimeSeconds, features }
  })
  const { restart } = createEntryPointChanges([GOLD, PLAIN], served).serve(next)
  return { taken, restart }
}

const changed = { lifetimeSeconds: 60 }

test('an entry point with the same settings of fixed features takes all others', () => {
  const features = { free: 2, fixed: { id: 1 } }
  const { taken, restart } = replaceBy({ ...GOLD, ...changed, features }, PLAIN)
  expect([taken.gold, restart]).toEqual([{ ...changed, features }, {}])
  // What such a feature has opened, it knows by the settings of the start.
  expect((taken.gold as typeof GOLD).features.fixed).toBe(GOLD.features.fixed)
})

test.each([
  ['changes a fixed feature', { free: 2, fixed: { id: 2 } }, ['fixed'], { free: 2, fixed: { id: 1 } }],
  ['turns a feature off', { fixed: { id: 1 } }, ['free'], { free: 1, fixed: { id: 1 } }],
  ['turns a feature on', { free: 2, fixed: { id: 1 }, unused: 1 }, ['unused'], { free: 2, fixed: { id: 1 } }],
])('an entry point that %s keeps its settings, except those of free features', (_what, features, waiting, kept) => {
  const { taken, restart } = replaceBy({ ...GOLD, ...changed, features }, PLAIN)
  expect([taken.gold, restart]).toEqual([{ lifetimeSeconds: GOLD.lifetimeSeconds, features: kept }, { gold: waiting }])
})

test.each([
  ['free', 1, true],
  ['fixed', { id: 1 }, false],
  ['unused', 1, false],
])('a new entry point with the feature "%s" is served without a restart: %s, %s', (name, settings, isServed) => {
  const { taken, restart } = replaceBy(GOLD, PLAIN, entryPointAt('new', { features: { [name]: settings } }))
  expect(['new' in taken, restart]).toEqual([isServed, isServed ? {} : { new: [name] }])
})

test('if a listener cannot serve the entry points, they stay, and the next change counts', () => {
  const served = createServedEntryPoints(FEATURES)
  const changes = createEntryPointChanges([GOLD, PLAIN], served)
  let isFailing = true
  served.onServe(() => {
    if (isFailing) throw new Error('cannot')
  })
  expect(() => changes.serve([GOLD])).toThrow('cannot')
  isFailing = false
  expect(changes.serve([GOLD])).toEqual({ added: [], changed: [], removed: ['plain'], restart: {} })
})
