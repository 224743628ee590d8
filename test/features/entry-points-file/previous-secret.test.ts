import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import type { Environment } from '../../../src/settings/fields.ts'
import { APP_SETTINGS, mistakesIn, SETTINGS } from '../../settings.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const { HASH_SECRET: SECRET } = SETTINGS
const OTHER_SECRET = '8045e2d84560af13c9d27e6b3f9a1c7b'
const WITHOUT_SECRET = {
  name: 'news',
  playerReturnUrl: 'https://player.example/embed/hashlock/pass',
  playerOrigins: ['https://player.example'],
}
const ENTRY = { ...WITHOUT_SECRET, secret: SECRET }

function withFile(entries: readonly object[]): Environment {
  return { ...APP_SETTINGS, ENTRY_POINTS_FILE: fileWith(JSON.stringify(entries)) }
}

function fileWith(text: string): string {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, text)
  return file
}

describe('the previous secret of an entry point', () => {
  test('an entry point may have a previous secret, or a file with one', () => {
    const entry = { ...ENTRY, secretPrevious: OTHER_SECRET }
    expect(readConfig(withFile([entry])).entryPoints[0]).toMatchObject({ secret: SECRET, previousSecret: OTHER_SECRET })
    const secretFile = fileWith(SECRET)
    const secretPreviousFile = fileWith(`${OTHER_SECRET}\n`)
    const { entryPoints } = readConfig(withFile([{ ...WITHOUT_SECRET, secretFile, secretPreviousFile }]))
    const secretFiles = { secret: secretFile, previous: secretPreviousFile }
    expect(entryPoints[0]).toMatchObject({ secret: SECRET, previousSecret: OTHER_SECRET, secretFiles })
  })
  test('the file of a previous secret may be empty', () => {
    const entry = { ...ENTRY, secretPreviousFile: fileWith('\n') }
    expect(readConfig(withFile([entry])).entryPoints[0]).toMatchObject({ previousSecret: null, secretFiles: null })
  })
  test.each([
    ['that is weak', { secretPrevious: 'a' }, 'secretPrevious is too short'],
    ['in a file that does not exist', { secretPreviousFile: '/nowhere' }, 'secretPreviousFile names a file'],
    ['in a file with another text', { secretPreviousFile: 'package.json' }, 'secretPreviousFile names a file'],
  ])('a previous secret %s is refused', (_what, fields, sentence) => {
    expect(mistakesIn(withFile([{ ...ENTRY, ...fields }]))).toEqual([
      expect.stringContaining(`ENTRY_POINTS_FILE, entry 1: ${sentence}`),
    ])
  })
  test('a previous secret that is given twice is refused', () => {
    const twice = { secretPrevious: OTHER_SECRET, secretPreviousFile: fileWith(OTHER_SECRET) }
    expect(mistakesIn(withFile([{ ...ENTRY, ...twice }]))).toEqual([expect.stringContaining('remove one')])
  })
  test('an empty file of a previous secret that two entry points share is refused', () => {
    const secretPreviousFile = fileWith('')
    const other = { ...ENTRY, name: 'b', secret: OTHER_SECRET, secretPreviousFile: relative('.', secretPreviousFile) }
    expect(mistakesIn(withFile([{ ...ENTRY, secretPreviousFile }, other]))).toEqual([
      expect.stringContaining('ENTRY_POINTS_FILE, entry 2: secretPreviousFile'),
    ])
  })
  test('a previous secret that another entry point has gives a warning', () => {
    const { warnings } = readConfig(
      withFile([ENTRY, { ...ENTRY, name: 'b', secret: OTHER_SECRET, secretPrevious: SECRET }]),
    )
    expect(warnings).toEqual([expect.stringContaining('share a secret')])
  })
})
