import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SECRET, type Service, startService } from './service.ts'

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.close())

/** With http.request(), because fetch() cannot set Host. */
function statusAndLocation(path: string, host: string): Promise<[number | undefined, string | undefined]> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(service.emulator.url + path, { headers: { Host: host } }, (res) => {
      res.resume()
      resolve([res.statusCode, res.headers.location])
    })
    sent.on('error', reject).end()
  })
}

async function settingsOf(path: string): Promise<Record<string, unknown>> {
  const html = await (await service.request(path)).text()
  const escaped = /data-settings="([^"]*)"/.exec(html)?.[1] ?? ''
  const characters: Record<string, string> = { '&#34;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>', '&amp;': '&' }
  return JSON.parse(escaped.replaceAll(/&(#34|#39|lt|gt|amp);/g, (entity) => characters[entity] ?? ''))
}

function policyOf(answer: Response): Map<string, string> {
  const directives = (answer.headers.get('content-security-policy') ?? '').split(/;\s*/)
  return new Map(directives.map((text) => [text.split(' ')[0] ?? '', text.split(' ').slice(1).join(' ')]))
}

describe('pages for viewers', () => {
  test.each([
    ['/embed/1001', 'Town hall'],
    ['/embed/recorded/2001', 'Product launch, the recording'],
    ['/chat/1001', 'Town hall'],
    ['/chat/recorded/2001', 'Product launch, the recording'],
    ['/qna/1001', 'Town hall · Q&amp;A'],
    ['/combined/1001', 'Town hall'],
    ['/combined/recorded/2002', 'Town hall, last month'],
    ['/channel/1001', 'Town hall'],
    ['/video/2001', 'Product launch, the recording'],
  ])('the page %s has a title, and no inline script or style', async (path, title) => {
    const answer = await service.request(path)
    const html = await answer.text()
    expect(answer.status).toBe(200)
    expect(html).toContain('<html lang="en">')
    expect(html).toContain(`<title>${title}`)
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=/)
    expect(html).not.toContain(SECRET)
    expect(policyOf(answer).get('script-src')).toBe("'self'")
    expect(policyOf(answer).get('default-src')).toBe("'none'")
    expect(policyOf(answer).get('base-uri')).toBe("'none'")
  })

  test('the player appends the type and id of the channel or video to the entry point, and keeps its query', async () => {
    const { entryUrl } = await settingsOf('/embed/recorded/2001')
    expect(entryUrl).toBe('http://localhost:9/login?tenant=a%20b&ustreamContentType=recorded&ustreamContentId=2001')
    expect((await settingsOf('/embed/1002')).entryUrl).toBeNull()
  })

  test.each([
    ['/chat/1001', '/chat/authorize/1001?resource=%2Fchat%2F1001'],
    ['/chat/recorded/2002', '/chat/authorize/recorded/2002?resource=%2Fchat%2Frecorded%2F2002'],
    ['/qna/1001', '/chat/authorize/1001?resource=%2Fqna%2F1001'],
    ['/combined/1001', '/chat/authorize/1001?resource=%2Fcombined%2F1001'],
  ])('the page %s calls the entry point with its return address as hashConsumer', async (path, consumer) => {
    const entryUrl = new URL(String((await settingsOf(path)).entryUrl))
    expect(entryUrl.searchParams.get('hashConsumer')).toBe(service.emulator.url + consumer)
    expect(entryUrl.searchParams.get('tenant')).toBe('a b')
  })

  test('the player may frame only its entry point, and any page may frame the player', async () => {
    const policy = policyOf(await service.request('/embed/1001'))
    expect(policy.get('frame-src')).toBe("'self' http://localhost:9")
    expect(policy.get('media-src')).toBe("'self'")
    expect(policy.has('frame-ancestors')).toBe(false)
    expect(policyOf(await service.request('/embed/1002')).get('frame-src')).toBe("'self'")
  })

  test('the customer’s page may frame only the player, and no page may frame it', async () => {
    const policy = policyOf(await service.request('/channel/1001'))
    expect(policy.get('frame-src')).toBe(`'self' ${service.emulator.url}`)
    expect(policy.get('frame-ancestors')).toBe("'none'")
  })

  test('with EMULATOR_LOCAL_NETWORK=on, the customer’s page lets the player ask for local networks', async () => {
    const allowed = async ({ request }: Service) =>
      /<iframe [^>]*allow="([^"]*)"/.exec(await (await request('/channel/1001')).text())?.[1]
    expect(await allowed(service)).toBe('autoplay; fullscreen')
    const delegating = await startService({ delegatesLocalNetwork: true })
    expect(await allowed(delegating).finally(() => delegating.close())).toBe(
      'autoplay; fullscreen; local-network-access; local-network; loopback-network',
    )
  })

  test('the return page sends no referrer and is not cached', async () => {
    const answer = await service.request('/embed/hashlock/pass?hash=%5B%5D')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test.each([['/chat/1001'], ['/qna/1001'], ['/chat/recorded/2001'], ['/combined/1001'], ['/chat/1001?theme=dark']])(
    'the chat returns to %s',
    async (resource) => {
      const answer = await service.request(`/chat/authorize/1001?resource=${encodeURIComponent(resource)}`)
      expect(answer.status).toBe(200)
      expect(await answer.text()).toContain(`data-resource="${resource}"`)
    },
  )

  test.each([
    ['https://evil.example/'],
    ['//evil.example/chat/1001'],
    ['/\\evil.example'],
    ['/\t/evil.example'],
    ['javascript:alert(1)'],
    ['/chat/../emulator/reset'],
    ['/chat/1001/../../embed/1001'],
    ['/channel/1001'],
    ['chat/1001'],
    [''],
    [`/chat/1001?${'x'.repeat(3000)}`],
  ])('the chat does not return to %s', async (resource) => {
    const answer = await service.request(`/chat/authorize/1001?resource=${encodeURIComponent(resource)}`)
    expect(answer.status).toBe(400)
    expect(await answer.text()).not.toContain('data-resource')
  })

  test('the player gets the message, caption and sizes of a lock, escaped', async () => {
    const set = service.database.prepare(
      `UPDATE locks SET message = ?, button_caption = ?, popup_width = ?, popup_height = ? WHERE content_type = 'recorded'`,
    )
    set.run('Members <only>', 'Enter "here"', '480', '320px')
    const html = await (await service.request('/embed/recorded/2001')).text()
    expect(html).toContain('Enter &#34;here&#34;</button>')
    expect(await settingsOf('/embed/recorded/2001')).toMatchObject({
      texts: { locked: 'Members <only>' },
      popupWidth: 480,
      popupHeight: 320,
    })
    set.run(null, null, 'wide', '0')
    expect(await settingsOf('/embed/recorded/2001')).toMatchObject({ popupWidth: null, popupHeight: null })
  })

  test.each([
    '/embed/9',
    '/embed/recorded/9',
    '/chat/9',
    '/combined/0',
    '/channel/x',
    '/video/-1',
    '/chat/authorize/9',
    '/nowhere',
  ])('a browser gets a 404 page with a way home at %s', async (path) => {
    const answer = await service.request(path, { headers: { Accept: 'text/html,*/*;q=0.8' } })
    expect(answer.status).toBe(404)
    const page = await answer.text()
    expect(page).toMatch(/<h1>[^<]+<\/h1>/)
    expect(page).toContain(`<a href="${service.emulator.url}/"`)
  })

  test('the home page starts with the page of a locked channel', async () => {
    const page = await (await service.request('/')).text()
    const [start = ''] = /<section class="wide start".*?<\/section>/s.exec(page) ?? []
    expect(start).toContain(`http://page.localhost:${service.emulator.port}/channel/1001"`)
  })

  test('a player under another name of this machine redirects to its own address', async () => {
    const { url, port } = service.emulator
    expect(await statusAndLocation('/embed/1001?x=1', `localhost:${port}`)).toEqual([307, `${url}/embed/1001?x=1`])
    expect(await statusAndLocation('/channel/1001', `page.localhost:${port}`)).toEqual([200, undefined])
  })
})
