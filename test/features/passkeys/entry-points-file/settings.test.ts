import { expect, test } from 'vitest'
import { readConfig } from '../../../../src/config.ts'
import { hasPasskeys } from '../../../../src/features/passkeys/fields.ts'
import { mistakesIn } from '../../../settings.ts'
import { withFile } from './with-file.ts'

test('an entry point of a file has passkeys if it says so, under the same rules', () => {
  expect(readConfig(withFile({})).entryPoints.map(hasPasskeys)).toEqual([false])
  expect(readConfig(withFile({ passkeys: 'on' })).entryPoints.map(hasPasskeys)).toEqual([true])
  expect(mistakesIn({ ...withFile({ passkeys: 'on' }), PUBLIC_URL: 'https://192.0.2.1' })[0]).toContain('PUBLIC_URL')
})
