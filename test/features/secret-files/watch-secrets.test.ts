import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { watchHashSecrets } from '../../../src/features/secret-files/watch-secrets.ts'
import { startSecretsOf } from '../../../src/login/answer/hash-answer.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const A = '3f9a1c7be2d84560af13c9d27e6b8045'
const B = 'b81f4c02d97e36a5f0c8127d6e9a4b53'
const C = 'c04d8e1f5b7a926330e9d17f48c2ab65'

/** Watches an entry point whose files hold these secrets. */
function watching(secret: string, previous: string | null) {
  const folder = temporaryFolder()
  const files = { secret: join(folder, 'secret'), previous: join(folder, 'previous') }
  const write = (file: 'secret' | 'previous', text: string) => writeFileSync(files[file], text)
  write('secret', `${secret}\n`)
  write('previous', previous ?? '')
  const entryPoint = { ...ENTRY_POINT, secret, previousSecret: previous, secretFiles: files }
  const changes: string[] = []
  const faults: string[] = []
  const watched = watchHashSecrets({
    onChange: (name) => changes.push(name),
    onFault: (name, fault) => faults.push(`${name}: ${fault}`),
  })
  onTestFinished(watched.stop)
  const secrets = watched.secretsOf(entryPoint)
  const become = (current: string, other: string | null) =>
    expect.poll(secrets, { interval: 20 }).toEqual({ current, previous: other })
  return { files, write, secrets, become, changes, faults }
}

test('an entry point has the secrets of its files as soon as they change', async () => {
  const { write, secrets, become, changes, faults } = watching(A, null)
  expect(secrets()).toEqual({ current: A, previous: null })
  write('previous', B)
  await become(A, B)
  write('secret', B)
  await become(B, null)
  write('previous', `${A}\n`)
  await become(B, A)
  write('previous', '')
  await become(B, null)
  expect([changes.length, faults]).toEqual([4, []])
})

test.each([
  ['is removed', (files: { secret: string }) => rmSync(files.secret)],
  ['is empty', (files: { secret: string }) => writeFileSync(files.secret, '')],
  ['holds half a secret', (files: { secret: string }) => writeFileSync(files.secret, C.slice(0, 9))],
])('an entry point keeps its secrets if a file %s, and says so once', async (_what, damage) => {
  const { files, write, secrets, become, faults } = watching(A, B)
  damage(files)
  await expect.poll(() => faults.length).toBe(1)
  expect(secrets()).toEqual({ current: A, previous: B })
  write('secret', C)
  await become(C, B)
  expect(faults).toHaveLength(1)
  expect(faults.join()).not.toContain(C.slice(0, 9))
})

test('an entry point without files keeps its secrets', () => {
  const events = { onChange: expect.unreachable, onFault: expect.unreachable }
  const entryPoint = { ...ENTRY_POINT, secret: A, previousSecret: B }
  expect(watchHashSecrets(events).secretsOf(entryPoint)()).toEqual({ current: A, previous: B })
  expect(startSecretsOf({ ...entryPoint, previousSecret: A })).toEqual({ current: A, previous: null })
})
