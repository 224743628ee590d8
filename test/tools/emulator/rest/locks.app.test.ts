import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { roomAppForFile } from '../oauth/room-app.ts'
import { CLIENT_CREDENTIALS_GRANT, tokenFrom } from '../oauth/token-client.ts'
import { call, type RestRequest } from './rest-client.ts'

const SETTINGS = { url: 'https://login.example/entry?a=1&b=2', secret: 'correct horse battery staple' }
const CHANNEL = '/channels/1001/locks/hash'
const VIDEO = '/videos/2001/locks/hash.json'

const app = roomAppForFile()
let token: string

beforeAll(async () => {
  token = await tokenFrom(app, CLIENT_CREDENTIALS_GRANT)
})
beforeEach(() => {
  app.database.exec('DELETE FROM locks')
})

function set(path: string, request: RestRequest = { form: SETTINGS }) {
  return call(app, 'PUT', path, { token, ...request })
}
function read(path: string) {
  return call(app, 'GET', path, { token })
}
function remove(path: string) {
  return call(app, 'DELETE', path, { token })
}

describe('Channel level', () => {
  test.each(['json', 'xml'])(
    'a channel PUT (%s) gets 201 for a new lock and 204 for a replaced lock',
    async (format) => {
      const first = await set(`${CHANNEL}/advanced.${format}`)
      const second = await set(`${CHANNEL}/advanced.${format}`, {
        form: { ...SETTINGS, url: 'https://other.example/' },
      })
      expect([first.status, second.status, second.text]).toEqual([201, 204, ''])
      expect((await read(`${CHANNEL}.json`)).json).toMatchObject({ hashlock: { url: 'https://other.example/' } })
    },
  )

  test('a channel GET returns type, url, message, button_caption and both sizes under "hashlock"', async () => {
    await set(`${CHANNEL}/advanced.json`)
    const { status, json } = await read(`${CHANNEL}.json`)
    expect(status).toBe(200)
    expect(json).toEqual({
      hashlock: {
        type: 'advanced',
        url: SETTINGS.url,
        message: null,
        button_caption: null,
        popup_width: '640',
        popup_height: '480',
      },
    })
  })

  test('a channel GET never returns the secret', async () => {
    await set(`${CHANNEL}/advanced.json`)
    expect((await read(`${CHANNEL}.json`)).text + (await read(`${CHANNEL}.xml`)).text).not.toContain(SETTINGS.secret)
  })

  test('a channel GET in XML has the root hashlock, and an empty element for null', async () => {
    await set(`${CHANNEL}/advanced.xml`)
    const { headers, text, xml } = await read(`${CHANNEL}.xml`)
    expect(headers.get('content-type')).toBe('application/xml; charset=utf-8')
    expect(text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<hashlock>/)
    expect(text).toContain('<message/>')
    expect(xml).toMatchObject({ hashlock: { type: 'advanced', message: '', popup_width: '640' } })
  })

  test('a channel PUT sets message, button_caption and both sizes, and a PUT without them resets them', async () => {
    const all = { message: 'For staff', button_caption: 'Log in', popup_width: '0', popup_height: '300px' }
    await set(`${CHANNEL}/advanced.json`, { form: { ...SETTINGS, ...all } })
    expect((await read(`${CHANNEL}.json`)).json).toEqual({ hashlock: { type: 'advanced', url: SETTINGS.url, ...all } })
    await set(`${CHANNEL}/advanced.json`)
    expect((await read(`${CHANNEL}.json`)).json).toMatchObject({ hashlock: { message: null, popup_width: '640' } })
  })

  test('XML escapes markup in a message', async () => {
    const message = `</hashlock><!-- ]]> <![CDATA[ &amp; &#0; <?x ?> "'`
    await set(`${CHANNEL}/advanced.xml`, { form: { ...SETTINGS, message } })
    const { text } = await read(`${CHANNEL}.xml`)
    // Written by Python: xml.sax.saxutils.escape(message, {'"': '&quot;', "'": '&apos;'}).
    const escaped = '&lt;/hashlock&gt;&lt;!-- ]]&gt; &lt;![CDATA[ &amp;amp; &amp;#0; &lt;?x ?&gt; &quot;&apos;'
    expect(text).toContain(`<message>${escaped}</message>`)
    expect(text).toContain('<url>https://login.example/entry?a=1&amp;b=2</url>')
  })

  test.each(['json', 'xml'])('a channel DELETE (%s) gets 200, and a GET after it 404', async (format) => {
    await set(`${CHANNEL}/advanced.json`)
    expect((await remove(`${CHANNEL}.${format}`)).status).toBe(200)
    expect((await read(`${CHANNEL}.${format}`)).status).toBe(404)
    expect((await remove(`${CHANNEL}.${format}`)).status).toBe(404)
  })

  test('of ten parallel channel PUTs, exactly one gets 201', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => set(`${CHANNEL}/advanced.json`)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(9)
  })
})

describe('Video level', () => {
  test('a video GET returns url and secret under "hashlock"', async () => {
    await set(VIDEO)
    const { status, json } = await read(VIDEO)
    expect([status, json]).toEqual([200, { hashlock: SETTINGS }])
  })

  test('a video DELETE gets 204, and a GET after it not_found', async () => {
    await set(VIDEO)
    expect((await remove(VIDEO)).status).toBe(204)
    expect((await read(VIDEO)).json).toMatchObject({ error: 'not_found' })
  })
})
