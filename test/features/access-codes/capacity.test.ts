import { expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { capacitiesAt } from '../../../src/tools/cli/capacities.ts'
import { SETTINGS } from '../../settings.ts'

test('any number of guests of one address get in with access codes, beside the password or without', () => {
  const on = { ...SETTINGS, ACCESS_CODES: 'on', ACCESS_CODE_KEY: 'ACCESSCODEKEYMARKER-81c0' }
  const waysWith = (given: object) => {
    const config = readConfig({ ...on, ...given })
    return config.entryPoints.flatMap((entryPoint) => capacitiesAt(config, entryPoint))
  }
  const own = { wayIn: 'access code', viewers: null }
  expect(waysWith({ PASSWORD_FORM: 'off' })).toEqual([own])
  expect(waysWith({})).toEqual([expect.any(Object), expect.any(Object), own])
})
