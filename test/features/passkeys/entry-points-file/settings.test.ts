import { expect, test } from 'vitest'
import { readConfig } from '../../../../src/config.ts'
import { mistakesIn } from '../../../settings.ts'
import { withFile } from './with-file.ts'

test('an entry point of a file has passkeys if it says so, under the same rules', () => {
  const hasPasskeys = (settings: object) =>
    readConfig(withFile(settings)).entryPoints.map(({ features }) => 'passkeys' in features)
  expect(hasPasskeys({})).toEqual([false])
  expect(hasPasskeys({ passkeys: 'on' })).toEqual([true])
  expect(mistakesIn({ ...withFile({ passkeys: 'on' }), PUBLIC_URL: 'https://192.0.2.1' })[0]).toContain('PUBLIC_URL')
})
