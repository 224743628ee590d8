import { expect } from 'vitest'
import { STUDIO, STUDIO_CLIENT } from './room-database.ts'

const REQUEST = { response_type: 'code', client_id: STUDIO_CLIENT.clientId }
/** The query of an authorization request of the client of the studio. */
export const QUERY = new URLSearchParams({ ...REQUEST, redirect_uri: 'http://127.0.0.1:5000/callback' }).toString()
export const SPANISH_QUERY = `${QUERY}&lang=es_MX`

export type Visitor = ReturnType<typeof openVisitor>

export type Page = Awaited<ReturnType<typeof send>>

/** A simple browser: keeps cookies and submits forms with hidden fields, but follows no redirect. */
export function openVisitor(url: string) {
  const cookies = new Map<string, string>()
  const visitor = {
    get: (path: string, headers: Record<string, string> = {}) => send(url + path, cookies, { headers }),
    post: (path: string, fields: Record<string, string> | string, headers: Record<string, string> = {}) =>
      send(url + path, cookies, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
      }),
    /** Fills in and submits the first form of a page, with its hidden fields. */
    submit(page: Page, fields: Record<string, string>): Promise<Page> {
      const form = /<form method="post" action="([^"]+)"[^>]*>(.*?)<\/form>/s.exec(page.html)
      expect(form, 'the page holds a form').not.toBeNull()
      return visitor.post(unescapeHtml(form?.[1] ?? ''), { ...hiddenFields(form?.[2] ?? ''), ...fields })
    },
    cookie: () => [...cookies.values()][0],
  }
  return visitor
}

export function signIn(
  visitor: Visitor,
  { username, password }: Pick<typeof STUDIO, 'username' | 'password'> = STUDIO,
) {
  return visitor.post('/account/sign-in', { username, password })
}

async function send(url: string, cookies: Map<string, string>, init: RequestInit) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(url, {
    redirect: 'manual',
    ...init,
    headers: { ...(cookie === '' ? {} : { cookie }), ...init.headers },
  })
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    cookies.set(name, value)
  }
  const html = await response.text()
  const alert = /role="alert"[^>]*>([^<]*)</.exec(html)?.[1] ?? null
  return {
    status: response.status,
    headers: response.headers,
    html,
    location: response.headers.get('location'),
    /** Text of the element with role="alert". */
    alert: alert === null ? null : unescapeHtml(alert),
  }
}

export async function isSignedIn(visitor: Visitor): Promise<boolean> {
  return (await visitor.get('/account/clients')).status === 200
}

export function hiddenFields(html: string): Record<string, string> {
  const hidden = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)
  return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, unescapeHtml(value)]))
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
