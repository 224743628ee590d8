export interface Visitor {
  /** Requests one page, without following redirects. A form makes it a POST. */
  request(url: string | URL, form?: Record<string, string>): Promise<Response>
  /** Requests a page and follows redirects. Stops at an address of another origin, and returns it. */
  follow(url: string | URL, form?: Record<string, string>): Promise<{ response: Response; url: URL }>
  /** Requests what a script of a page requests. */
  sendJson(method: string, url: string, value?: unknown): Promise<Response>
  cookie(name: string): string | undefined
}

/** A browser without scripts: keeps the cookies of one host. */
export function openVisitor(): Visitor {
  const cookies = new Map<string, string>()
  async function send(url: string | URL, headers: Record<string, string>, init: RequestInit = {}): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...headers, cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const request: Visitor['request'] = (url, form) =>
    send(url, { accept: 'text/html' }, form && { method: 'POST', body: new URLSearchParams(form) })
  return {
    request,
    cookie: (name) => cookies.get(name),
    sendJson: (method, url, value) =>
      send(url, { 'Content-Type': 'application/json' }, { method, body: JSON.stringify(value) ?? null }),
    async follow(start, form) {
      let url = new URL(start)
      let response = await request(url, form)
      for (;;) {
        const location = response.headers.get('location')
        if (location === null) return { response, url }
        await response.body?.cancel()
        const next = new URL(location, url)
        if (next.origin !== url.origin) return { response, url: next }
        url = next
        response = await request(url)
      }
    },
  }
}
