import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { secretFiles } from '../../../../src/features/secret-files/feature.ts'
import { responseOf } from '../../../login/response-of.ts'
import { ADA } from '../../../login/start-login-app.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { ENTRY, startFromFile } from '../../entry-points-file/app-from-file.ts'

const A = '8045e2d84560af13c9d27e6b3f9a1c7b'
const B = 'b81f4c02d97e36a5f0c8127d6e9a4b53'

test('the files of the secrets of a changed entry point are read again, and those of a removed one are not', async () => {
  const folder = temporaryFolder()
  const { secret: _, ...withoutSecret } = ENTRY
  function entryWith(name: string, secret: string) {
    const files = { secretFile: join(folder, name), secretPreviousFile: join(folder, `${name}-previous`) }
    writeFileSync(files.secretFile, secret)
    writeFileSync(files.secretPreviousFile, '')
    return { ...withoutSecret, name, ...files }
  }
  const news = entryWith('news', A)
  const sport = entryWith('sport', B)
  const { app, write, linesOf } = await startFromFile([secretFiles], ENTRY, news, sport)
  write(ENTRY, { ...news, hashLifetimeSeconds: 60 })
  await expect.poll(() => linesOf('entry-points'), { timeout: 5_000 }).toHaveLength(1)
  writeFileSync(sport.secretFile, 'short')
  writeFileSync(news.secretFile, B)
  await expect.poll(() => linesOf('hash-secret'), { timeout: 5_000 }).toHaveLength(1)
  responseOf((await app.post('/e/news/sign-in', ADA)).location, B)
  expect(linesOf('hash-secret')).toEqual([expect.objectContaining({ level: 30, entryPoint: 'news' })])
})
