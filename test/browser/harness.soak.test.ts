import { readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BrowserKind, type LaunchedBrowser, launchBrowser } from './launch.ts'
import { press, pressKey, type } from './press-and-type.ts'
import { launchWebKit } from './webkit.ts'

/**
 * Tests the assumptions of the other browser tests: these browsers block what the browsers of viewers block, and every
 * fault is reported as a complaint.
 */

interface Received {
  readonly url: string
  readonly cookies: readonly string[]
  readonly headers: IncomingMessage['headers']
}

let server: Server
let port: number
let received: Received[] = []

beforeAll(async () => {
  server = createServer(answer)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  port = (server.address() as AddressInfo).port
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => {
    server.close(resolve)
  })
})

beforeEach(() => {
  received = []
})

const PAGES: Record<string, string> = {
  '/plain': '<!doctype html><title>plain</title><link rel="icon" href="data:,"><p>Nothing is wrong here.',
  '/form': '<!doctype html><title>form</title><form method="post" action="/post"><button>Go</button></form>',
  '/free-form': '<!doctype html><title>form</title><form method="post" action="/post"><button>Go</button></form>',
  '/arrived': '<!doctype html><title>arrived</title>',
  '/exception': '<!doctype html><title>exception</title><script>missing()</script>',
  '/rejection': '<!doctype html><title>rejection</title><script>Promise.reject(new Error("in vain"))</script>',
  '/inline': '<!doctype html><title>inline</title><script>1</script>',
  '/scripted':
    '<!doctype html><title>scripted</title><form action="/arrived"><input name="name"><input type="checkbox" name="tick"><details><summary>More</summary><button>Go</button></details></form><script>document.querySelector("input").value = "from a script"</script>',
  // Leaves while a key is pressed: the page is busy until the answer is there, and again while it goes away.
  '/leaving':
    '<!doctype html><title>leaving</title><button>Go</button><script>const block = () => { for (const end = Date.now() + 500; Date.now() < end; ); }; addEventListener("focusin", () => { location = "/arrived" }); onkeydown = onpagehide = block</script>',
  '/shut': '<!doctype html><title>shut</title>',
  '/dark':
    '<!doctype html><title>dark</title><style>@media (prefers-color-scheme: dark) { p { color: red } }</style><p>',
}

const POLICIES: Record<string, string> = {
  '/form': "form-action 'self'",
  '/inline': "script-src 'self'",
  '/shut': "frame-ancestors 'self'",
}

function answer(req: IncomingMessage, res: ServerResponse): void {
  const { pathname, searchParams } = new URL(req.url ?? '/', `http://${req.headers.host}`)
  received.push({ url: pathname, cookies: req.headers.cookie?.split('; ') ?? [], headers: req.headers })
  if (req.method === 'POST') {
    res.writeHead(303, { location: top('/arrived') }).end()
    return
  }
  const framed = searchParams.get('frame')
  const policy = POLICIES[pathname]
  const frame = framed === null ? '' : `<iframe src="http://127.0.0.1:${port}${framed}"></iframe>`
  res.setHeader('Content-Type', 'text/html')
  if (policy !== undefined) res.setHeader('Content-Security-Policy', policy)
  if (searchParams.has('bake')) {
    res.setHeader('Set-Cookie', [
      'unpartitioned=1; SameSite=None; Secure',
      'partitioned=1; SameSite=None; Secure; Partitioned',
      'lax=1; SameSite=Lax',
    ])
  }
  res.end((PAGES[pathname] ?? '') + frame)
}

function cookiesOf(url: string): readonly string[] {
  return [...(received.findLast((request) => request.url === url)?.cookies ?? [])].sort()
}

const top = (path: string): string => `http://localhost:${port}${path}`
const other = (path: string): string => `http://127.0.0.1:${port}${path}`

interface Expected {
  kind: BrowserKind
  ownPage: string[]
  framedAfterFramed: string[]
}

