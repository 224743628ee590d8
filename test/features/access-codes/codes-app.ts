import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { EntryPoint } from '../../../src/entry-points/entry-point.ts'
import type { Batch } from '../../../src/features/access-codes/codes/code-records.ts'
import { createCodeStore } from '../../../src/features/access-codes/codes/code-store.ts'
import { type Holder, NO_HOLDER, newCodes } from '../../../src/features/access-codes/codes/new-codes.ts'
import type { AccessCodeSettings } from '../../../src/features/access-codes/fields.ts'
import { openFileRecords } from '../../../src/services/guests/file-records.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { type LoginAppOptions, START_SECONDS, startLoginApp } from '../../login/start-login-app.ts'

export const KEY = 'ACCESSCODEKEYMARKER-81c0'
const CODE_SETTINGS: AccessCodeSettings = { asksName: 'off', key: KEY, placeSeconds: 3600 }

/** Returns an entry point with access codes. */
export function withCodes<E extends EntryPoint>(entryPoint: E, changes: Partial<AccessCodeSettings> = {}): E {
  const features = {
    ...entryPoint.features,
    guests: { isOff: false },
    'access-codes': { ...CODE_SETTINGS, ...changes },
  }
  return { ...entryPoint, features }
}

/** A batch of one personal code without limits, with changes. */
export function batchOf(changes: Partial<Batch> = {}): Batch {
  return {
    entryPoint: 'default',
    label: 'GALA',
    isShared: false,
    most: null,
    devices: null,
    count: 1,
    length: 10,
    groups: [],
    attributes: {},
    createdAtSeconds: START_SECONDS,
    endsAtSeconds: null,
    revokedAtSeconds: null,
    isComplete: true,
    ...changes,
  }
}

/** Opens codes in a file of their own, until the test ends. */
export function openCodes(nowSeconds = () => START_SECONDS) {
  const folder = mkdtempSync(join(tmpdir(), 'codes-'))
  const file = join(folder, 'guests.db')
  const records = openFileRecords(file, { nowSeconds, isCommand: true })
  onTestFinished(async () => {
    await records.close()
    rmSync(folder, { recursive: true })
  })
  const codes = createCodeStore(records)
  return {
    file,
    records,
    codes,
    /** Creates a batch, and returns its codes as printed. */
    async create(changes: Partial<Batch> = {}, holders: readonly Holder[] = [NO_HOLDER], words: string | null = null) {
      const batch = batchOf({ count: holders.length, ...changes })
      const { shown, stored } = newCodes(batch, holders, KEY, words)
      await codes.create(batch, stored)
      return shown.map(({ code }) => code)
    },
  }
}

/** Starts the login app with access codes at its entry point, until the test ends. */
export async function startCodesApp({
  settings,
  ...options
}: LoginAppOptions & { readonly settings?: Partial<AccessCodeSettings> } = {}) {
  const opened = openCodes()
  const app = await startLoginApp({
    entryPoints: [withCodes(ENTRY_POINT, settings)],
    featureSettings: { guests: { store: { kind: 'sqlite', file: opened.file } } },
    ...options,
  })
  const enter = (code: string, fields = {}, headers = {}) => app.post('/access-code', { code, ...fields }, headers)
  return { ...opened, app, enter }
}

/** Collects what a store lists. */
export async function all<T>(listed: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of listed) found.push(one)
  return found
}
