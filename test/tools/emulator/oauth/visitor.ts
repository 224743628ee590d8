import { expect } from 'vitest'

export type Visitor = ReturnType<typeof openVisitor>

export interface Page {
  readonly status: number
  readonly headers: Headers
  readonly html: string
  /** The header Location. */
  readonly location: string | null
  /** Text of the element with role="alert". */
  readonly alert: string | null
}

/** A simple browser: keeps cookies and submits forms with hidden fields, but follows no redirect. */
export function openVisitor(url: string) {
  const cookies = new Map<string, string>()

  async function send(path: string, init: RequestInit): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url + path, {
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
      alert: alert === null ? null : unescapeHtml(alert),
    }
  }

  const visitor = {
    get: (path: string, headers: Record<string, string> = {}) => send(path, { headers }),
    post: (path: string, fields: Record<string, string> | string, headers: Record<string, string> = {}) =>
      send(path, {
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
