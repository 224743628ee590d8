import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { parsePlayerAddress } from '../../../../../src/hash-lock/return-address.ts'
import type { DoctorConfig } from '../../../../../src/tools/cli/doctor/feature-check.ts'
import { checkPages } from '../../../../../src/tools/cli/doctor/page/check-page.ts'
import { ENTRY_POINT } from '../../../../login/entry-point.ts'
import { startLoginApp } from '../../../../login/start-login-app.ts'
import { closedAddress, startService } from '../../../video-service/test-service.ts'

const html = (body: string): RequestListener => {
  return (_req, res) => void res.setHeader('content-type', 'text/html; charset=utf-8').end(`<!doctype html>${body}`)
}

/**
 * Starts a player, and a login app with two entry points. The page may be in the origins of the first one only.
 * @param pageOrigins more origins that may frame the first entry point.
 */
async function startPlayer(...pageOrigins: string[]) {
  const player = await startService(html('<title>Player</title>'))
  const playerAddress = parsePlayerAddress(`${player.origin}/pass`)
  const origins = { playerAddress, playerOrigins: [player.origin, ...pageOrigins] }
  const entryPoints = [
    { ...ENTRY_POINT, ...origins },
    { ...ENTRY_POINT, playerAddress, playerOrigins: [player.origin], name: 'gold', basePath: '/e/gold' },
  ]
  const app = await startLoginApp({ publicUrl: 'http://localhost', entryPoints })
  const config = {
    publicUrl: new URL(`http://localhost:${app.port}`),
    entryPoints,
    featureChecks: [],
    answerChecks: [],
  } as unknown as DoctorConfig
  return { config, embed: `<iframe src="${player.origin}/embed"></iframe>` }
}

type Started = Pick<Awaited<ReturnType<typeof startPlayer>>, 'config'>

/** Returns "level code" of each finding about the page. */
async function findingsOf({ config }: Started, page: URL | null, entryPoint: string | undefined = 'default') {
  const findings: string[] = []
  const pages = page === null ? [] : [page]
  for await (const { state, code, text } of checkPages(config, entryPoint, pages, AbortSignal.timeout(10_000))) {
    expect(text).toMatch(/\.$/)
    findings.push(`${state} ${code}`)
  }
  return findings
}

test('without a page, it is unknown if browsers show the sign-in screen', async () => {
  expect(await findingsOf(await startPlayer(), null)).toEqual(['unknown no-page'])
})

test('a page below localhost is this machine, as in browsers', async () => {
  const page = await startService((req, res) => html(embed)(req, res))
  const { port } = page
  const { embed, ...started } = await startPlayer(`http://page.localhost:${port}`)
  expect(await findingsOf(started, new URL(`http://page.localhost:${port}/live`))).toEqual(['ok page'])
})

test('the page of another entry point is found only if the entry point is known', async () => {
  const page = await startService((req, res) => html(embed)(req, res))
  const { embed, ...started } = await startPlayer(page.origin)
  expect(await findingsOf(started, page, 'default')).toEqual(['ok page'])
  expect(await findingsOf(started, page, 'gold')).toEqual(['failure page-origin-missing'])
  const undecided: string[] = []
  for await (const { state, code, entryPoint } of checkPages(
    started.config,
    undefined,
    [page],
    AbortSignal.timeout(9e3),
  ))
    undecided.push(`${state} ${code} ${entryPoint}`)
  expect(undecided).toEqual(['unknown page-origin-missing gold'])
})

test('nothing is proven of a page if the sign-in screen does not answer', async () => {
  const page = await startService((req, res) => html(embed)(req, res))
  const { embed, config } = await startPlayer(page.origin)
  const away = { ...config, publicUrl: await closedAddress() }
  expect(await findingsOf({ config: away }, page)).toEqual([])
})

test('if a script makes the player, its frame is unknown, and the origin of the page is checked', async () => {
  const page = await startService(html('<script src="https://player.example/embed.js"></script>'))
  const started = await startPlayer()
  expect(await findingsOf(started, page)).toEqual(['unknown page-player-not-found', 'failure page-origin-missing'])
  const allowed = await startPlayer(page.origin)
  expect(await findingsOf(allowed, page)).toEqual(['unknown page-player-not-found'])
})

test('the final origin of a page counts', async () => {
  const page = await startService((req, res) => html(embed)(req, res))
  const moved = await startService((_req, res) => res.writeHead(301, { location: page.href }).end())
  const { embed, ...started } = await startPlayer(page.origin)
  expect(await findingsOf(started, moved)).toEqual(['ok page'])
})

test.each<[string, RequestListener]>([
  ['needs a sign-in', (_req, res) => res.writeHead(401).end()],
  ['leads to itself for ever', (req, res) => res.writeHead(302, { location: req.url }).end()],
  ['closes the connection', (req) => req.socket.destroy()],
])('a page that %s is not checked', async (_case, answer) => {
  expect(await findingsOf(await startPlayer(), await startService(answer))).toEqual(['unknown page-not-checked'])
})

test('a sign-in page of another origin is not taken for the page', async () => {
  const signIn = await startService(html('<form></form>'))
  const page = await startService((_req, res) => res.writeHead(302, { location: signIn.href }).end())
  expect(await findingsOf(await startPlayer(), page)).toEqual(['unknown page-not-checked'])
})

test('a page without a listener is not checked, but a player without one still has an origin', async () => {
  const { config } = await startPlayer()
  const closed = await closedAddress()
  expect(await findingsOf({ config }, closed)).toEqual(['unknown page-not-checked'])
  const page = await startService(html(`<iframe src="${closed.origin}/embed"></iframe>`))
  const playerAddress = parsePlayerAddress(`${closed.origin}/pass`)
  const entryPoints = config.entryPoints.map((entryPoint) => ({ ...entryPoint, playerAddress }))
  expect(await findingsOf({ config: { ...config, entryPoints } }, page)).toEqual(['failure page-origin-missing'])
})

test('the page is loaded without cookies, and a long page and many frames are cut', async () => {
  const asked: (string | undefined)[] = []
  const page = await startService((req, res) => {
    asked.push(req.headers.cookie ?? req.headers.authorization)
    res.setHeader('set-cookie', 'a=b').setHeader('content-type', 'text/html')
    if (req.url !== '/') return res.end()
    res.write(Array.from({ length: 100 }, (_, index) => `<iframe src="/${index}"></iframe>`).join(''))
    const more = () => {
      while (res.write('x'.repeat(65_536)));
      res.once('drain', more)
    }
    return more()
  })
  expect(await findingsOf(await startPlayer(page.origin), page)).toEqual(['unknown page-player-not-found'])
  expect(asked).toHaveLength(31)
  expect(new Set(asked)).toEqual(new Set([undefined]))
})

test('frames in a srcdoc and in frames are followed, up to a limit', async () => {
  const page = await startService((req, res) => {
    const deeper = `<iframe srcdoc='<iframe src="/deeper"></iframe>'></iframe>`
    html(req.url === '/' ? `<iframe srcdoc='${embed}'></iframe>${deeper}` : deeper)(req, res)
  })
  const { embed, ...started } = await startPlayer(page.origin)
  expect(await findingsOf(started, page)).toEqual(['ok page'])
})