describe.each<Expected>([
  { kind: 'chromium', ownPage: ['lax=1', 'partitioned=1', 'unpartitioned=1'], framedAfterFramed: ['partitioned=1'] },
  { kind: 'chromium-no-cookies', ownPage: [], framedAfterFramed: [] },
  {
    kind: 'firefox',
    ownPage: ['lax=1', 'partitioned=1', 'unpartitioned=1'],
    framedAfterFramed: ['partitioned=1', 'unpartitioned=1'],
  },
  { kind: 'firefox-no-cookies', ownPage: [], framedAfterFramed: [] },
])('$kind', ({ kind, ownPage, framedAfterFramed }) => {
  let launched: LaunchedBrowser

  beforeAll(async () => {
    launched = await launchBrowser(kind)
  })

  afterAll(() => launched.close())

  test(`a frame of another site gets back only the cookies that ${kind} keeps for it`, async () => {
    const { page, waitForFrame } = await launched.openPage()
    await page.goto(top(`/plain?frame=${encodeURIComponent('/plain?bake')}`))
    const frame = await waitForFrame(other('/plain?bake'))
    await frame.goto(other('/form'))
    expect(cookiesOf('/form')).toEqual(framedAfterFramed)
    await page.close()
  })

  test(`a page that is not framed gets back its cookies in ${kind}, unless all are blocked`, async () => {
    const { page } = await launched.openPage()
    await page.goto(other('/plain?bake'))
    await page.goto(other('/form'))
    expect(cookiesOf('/form')).toEqual(ownPage)
    await page.close()
  })

  test(`data of a site's own page does not reach its frames in another site in ${kind}`, async () => {
    const { page, waitForFrame } = await launched.openPage()
    await page.goto(other('/plain?bake'))
    await page.goto(`http://page.localhost:${port}/plain?frame=/form`)
    await waitForFrame(other('/form'))
    await expect.poll(() => received.some(({ url }) => url === '/form')).toBe(true)
    expect(cookiesOf('/form')).toEqual([])
    await page.close()
  })

  test(`the post of a framed form has Sec-Fetch-Site same-origin and its own Origin in ${kind}`, async () => {
    const { page, waitForFrame } = await launched.openPage()
    await page.goto(top('/plain?frame=/free-form'))
    const frame = await waitForFrame(other('/free-form'))
    await press(frame, 'button')
    await waitForFrame(top('/arrived'))
    const post = received.find(({ url }) => url === '/post')
    expect(post?.headers).toMatchObject({ 'sec-fetch-site': 'same-origin', origin: other('') })
    await page.close()
  })

  test(`page.localhost is this machine in ${kind}`, async () => {
    const { page, complaints } = await launched.openPage()
    const response = await page.goto(`http://page.localhost:${port}/plain`)
    expect(response?.status()).toBe(200)
    expect(complaints).toEqual([])
    await page.close()
  })

  test(`a page without faults causes no complaint in ${kind}`, async () => {
    const { page, complaints, waitForFrame } = await launched.openPage()
    await page.goto(top('/plain?frame=/plain'))
    await waitForFrame(other('/plain'))
    expect(complaints).toEqual([])
    await page.close()
  })

  test.each([
    ['an uncaught exception', '/exception', 'missing'],
    ['an unhandled rejection', '/rejection', 'in vain'],
    ['a blocked inline script', '/inline', 'script-src'],
    ['a page that cannot be framed', '/shut', 'frame-ancestors'],
  ])(`%s in a frame of another site is a complaint in ${kind}`, async (_what, path, text) => {
    const { page, waitForComplaint } = await launched.openPage()
    await page.goto(top(`/plain?frame=${path}`))
    await waitForComplaint(text)
    await page.close()
  })

  test(`the error for a missing frame names the existing frames in ${kind}`, async () => {
    const { page, waitForFrame } = await launched.openPage()
    await page.goto(top('/plain'))
    await expect(waitForFrame(other('/nowhere'), 50)).rejects.toThrow(top('/plain'))
    await page.close()
  })
})

async function postInFrame(launched: LaunchedBrowser) {
  const opened = await launched.openPage()
  await opened.page.goto(top('/plain?frame=/form'))
  const frame = await opened.waitForFrame(other('/form'))
  await press(frame, 'button')
  return { ...opened, frame }
}

test.each(['chromium-no-scripts', 'firefox-no-scripts'] as const)(
  'a frame in %s runs no script, and takes keys',
  async (kind) => {
    const launched = await launchBrowser(kind)
    try {
      const { page, waitForFrame } = await launched.openPage()
      await page.goto(top('/plain?frame=/scripted'))
      const frame = await waitForFrame(other('/scripted'))
      expect(await frame.$eval('[name="name"]', (field) => (field as unknown as { value: string }).value)).toBe('')
      await type(frame, '[name="name"]', 'Ada')
      await pressKey(frame, '[name="tick"]', ' ')
      await pressKey(frame, 'summary')
      await pressKey(frame, 'button')
      await waitForFrame(other('/arrived?name=Ada&tick=on'))
    } finally {
      await launched.close()
    }
  },
)

test('pressKey() returns when the page goes away before Chromium confirms the key', async () => {
  const launched = await launchBrowser('chromium')
  try {
    const { page, waitForFrame } = await launched.openPage()
    await page.goto(top('/plain?frame=/leaving'))
    await pressKey(await waitForFrame(other('/leaving')), 'button')
    await waitForFrame(other('/arrived'))
  } finally {
    await launched.close()
  }
})

test('Chromium blocks a redirect to an origin that form-action does not list, and names the directive', async () => {
  const launched = await launchBrowser('chromium')
  try {
    const { frame, waitForComplaint } = await postInFrame(launched)
    await waitForComplaint(`form-action of ${other('/form')}`)
    expect(frame.url()).toBe(other('/form'))
    expect(received.map(({ url }) => url)).toContain('/post')
  } finally {
    await launched.close()
  }
})

test('Firefox follows a redirect to an origin that form-action does not list', async () => {
  const launched = await launchBrowser('firefox')
  try {
    const { waitForFrame, complaints } = await postInFrame(launched)
    await waitForFrame(top('/arrived'))
    expect(complaints).toEqual([])
  } finally {
    await launched.close()
  }
})

test('a photograph has the requested size and colour scheme', async () => {
  const launched = await launchBrowser('chromium')
  const file = join(tmpdir(), `photograph-${process.pid}.png`) as `${string}.png`
  try {
    const { page, photograph } = await launched.openPage()
    await page.goto(top('/dark'))
    for (const [width, height] of [
      [320, 180],
      [480, 270],
      [1280, 720],
    ] as const) {
      await photograph(file, { width, height, colorScheme: 'dark' })
      const png = await readFile(file)
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([width, height])
    }
    expect(await page.evaluate("getComputedStyle(document.querySelector('p')).color")).toBe('rgb(255, 0, 0)')
  } finally {
    await rm(file, { force: true })
    await launched.close()
  }
})

test('WebKit shows dark colours where asked, and takes a photograph', async () => {
  const webkit = await launchWebKit('webkit-dark')
  const file = join(tmpdir(), `webkit-${process.pid}.png`) as `${string}.png`
  try {
    await webkit.open(top('/dark'))
    expect(await webkit.evaluate("getComputedStyle(document.querySelector('p')).color")).toBe('rgb(255, 0, 0)')
    await webkit.photograph(file)
    const png = await readFile(file)
    expect(png.toString('latin1', 1, 4)).toBe('PNG')
  } finally {
    await rm(file, { force: true })
    await webkit.close()
  }
})
