import { expect, test } from 'vitest'
import { deviceOf } from '../../../src/login/log/device.ts'

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0',
    ['Edge', 'Windows'],
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.2 Mobile/15E148 Safari/604.1',
    ['Safari', 'iPhone'],
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0', ['Firefox', 'Linux']],
  ['Mozilla/5.0 (SMART-TV; Linux; Tizen 9.0)', ['Linux']],
  ['curl/8.9.1', []],
  ['<b>https://evil.example</b>', []],
  [undefined, []],
])('the browser and the system of %s are %j', (userAgent, names) => {
  expect(deviceOf({ headers: { 'user-agent': userAgent } })).toEqual(names)
})
