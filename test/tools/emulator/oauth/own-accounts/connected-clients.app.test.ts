import { beforeEach, describe, expect, test } from 'vitest'
import en from '../../../../../src/tools/emulator/oauth/texts/en.json' with { type: 'json' }
import { roomAppForFile } from '../room-app.ts'
import { NEWSROOM, STUDIO_CLIENT } from '../room-database.ts'
import { askForToken, CLIENT_CREDENTIALS_GRANT, PASSWORD_GRANT, tokenFrom } from '../token-client.ts'
import { openVisitor, QUERY, signIn, type Visitor } from '../visitor.ts'

const app = roomAppForFile()
let visitor: Visitor

beforeEach(() => {
  visitor = openVisitor(app.url)
})

describe('Connected clients', () => {
  const reach = async (token: string) =>
    (await fetch(`${app.url}/users/self/channels.json`, { headers: { authorization: `Bearer ${token}` } })).status

  test('the list of connected clients needs a sign-in', async () => {
    expect((await visitor.get('/account/clients')).location).toBe('/account/sign-in')
  })

  test('a client appears once per device, and revoking it there revokes all its tokens of that device', async () => {
    await signIn(visitor)
    const phone = [0, 1].map(() => tokenFrom(app, { ...PASSWORD_GRANT, device_name: 'Phone of Ada' }))
    const tokens = [...(await Promise.all(phone)), await tokenFrom(app, { ...PASSWORD_GRANT, device_name: 'Desk' })]
    const page = await visitor.get('/account/clients')
    expect(page.html.match(/Phone of Ada<\/bdi>/g)).toHaveLength(1)
    const fields = { client_id: STUDIO_CLIENT.clientId, device_name: 'Phone of Ada', own_server: '0' }
    const answer = await visitor.post('/account/clients/revoke', fields)
    expect(answer.location).toBe('/account/clients?revoked=1')
    expect(await Promise.all(tokens.map(reach))).toEqual([401, 401, 200])
    const after = await visitor.get(answer.location ?? '')
    expect(after.html).not.toContain('Phone of Ada</bdi>')
    expect(after.html).toContain('role="status"')
  })

  test('the user’s own server is a connected client with its own tokens', async () => {
    await signIn(visitor)
    const own = await tokenFrom(app, CLIENT_CREDENTIALS_GRANT)
    const granted = await tokenFrom(app, PASSWORD_GRANT)
    expect((await visitor.get('/account/clients')).html).toContain(en.ownServer)
    await visitor.post('/account/clients/revoke', { client_id: STUDIO_CLIENT.clientId, own_server: '1' })
    expect([await reach(own), await reach(granted)]).toEqual([401, 200])
  })

  test('revoking a client also revokes its unused code', async () => {
    await signIn(visitor)
    const asked = await visitor.get(`/authorize?${QUERY}&device_name=Laptop`)
    const answer = await visitor.submit(asked, { decision: 'allow' })
    await visitor.post('/account/clients/revoke', {
      client_id: STUDIO_CLIENT.clientId,
      device_name: 'Laptop',
      own_server: '0',
    })
    const { body } = await askForToken(app, {
      grant_type: 'authorization_code',
      client_id: STUDIO_CLIENT.clientId,
      code: new URL(answer.location ?? '').searchParams.get('code') ?? '',
      redirect_uri: 'http://127.0.0.1:5000/callback',
    })
    expect(body.error).toBe('invalid_grant')
  })

  test('a user cannot revoke the access that another user allowed', async () => {
    await signIn(visitor, NEWSROOM)
    const token = await tokenFrom(app, PASSWORD_GRANT)
    await visitor.post('/account/clients/revoke', { client_id: STUDIO_CLIENT.clientId, own_server: '0' })
    expect(await reach(token)).toBe(200)
  })

  test('a page of another site cannot revoke access', async () => {
    await signIn(visitor)
    const token = await tokenFrom(app, PASSWORD_GRANT)
    const headers = { 'sec-fetch-site': 'cross-site' }
    const fields = { client_id: STUDIO_CLIENT.clientId, own_server: '0' }
    expect((await visitor.post('/account/clients/revoke', fields, headers)).status).toBe(403)
    expect(await reach(token)).toBe(200)
  })

  test.each([
    ['/account/clients', 'POST', 'GET, HEAD'],
    ['/account/clients/revoke', 'GET', 'POST'],
    ['/account/sign-in', 'DELETE', 'GET, HEAD, POST'],
    ['/account/sign-out', 'GET', 'POST'],
    ['/account/sign-up', 'PUT', 'GET, HEAD, POST'],
    ['/account/forgot', 'PUT', 'GET, HEAD, POST'],
  ])('%s answers %s with 405 and Allow: %s', async (path, method, allow) => {
    const response = await fetch(app.url + path, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
  })
})
