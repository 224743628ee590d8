import { expect, test } from 'vitest'
import { UpstreamError } from '../../src/errors.ts'
import { decideAccess } from '../../src/login/access-policy.ts'
import { askAccess, type GateDecision } from '../../src/login/answer/access-decision.ts'
import type { Viewer } from '../../src/users/user-store.ts'
import { ENTRY_POINT } from './entry-point.ts'

const ADA: Viewer = { username: 'ada@example.com', groups: [], attributes: {} }

function ask(...gates: (() => unknown)[]) {
  const accessPolicy = { decideAccess, timeoutMs: 1_000 }
  const answer = { faultIn: () => null }
  return askAccess({ entryPoint: ENTRY_POINT, accessPolicy, answer }, ADA, {}, gates as (() => GateDecision)[])
}

test('a gate that returns null lets the viewer pass', async () => {
  expect(await ask(() => null)).toMatchObject({ ok: true })
})

test.each(['not-entitled', 'unusable-attribute'])(
  'a gate that refuses with %s keeps the viewer out',
  async (reason) => {
    const refusal = { ok: false, reason }
    expect(await ask(() => refusal)).toEqual(refusal)
    expect(await ask(() => Promise.resolve(refusal))).toEqual(refusal)
  },
)

test.each([undefined, Promise.resolve(undefined), {}, 'no'])(
  'a gate that returns %s lets nobody pass',
  async (value) => {
    await expect(ask(() => value)).rejects.toBeInstanceOf(UpstreamError)
  },
)

test('the earliest end of all gates is the end of the answer', async () => {
  const endsAt = (endsAtSeconds: number) => () => ({ ok: true, endsAtSeconds })
  expect(await ask(() => null)).not.toHaveProperty('endsAtSeconds')
  expect(await ask(endsAt(20), () => null, endsAt(10), endsAt(30))).toMatchObject({ ok: true, endsAtSeconds: 10 })
})

test('a gate after one with an end can still refuse', async () => {
  const refusal = { ok: false, reason: 'not-entitled' }
  expect(
    await ask(
      () => ({ ok: true, endsAtSeconds: 10 }),
      () => refusal,
    ),
  ).toEqual(refusal)
})

test('a gate can hold a viewer with a screen of its own', async () => {
  const held = { ok: false, reason: 'held', send: () => {} }
  expect(await ask(() => held)).toBe(held)
})

test('the gates learn of the session only after all have let the viewer pass', async () => {
  const passed = { ok: true, onGranted: () => {} }
  expect(
    await ask(
      () => passed,
      () => null,
    ),
  ).toMatchObject({ onGranted: [passed.onGranted] })
  const refusal = { ok: false, reason: 'not-entitled' }
  expect(
    await ask(
      () => passed,
      () => refusal,
    ),
  ).toEqual(refusal)
})
