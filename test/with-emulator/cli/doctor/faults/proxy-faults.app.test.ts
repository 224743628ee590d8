import type { IncomingMessage } from 'node:http'
import { testFaults } from './fault-tests.ts'

type Headers = IncomingMessage['headers']

/** Returns a proxy that changes these headers of each answer. Undefined removes a header. */
const answering = (changed: (headers: Headers) => Headers) => ({
  answers: (headers: Headers) => withoutUndefined({ ...headers, ...changed(headers) }),
})

function withoutUndefined(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
}

const policyOf = (headers: Headers) => String(headers['content-security-policy'] ?? '')

testFaults('proxies that change the requests and answers of the app', [
  {
    name: 'a proxy answers 502, because it does not reach the app',
    proxy: { instead: (_req, res) => Boolean(res.writeHead(502).end('Bad gateway')) },
    findings: ['failure proxy-without-app'],
  },
  {
    name: 'a proxy redirects all requests to another name',
    proxy: { instead: (_req, res) => Boolean(res.writeHead(301, { location: 'https://www.example.com/' }).end()) },
    findings: ['failure redirected'],
  },
  {
    name: 'a proxy asks for a login of its own',
    proxy: { instead: (_req, res) => Boolean(res.writeHead(401).end('Authorization required')) },
    findings: ['failure proxy-guards'],
  },
  {
    name: 'a filter forbids all requests',
    proxy: { instead: (_req, res) => Boolean(res.writeHead(403).end('<h1>Forbidden</h1>')) },
    findings: ['failure proxy-guards'],
  },
  {
    name: 'a proxy asks for a login of its own at the screen only',
    proxy: {
      instead: (req, res) =>
        /^\/(\?|$)/.test(req.url ?? '') && Boolean(res.writeHead(401).end('Authorization required')),
    },
    findings: ['failure proxy-guards', 'warning return-refused'],
  },
  {
    name: 'a proxy asks for a login of its own at the sign-in',
    proxy: { instead: (req, res) => req.method === 'POST' && Boolean(res.writeHead(401).end()) },
    findings: ['failure proxy-guards'],
  },
  {
    name: 'a proxy does not pass the style sheet',
    proxy: { instead: (req, res) => /\.css/.test(req.url ?? '') && Boolean(res.writeHead(404).end()) },
    findings: ['warning asset-missing'],
    isHarmless: true,
  },
  {
    name: 'a proxy sends the style sheet as text',
    proxy: {
      answers: (headers, { url }) => (/\.css/.test(url ?? '') ? { ...headers, 'content-type': 'text/plain' } : headers),
    },
    findings: ['warning asset-missing'],
    isHarmless: true,
  },
  {
    name: 'a proxy redirects posts, which loses the form',
    proxy: {
      instead: (req, res) => req.method === 'POST' && Boolean(res.writeHead(301, { location: req.url ?? '/' }).end()),
    },
    findings: ['failure post-redirected'],
  },
  {
    name: 'a firewall answers the sign-in in place of the app',
    proxy: { instead: (req, res) => req.method === 'POST' && Boolean(res.writeHead(403).end('<h1>Forbidden</h1>')) },
    findings: ['failure not-the-app'],
  },
  {
    name: 'a proxy passes only the start page',
    proxy: { instead: (req, res) => !/^\/(\?|$)/.test(req.url ?? '') && Boolean(res.writeHead(404).end()) },
    findings: ['unknown readiness-hidden', 'warning asset-missing', 'failure not-the-app'],
  },
  {
    name: 'a proxy removes the policy',
    notForBrowsers: 'strangers may frame the screen',
    proxy: answering(() => ({ 'content-security-policy': undefined })),
    findings: ['failure policy-removed'],
  },
  {
    name: 'a proxy adds its own frame-ancestors',
    proxy: answering((headers) => ({ 'content-security-policy': `${policyOf(headers)}, frame-ancestors 'self'` })),
    findings: ['failure frame-ancestors', 'failure frame-ancestors'],
  },
  {
    name: 'a proxy adds X-Frame-Options',
    notForBrowsers: 'only old browsers and apps look at it',
    proxy: answering(() => ({ 'x-frame-options': 'DENY' })),
    findings: ['failure x-frame-options'],
  },
  {
    name: 'a proxy changes form-action',
    proxy: answering((headers) => ({
      'content-security-policy': policyOf(headers).replace(/form-action [^;]*/, "form-action 'self'"),
    })),
    findings: ['failure form-action'],
  },
  {
    name: 'a proxy lets caches keep the screens',
    notForBrowsers: 'a second viewer would see the screen of the first',
    proxy: answering(() => ({ 'cache-control': 'public, max-age=60' })),
    findings: ['failure cache-control'],
  },
  {
    name: 'a proxy changes the cookie',
    proxy: answering(({ 'set-cookie': cookies }) => ({
      'set-cookie': cookies?.map((cookie) => cookie.replace('SameSite=None', 'SameSite=Lax')),
    })),
    findings: ['warning cookie-changed'],
    isHarmless: true,
  },
  {
    name: 'a proxy does not pass cookies to the app',
    proxy: { asks: ({ cookie: _cookie, ...headers }) => headers },
    findings: ['warning return-refused'],
    isHarmless: true,
  },
  {
    name: 'a proxy changes the header Origin',
    notForBrowsers: 'browsers without Sec-Fetch-Site are refused',
    proxy: { asks: (headers) => ({ ...headers, ...(headers.origin && { origin: 'http://backend:3000' }) }) },
    findings: ['failure foreign-origin'],
  },
  {
    name: 'a proxy removes the query',
    notForBrowsers: 'the page has no chat',
    proxy: { path: (path) => path.replace(/\?.*/, '') },
    findings: ['failure query-removed'],
  },
  { name: 'a proxy removes the form', proxy: { dropsBody: true }, findings: ['failure form-changed'] },
  {
    name: 'a proxy changes the redirect to the player',
    proxy: answering(({ location }) => ({ location: location?.replace(/^http:\/\/[^/]*/, 'https://login.internal') })),
    findings: ['failure wrong-redirect'],
  },
  {
    name: 'a proxy changes the header Host, which the app does not use',
    proxy: { asks: (headers) => ({ ...headers, host: 'backend:3000' }) },
    findings: [],
    isHarmless: true,
  },
])
