import { expect, test } from 'vitest'
import { openBrowser } from '../../../../src/tools/cli/drill/crowd/browser.ts'
import { startService } from '../../video-service/test-service.ts'

/** Opens a path in the browser of a viewer. Each path of the app has these headers, and its own name as the reason. */
async function opened(path: string, pages: Readonly<Record<string, Readonly<Record<string, string>>>>) {
  const { origin } = await startService((req, res) => {
    const headers = pages[req.url ?? ''] ?? {}
    res.writeHead('location' in headers ? 303 : 200, headers)
    res.end(`<meta name="reason" content="${req.url?.slice(1)}">`)
  })
  const browser = openBrowser(origin)
  try {
    return await browser.open(path, false)
  } finally {
    browser.close()
  }
}

test('a viewer follows a redirect within the app, and no redirect to the player', async () => {
  expect(await opened('/', { '/': { location: '/wait' }, '/wait': {} })).toMatchObject({ status: 200, reason: 'wait' })
  for (const location of ['https://player.example/?hash=%5B%5D', '/player?hash=false', 'https://other.example/']) {
    expect(await opened('/', { '/': { location } })).toMatchObject({ status: 303, location })
  }
})

test('a viewer gives up an app that redirects in a circle', async () => {
  expect(await opened('/', { '/': { location: '/' } })).toMatchObject({ status: 303 })
})

test.each([
  ['25; url=/wait?pass=x', { path: '/wait?pass=x', afterMs: 25_000 }],
  ['5;URL=/wait', { path: '/wait', afterMs: 5_000 }],
  ['0; url=https://evil.example/', undefined],
  ['soon', undefined],
])('a page with Refresh: %s loads again within the app only', async (refresh, expected) => {
  expect((await opened('/', { '/': { refresh } })).refresh).toEqual(expected)
})
