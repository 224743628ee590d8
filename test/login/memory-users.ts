import { UpstreamError } from '../../src/errors.ts'
import type { Authentication, RefusalAfterPassword, Viewer } from '../../src/users/user-store.ts'

export type MemoryUsers = ReturnType<typeof memoryUsers>

interface MemoryRecord {
  readonly viewer: Viewer
  readonly password: string
  refusal: RefusalAfterPassword | null
}

export const STORE_DOWN = new UpstreamError('user-store', 'No answer from ldap://INTERNAL-HOST')

/** A user store in memory that a test can inspect and break. */
export function memoryUsers() {
  const records = new Map<string, MemoryRecord>()
  const asked: { username: string; password: string }[] = []
  let failure: unknown = null
  let held: Promise<void> | null = null

  function throwIfBroken(): void {
    if (failure !== null) throw failure
  }
  function recordOf(username: string) {
    const record = records.get(username)
    if (!record) throw new Error(`${username} was not added`)
    return record
  }
  return {
    asked,
    add(
      username: string,
      password: string,
      { groups = [], attributes = {}, username: spelled = username, ...version }: Partial<Viewer> = {},
    ) {
      records.set(username, { viewer: { username: spelled, groups, attributes, ...version }, password, refusal: null })
    },
    disable: (username: string) => {
      recordOf(username).refusal = 'disabled'
    },
    expirePassword: (username: string) => {
      recordOf(username).refusal = 'expired-password'
    },
    remove: (username: string) => void records.delete(username),
    /** Makes every later call throw the error. Null repairs the store. */
    fail: (error: unknown) => {
      failure = error
    },
    /** Makes every later sign-in wait for the promise. */
    hold: (until: Promise<void>) => {
      held = until
    },
    async authenticate(username: string, password: string): Promise<Authentication> {
      asked.push({ username, password })
      if (held !== null) await held
      throwIfBroken()
      const record = records.get(username)
      if (record?.password !== password) return { ok: false, reason: 'wrong-credentials' }
      return record.refusal ? { ok: false, reason: record.refusal } : { ok: true, viewer: record.viewer }
    },
    async find(username: string): Promise<Viewer | null> {
      await Promise.resolve()
      throwIfBroken()
      const record = records.get(username)
      return record && record.refusal !== 'disabled' ? record.viewer : null
    },
    async checkHealth() {
      await Promise.resolve()
      throwIfBroken()
    },
    close: () => Promise.resolve(),
  }
}
