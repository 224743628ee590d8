export type Visitor = ReturnType<typeof openVisitor>

/** A browser without scripts: keeps the cookies of one host. */
export function openVisitor() {
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
  /** Requests one page, without following redirects. A form makes it a POST. */
  const request = (url: string | URL, form?: Record<string, string>) =>
    send(url, { accept: 'text/html' }, form && { method: 'POST', body: new URLSearchParams(form) })
  return {
    request,
    cookie: (name: string) => cookies.get(name),
    /** Requests what a script of a page requests. */
    sendJson: (method: string, url: string, value?: unknown) =>
      send(url, { 'Content-Type': 'application/json' }, { method, body: JSON.stringify(value) ?? null }),
    /** Requests a page and follows redirects. Stops at an address of another origin, and returns it. */
    async follow(start: string | URL, form?: Record<string, string>) {
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
