import { expect, test } from 'vitest'
import { passwordAddresses } from '../../../../src/features/account/links/addresses.ts'

const ELSEWHERE = 'https://accounts.example/forgot'

test.each([
  ['this app, at the root', '', true, null, '/account/forgot', '/account/change-password'],
  [
    'this app, at an entry point',
    '/e/staff',
    true,
    null,
    '/e/staff/account/forgot',
    '/e/staff/account/change-password',
  ],
  ['another system that the settings name', '', true, ELSEWHERE, ELSEWHERE, ELSEWHERE],
  ['another system, without a mail server', '', false, ELSEWHERE, ELSEWHERE, ELSEWHERE],
  ['nowhere', '', false, null, null, null],
])('viewers set their passwords in %s', (_where, basePath, hasOwnPages, url, forgot, change) => {
  expect(passwordAddresses(basePath, hasOwnPages, url)).toEqual({ forgot, change })
})
