/** One Content-Security-Policy: the sources of each directive. */
export type Policy = ReadonlyMap<string, readonly string[]>

/** Directives that a policy in a `<meta>` cannot have. */
const HEADER_ONLY = ['frame-ancestors', 'sandbox', 'report-uri']
const HOST_SOURCE = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[^:/*]+)(?::(\d+|\*))?(\/.*)?$/i
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/** Parses the value of a header, which may contain several policies. If a directive is repeated, the first one counts. */
export function parsePolicies(header: string | null): Policy[] {
  return (header ?? '')
    .split(',')
    .map((policy) => {
      const directives = policy.split(';').map((directive) => directive.trim().split(/\s+/))
      const named = directives.filter(([name]) => name !== '')
      return new Map(named.map(([name = '', ...sources]) => [name.toLowerCase(), sources] as const).reverse())
    })
    .filter((policy) => policy.size > 0)
}

/** Parses the policies of the `<meta>` elements of a page. */
export function parseMetaPolicies(contents: readonly string[]): Policy[] {
  return contents
    .flatMap(parsePolicies)
    .map((policy) => new Map([...policy].filter(([name]) => !HEADER_ONLY.includes(name))))
}

/**
 * Returns the first address that the policies of a page do not let into a frame, or null.
 * @param addresses the address of the frame, and those that it redirects to. Browsers check each of them.
 * @param self the address of the page.
 */
export function refusedInFrame(policies: readonly Policy[], addresses: readonly URL[], self: URL): URL | null {
  const lists = policies.map(
    (policy) => policy.get('frame-src') ?? policy.get('child-src') ?? policy.get('default-src'),
  )
  const allows = (list: readonly string[] | undefined, address: URL, isRedirected: boolean) =>
    list === undefined || list.some((source) => matches(source, address, self, isRedirected))
  return addresses.find((address, index) => !lists.every((list) => allows(list, address, index > 0))) ?? null
}

/** Returns the `frame-ancestors` of each policy that has them. */
export function ancestorLists(policies: readonly Policy[]): (readonly string[])[] {
  return policies.map((policy) => policy.get('frame-ancestors')).filter((list) => list !== undefined)
}

/** True if a source of a directive allows the address (Content Security Policy Level 3, section 6.7.2). */
export function matches(source: string, address: URL, self: URL, isRedirected = false): boolean {
  if (source === '*') return /^https?:$/.test(address.protocol) || address.protocol === self.protocol
  if (source.toLowerCase() === "'self'") return address.origin === self.origin || isSecureSelf(address, self)
  if (/^[a-z][a-z0-9+.-]*:$/i.test(source)) return schemeMatches(source.toLowerCase(), address)
  const [, scheme, host = '', port, path] = HOST_SOURCE.exec(source) ?? []
  return (
    host !== '' &&
    !source.startsWith("'") &&
    schemeMatches(scheme === undefined ? self.protocol : `${scheme.toLowerCase()}:`, address) &&
    hostMatches(host.toLowerCase(), address.hostname) &&
    portMatches(port, address) &&
    // Not after a redirect, so that a policy cannot find out where the redirect leads.
    (isRedirected || pathMatches(path, address.pathname))
  )
}

/** `'self'` of an http page also allows https at the default port. */
function isSecureSelf(address: URL, self: URL): boolean {
  return address.hostname === self.hostname && schemeMatches(self.protocol, address) && address.port + self.port === ''
}

function schemeMatches(allowed: string, { protocol }: URL): boolean {
  return allowed === protocol || (allowed === 'http:' && protocol === 'https:')
}

function hostMatches(allowed: string, host: string): boolean {
  return allowed === '*' || (allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : allowed === host)
}

function portMatches(allowed: string | undefined, { port, protocol }: URL): boolean {
  if (allowed === undefined) return port === ''
  const used = port || DEFAULT_PORTS[protocol]
  return allowed === '*' || allowed === used || (allowed === '80' && used === '443')
}

function pathMatches(allowed: string | undefined, path: string): boolean {
  if (allowed === undefined) return true
  return allowed.endsWith('/') ? path.startsWith(allowed) : path === allowed
}

/**
 * Returns the sources that a directive of the Content-Security-Policy does not allow. Browsers apply every policy that
 * has the directive. Without such a policy, no source counts as allowed, because the app always sends the directive.
 */
export function notAllowed(headers: Headers, directive: string, sources: readonly string[]): string[] {
  const policies = parsePolicies(headers.get('content-security-policy'))
  const lists = policies.map((policy) => policy.get(directive)).filter((list) => list !== undefined)
  return sources.filter((source) => lists.length === 0 || !lists.every((list) => list.includes(source)))
}

/** True if one of the policies has the directive. */
export function hasDirective(headers: Headers, directive: string): boolean {
  return parsePolicies(headers.get('content-security-policy')).some((policy) => policy.has(directive))
}
