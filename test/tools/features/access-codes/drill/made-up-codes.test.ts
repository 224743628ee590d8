import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../../../../../src/config.ts'
import { UpstreamError } from '../../../../../src/errors.ts'
import { openFileRecords } from '../../../../../src/services/guests/file-records.ts'
import { accessCodeWay, removeCodes } from '../../../../../src/tools/features/access-codes/drill/made-up-codes.ts'
import { KEY, startCodesApp } from '../../../../features/access-codes/codes-app.ts'
import { SETTINGS } from '../../../../settings.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { drillGuests } from '../../../cli/drill/drill-guests.ts'

/** Starts an app with access codes, and returns the settings of the same app. */
async function codesApp() {
  const nowSeconds = () => Date.now() / 1000
  const { app, file } = await startCodesApp({ nowSeconds })
  const records = openFileRecords(file, { nowSeconds, isCommand: true })
  onTestFinished(() => records.close())
  const settings = { ACCESS_CODES: 'on', ACCESS_CODE_KEY: KEY, GUESTS_STORE_URL: `sqlite:${file}` }
  const counts = () => Promise.all(['code-batch', 'code', 'code-digest', 'code-use'].map((kind) => records.count(kind)))
  return { url: `http://127.0.0.1:${app.port}/`, settings, wayIn: 'codes', counts }
}

test('guests sign in with access codes, which are gone afterwards', async () => {
  const app = await codesApp()
  const page = join(temporaryFolder(), 'drill.html')
  const { data, failed, status, stderr } = await drillGuests(app, ['--wrong', '50', '--returns', '50', '--html', page])
  expect({ failed, stderr }).toMatchObject({ failed: [] })
  expect(data.checks[0]?.text).toBe('8 of 8 viewers got in with an access code.')
  expect(readFileSync(page, 'utf8')).toContain('All viewers got in with an access code')
  expect([status, await app.counts()]).toEqual([0, [0, 0, 0, 0]])
})

test('codes of a drill are gone also after a fault', async () => {
  const { settings, url, counts } = await codesApp()
  const env = { ...SETTINGS, ...settings, PUBLIC_URL: new URL(url).origin }
  const { entryPoints, features } = readConfig(env)
  const [entryPoint = expect.unreachable('no entry point')] = entryPoints
  const request = { entryPoint, features, count: 3, maxWaitMs: 1_000, groups: [], attributes: {} }
  let before: readonly number[] = []
  const failing = accessCodeWay.withCrowd({ env, stderr: new PassThrough() } as never, request, async (guests) => {
    before = await counts()
    throw new Error(`a fault with ${guests.length} guests`)
  })
  await expect(failing).rejects.toThrow('a fault with 3 guests')
  expect([before, await counts()]).toEqual([
    [1, 3, 3, 0],
    [0, 0, 0, 0],
  ])
})

test('a store that is away at the end is tried again, and then the command is named', async () => {
  const away = new UpstreamError('guest-store', 'away')
  const batch = { entryPoint: 'default', label: 'DRILL-0A1B2C3D' }
  const revokeBatch = vi.fn(() => Promise.resolve(true))
  const remove = vi.fn(() => Promise.resolve())
  remove.mockRejectedValueOnce(away)
  await removeCodes({ revokeBatch, remove }, batch, [], { everyMs: 1, atMostMs: 500 })
  expect(revokeBatch).toHaveBeenCalledTimes(2)
  remove.mockRejectedValue(away)
  const failing = removeCodes({ revokeBatch, remove }, batch, [], { everyMs: 1, atMostMs: 5 })
  await expect(failing).rejects.toThrow('viewer-auth codes revoke --label DRILL-0A1B2C3D --entry-point default')
})
