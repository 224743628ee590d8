import type { IncomingMessage } from 'node:http'
import { readConfig } from '../../../../../src/config.ts'
import { nameOnlyInSubject } from './certificates.ts'
import { judgeFaults } from './fault-tests.ts'
import type { BadProxy } from './installation.ts'

type Headers = IncomingMessage['headers']

const isScreen = ({ url }: IncomingMessage) => /^\/(\?|$)/.test(url ?? '')
const adding = (added: Headers): BadProxy => ({
  answers: (headers, req) => (isScreen(req) ? { ...headers, ...added } : headers),
})
const forbidding = (isBad: (req: IncomingMessage) => boolean): BadProxy => ({
  instead: (req, res) => isBad(req) && Boolean(res.writeHead(403).end('<h1>Forbidden</h1>')),
})
const policyAnd = (more: string): BadProxy => ({
  answers: (headers) => ({
    ...headers,
    'content-security-policy': `${String(headers['content-security-policy'] ?? '')}, ${more}`,
  }),
})

judgeFaults('what proxies, filters and certificates do that the doctor was not made for', [
  {
    name: 'a filter forbids frames of other sites (Sec-Fetch-Site)',
    proxy: forbidding(({ headers }) => headers['sec-fetch-site'] === 'cross-site'),
    findings: ['failure proxy-guards'],
  },
  {
    name: 'a filter forbids frames (Sec-Fetch-Dest)',
    proxy: forbidding(({ headers }) => headers['sec-fetch-dest'] === 'iframe'),
    findings: ['failure proxy-guards'],
  },
  {
    name: 'a filter forbids requests from pages of others (Referer), which this player does not send',
    proxy: forbidding(
      ({ headers }) => headers.referer !== undefined && !headers.referer.startsWith('http://localhost'),
    ),
    findings: [],
    isHarmless: true,
  },
  {
    name: 'a filter forbids programs that are not browsers',
    proxy: forbidding((req) => !/Mozilla/.test(req.headers['user-agent'] ?? '')),
    findings: [],
    isHarmless: true,
  },
  {
    name: 'a filter forbids requests without a language',
    proxy: forbidding((req) => !/^[a-z]/.test(req.headers['accept-language'] ?? '')),
    findings: [],
    isHarmless: true,
  },
  {
    name: 'a firewall forbids addresses in queries, which a chat needs',
    settings: ({ PLAYER_RETURN_URL = '' }) => ({ HASH_CONSUMERS: `${new URL(PLAYER_RETURN_URL).origin}/chat/` }),
    page: { html: (player) => `<iframe src="${player.replace('/embed/', '/combined/')}"></iframe>` },
    proxy: forbidding(({ url }) => /=http/.test(url ?? '')),
    findings: ['failure proxy-guards'],
  },
  {
    name: 'a proxy limits all requests',
    proxy: { instead: (_req, res) => Boolean(res.writeHead(429).end('Too many requests')) },
    findings: ['failure proxy-guards'],
  },
  {
    name: 'a proxy adds Refresh to the screen',
    proxy: adding({ refresh: '0; url=https://maintenance.invalid/' }),
    findings: ['failure screen-leads-away'],
  },
  {
    name: 'a proxy adds a refresh to the HTML of the screen',
    proxy: { text: (html) => html.replace('<head>', '<head><meta http-equiv="refresh" content="0;url=/maintenance">') },
    findings: ['failure screen-leads-away'],
  },
  {
    name: 'a proxy adds a policy to the HTML of the screen',
    proxy: {
      text: (html) =>
        html.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="form-action 'self'">`),
    },
    findings: ['failure form-action'],
  },
  {
    name: 'a proxy adds a second policy with form-action',
    proxy: policyAnd("form-action 'self'"),
    findings: ['failure form-action'],
  },
  {
    name: 'a proxy puts the screen into a sandbox',
    proxy: policyAnd('sandbox allow-scripts allow-forms'),
    findings: ['failure page-sandbox'],
  },
  {
    name: 'a proxy adds a base to the HTML of the screen',
    proxy: { text: (html) => html.replace('<head>', '<head><base href="https://backend.invalid/">') },
    findings: [],
    isHarmless: true,
  },
  {
    name: 'a proxy sends the screen as UTF-16',
    proxy: adding({ 'content-type': 'text/html; charset=utf-16' }),
    findings: ['failure screen-charset'],
  },
  {
    name: 'a proxy sends the screen as XHTML',
    proxy: adding({ 'content-type': 'application/xhtml+xml' }),
    findings: ['failure screen-not-html'],
  },
  {
    name: 'a proxy says gzip of a text that is not',
    proxy: { text: (html) => html, answers: (headers) => ({ ...headers, 'content-encoding': 'gzip' }) },
    findings: ['failure no-answer'],
  },
  {
    name: 'a proxy turns 303 into 302',
    proxy: { status: (status) => (status === 303 ? 302 : status) },
    findings: [],
    isHarmless: true,
  },
  {
    name: 'a proxy turns 303 into 307, and browsers post the password to the player',
    proxy: { status: (status) => (status === 303 ? 307 : status) },
    findings: ['failure post-redirected'],
  },
  {
    name: 'a proxy cuts long addresses in Location',
    proxy: { answers: ({ location, ...rest }) => ({ ...rest, ...(location && { location: location.slice(0, 100) }) }) },
    findings: ['failure wrong-response'],
  },
  {
    name: 'a proxy sends no-referrer',
    proxy: adding({ 'referrer-policy': 'no-referrer' }),
    findings: ['warning referrer-policy'],
    isHarmless: true,
  },
  {
    name: 'a proxy passes no POST',
    proxy: { instead: (req, res) => req.method === 'POST' && Boolean(res.writeHead(405).end()) },
    findings: ['failure not-the-app'],
  },
  {
    name: 'a proxy answers each POST with a page for maintenance and status 200',
    proxy: { instead: (req, res) => req.method === 'POST' && Boolean(res.writeHead(200).end('<h1>Soon</h1>')) },
    findings: ['failure not-the-app'],
  },
  {
    name: 'a bot check answers everyone without its cookie',
    proxy: {
      instead: (req, res) =>
        !/checked=1/.test(req.headers.cookie ?? '') &&
        Boolean(
          res
            .setHeader('content-type', 'text/html')
            .end('<script>document.cookie="checked=1";location.reload()</script>'),
        ),
    },
    findings: ['failure another-program'],
  },
  {
    name: 'the certificate has its name in the subject only',
    tls: nameOnlyInSubject,
    findings: ['failure certificate-name'],
  },
  {
    name: 'the server speaks TLS 1.1 at most',
    tls: async () => ({
      ...(await nameOnlyInSubject()),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT:@SECLEVEL=0',
    }),
    findings: ['failure no-tls'],
  },
  {
    name: 'one of two copies lacks the origin of the page',
    copy: (settings) => ({
      entryPoints: readConfig({ ...settings, PLAYER_ORIGINS: settings.PLAYER_ORIGINS?.split(',')[0] ?? '' })
        .entryPoints,
    }),
    findings: ['failure copies-differ'],
  },
  {
    name: 'one of three copies lacks the origin of the page, and the balancer stays with one for a time',
    copy: (settings) => ({
      entryPoints: readConfig({ ...settings, PLAYER_ORIGINS: settings.PLAYER_ORIGINS?.split(',')[0] ?? '' })
        .entryPoints,
    }),
    turns: [0, 0, 0, 1],
    findings: ['failure copies-differ'],
  },
  {
    name: 'only the app asks for a group',
    appSettings: () => ({ ALLOWED_GROUPS: 'gold' }),
    findings: ['failure policy-refuses'],
  },
  {
    name: 'only the app sends another parameter',
    appSettings: () => ({ HASH_PARAMETERS: 'id=username' }),
    findings: [],
    isHarmless: true,
  },
  {
    name: 'only the app sends no expiry',
    appSettings: () => ({ HASH_LIFETIME_SECONDS: '0' }),
    findings: [],
    isHarmless: true,
  },
])
