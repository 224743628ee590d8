import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { screenLimit } from '../../../src/features/screen-limit/feature.ts'
import { features } from '../../../src/features.ts'
import type { Feature } from '../../../src/login/feature.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { goesOn, signIn } from '../../login/signed-in.ts'
import { startLoginApp } from '../../login/start-login-app.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { withScreenLimit } from './entry-point.ts'
import { expectOther, returnOf } from './visits.ts'

/** Starts an app that counts failed sign-ins, and so places, in a file. */
async function startWithFile(file: string, asks = false) {
  const limitsStore = { kind: 'counts-file', file }
  const inFile: Feature = {
    ...screenLimit,
    name: 'screen-limit',
    open: (services, ...rest) =>
      screenLimit.open({ ...services, stores: { ...services.stores, limitsStore } }, ...(rest as [never, never])),
  }
  return await startLoginApp({
    features: [...features.filter(({ name }) => name !== inFile.name), inFile],
    entryPoints: [withScreenLimit(ENTRY_POINT, { asks })],
  })
}

const readinessOf = async (app: Awaited<ReturnType<typeof startWithFile>>): Promise<unknown> =>
  JSON.parse((await app.get('/health/ready')).text)

test.each([false, true])('while the store fails, viewers pass, with one line in the log (ask: %s)', async (asks) => {
  const file = join(temporaryFolder(), 'limits.db')
  const app = await startWithFile(file, asks)
  const first = await signIn(app)
  if (!asks) expect(await signIn(app)).not.toBe(first)
  if (!asks) expectOther(await returnOf(app, first))
  expect(await readinessOf(app)).toEqual({ status: 'ready' })
  const other = new DatabaseSync(file.replace('.db', '-screens.db'))
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  await expect.poll(() => readinessOf(app)).not.toEqual({ status: 'ready' })
  const more = await signIn(app)
  for (const cookie of [first, more]) expect(goesOn(await returnOf(app, cookie))).toBe(true)
  expect(app.lines.filter(({ msg }) => String(msg).includes('the file of screens fails'))).toHaveLength(1)
  expect(await readinessOf(app)).toEqual({ status: 'degraded', away: ['LIMITS_STORE_URL'] })
})
