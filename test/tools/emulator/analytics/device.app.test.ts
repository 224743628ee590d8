import { expect, test } from 'vitest'
import { describeDevice } from '../../../../src/tools/emulator/analytics/segments/device.ts'
import { IPHONE, WINDOWS } from './sample-segments.ts'

const KHTML = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const PIXEL = `Mozilla/5.0 (Linux; Android 16; Pixel 9) ${KHTML} Chrome/146.0.7680.60 Mobile Safari/537.36`
const BOX = `Mozilla/5.0 (Linux; Android 9; AFTKA) ${KHTML} Silk/120.4.1 like Chrome/120.0.0.0 Safari/537.36`
const TELEVISION = `Mozilla/5.0 (Linux; Android 12; BRAVIA 4K VH2 Build/STT1) ${KHTML} Chrome/120.0.0.0 Safari/537.36`

test.each([
  ['an iPhone', IPHONE, { browser: 'Mobile Safari', os: 'iOS', device: 'iPhone', isMobile: true }],
  ['Chrome on Windows', WINDOWS, { browser: 'Chrome', os: 'Windows', device: 'Other', isMobile: false }],
  ['an Android phone', PIXEL, { browser: 'Chrome Mobile', os: 'Android', device: 'Pixel 9', isMobile: true }],
  ['a television', TELEVISION, { browser: 'Chrome', os: 'Android', device: 'BRAVIA 4K VH2', isMobile: false }],
  ['a set-top box', BOX, { browser: 'Amazon Silk', os: 'Android', device: 'Kindle', isMobile: false }],
  ['nothing', '', { browser: 'Other', os: 'Other', device: 'Other', isMobile: false }],
  ['markup', '<script>alert(1)</script>', { browser: 'Other', os: 'Other', device: 'Other', isMobile: false }],
])('the device is read from the user agent: %s', (_case, userAgent, { browser, os, device, isMobile }) => {
  expect(describeDevice(userAgent)).toMatchObject({
    info: { browser: { family: browser }, os: { family: os }, device: { family: device } },
    isMobile,
  })
})

test('only the first 512 characters of a user agent are read', () => {
  const long = WINDOWS.padEnd(512, ' ')
  expect(describeDevice(long + IPHONE)).toBe(describeDevice(long))
})
