import { expect, test } from 'vitest'
import { readConfig } from '../../../../src/config.ts'
import { mistakesIn } from '../../../settings.ts'
import { withFile } from './with-file.ts'

test('an entry point of a file has passkeys if it says so, under the same rules', () => {
  expect(readConfig(withFile({})).entryPoints.map(({ features }) => 'passkeys' in features)).toEqual([false])
  expect(readConfig(withFile({ passkeys: 'on' })).entryPoints.map(({ features }) => 'passkeys' in features)).toEqual([
    true,
  ])
  expect(mistakesIn({ ...withFile({ passkeys: 'on' }), PUBLIC_URL: 'https://192.0.2.1' })[0]).toContain('PUBLIC_URL')
})
