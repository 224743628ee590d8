import { expect, test } from 'vitest'
import { documentOf, type FramedDocument, srcdocOf } from '../../../../../src/tools/cli/doctor/page/framed-document.ts'
import { obstaclesOn } from '../../../../../src/tools/cli/doctor/page/obstacles.ts'

/** Creates a document with these headers, and the flags of its sandbox. */
function framed(address: string, headers: Record<string, string> = {}, flags: string[] | null = null): FramedDocument {
  const addresses = address.split(' ').map((text) => new URL(text))
  const element = { sandbox: flags, allow: '' }
  return documentOf(addresses as [URL, ...URL[]], new Headers(headers), element)
}

const codesOn = (...path: FramedDocument[]) => obstaclesOn(path).map(({ code }) => code)
const PAGE = 'https://www.customer.example/live'

test.each([
  [PAGE, 'https://player.example/7', []],
  [PAGE, 'http://player.example/7', ['page-mixed-content']],
  [PAGE, 'http://player.example/7 https://player.example/7', ['page-mixed-content']],
  [PAGE, 'http://127.0.0.1:4000/7', []],
  ['http://intranet.example/', 'http://player.example/7', []],
])('the page %s shows the frame %s, except for %j', (page, player, expected) => {
  expect(codesOn(framed(page), framed(player))).toEqual(expected)
})

test('each frame below a page with https needs https', () => {
  const path = [framed(PAGE), framed('http://middle.example/'), framed('http://player.example/7')]
  expect(codesOn(...path)).toEqual(['page-mixed-content', 'page-mixed-content'])
})

test.each([
  ['DENY', ['page-frame-refused']],
  ['SAMEORIGIN', ['page-frame-refused']],
  ['sameorigin, deny', ['page-frame-refused']],
  ['ALLOW-FROM https://www.customer.example', []],
])('X-Frame-Options: %s of the player', (value, expected) => {
  expect(codesOn(framed(PAGE), framed('https://player.example/7', { 'x-frame-options': value }))).toEqual(expected)
})

test('all ancestors must be in frame-ancestors, and each policy counts', () => {
  const headers = {
    'content-security-policy': 'frame-ancestors https://player.example https://*.customer.example, frame-ancestors *',
  }
  const login = framed('https://login.example/', headers)
  const player = framed('https://player.example/7')
  expect(obstaclesOn([framed(PAGE), player, login])).toEqual([])
  expect(obstaclesOn([framed(PAGE), framed('https://other.example/'), player, login])).toMatchObject([
    { code: 'page-frame-refused', text: expect.stringContaining('allow https://other.example to frame') },
  ])
})

test('a srcdoc has the policy and the origin of its page', () => {
  const page = framed(PAGE, { 'content-security-policy': "frame-src 'self'; frame-ancestors 'none'" })
  const srcdoc = srcdocOf(page, { sandbox: null, allow: '' }, [])
  const login = framed('https://login.example/', {
    'content-security-policy': `frame-ancestors ${new URL(PAGE).origin}`,
  })
  expect(codesOn(page, srcdoc, login)).toEqual(['page-frame-src'])
})

test('each frame with a sandbox is named with the flags that it lacks', () => {
  const player = framed('https://player.example/7', {}, ['allow-scripts', 'allow-forms'])
  expect(obstaclesOn([framed(PAGE), player])).toMatchObject([
    { code: 'page-sandbox', text: expect.stringContaining('without allow-same-origin.') },
  ])
})
