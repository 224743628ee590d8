import { expect, test } from 'vitest'
import { trustedCertificate } from './certificates.ts'
import { testFaults } from './fault-tests.ts'
import type { Fault } from './installation.ts'

const sameOrigin = ({ PLAYER_RETURN_URL = '' }) => new URL(PLAYER_RETURN_URL).origin
const framed = (attributes: string): NonNullable<Fault['page']> => ({
  html: (player) => `<iframe ${attributes} src="${player}"></iframe>`,
})
const control = (name: string, rest: Partial<Fault>): Fault => ({ name, ...rest, findings: [], isHarmless: true })

const examine = testFaults('installations without a fault, which look unusual', [
  control('control: two copies of the app with the same settings', { copy: {} }),
  control('control: the player with a chat, and its consumer is allowed', {
    settings: (all) => ({ HASH_CONSUMERS: `${sameOrigin(all)}/chat/authorize/` }),
    page: { html: (player) => `<iframe src="${player.replace('/embed/', '/combined/')}"></iframe>` },
  }),
  control('control: a chat beside the player, and its consumer is allowed', {
    settings: (all) => ({ HASH_CONSUMERS: `${sameOrigin(all)}/chat/` }),
    page: {
      html: (player) =>
        [player, player.replace('/embed/', '/chat/')].map((src) => `<iframe src="${src}"></iframe>`).join(''),
    },
  }),
  control('control: https in front of the app', { tls: () => trustedCertificate() }),
  control('control: a proxy that adds a cookie', {
    proxy: {
      answers: (headers) => ({ ...headers, 'set-cookie': ['balancer=1; path=/', ...(headers['set-cookie'] ?? [])] }),
    },
  }),
  control('control: a proxy that adds headers', {
    proxy: { answers: (headers) => ({ ...headers, via: '1.1 proxy', 'x-cache': 'MISS' }) },
  }),
  control('control: a proxy that writes the type in capitals', {
    proxy: {
      answers: (headers) => {
        const { 'content-type': type } = headers
        return type === undefined ? headers : { ...headers, 'content-type': type.replace('text/html', 'Text/HTML') }
      },
    },
  }),
  control('control: a proxy that adds Content-Disposition: inline', {
    proxy: { answers: (headers) => ({ ...headers, 'content-disposition': 'inline' }) },
  }),
  control('control: a proxy that removes the header Server', {
    proxy: { answers: ({ server: _server, ...headers }) => headers },
  }),
  control('control: the viewer is in one of the groups of no list', { settings: () => ({ ALLOWED_GROUPS: '' }) }),
  control('control: returning viewers are asked', { settings: () => ({ RETURNING_VIEWERS: 'ask' }) }),
  control('control: the screen has no script', { settings: () => ({ SCREEN_SCRIPT: 'off' }) }),
  control('control: German is the default', { settings: () => ({ DEFAULT_LANGUAGE: 'de' }) }),
  control('control: a brand and a color', { settings: () => ({ BRAND_NAME: 'Lakeside', BRAND_COLOR: '#0044aa' }) }),
  control('control: links for help and terms', {
    settings: () => ({ HELP_URL: 'https://help.example/', TERMS_URL: 'https://terms.example/' }),
  }),
  control('control: user names are mail addresses', { settings: () => ({ USERNAME_KIND: 'email' }) }),
  control('control: a response lives for ten minutes', { settings: () => ({ HASH_LIFETIME_SECONDS: '600' }) }),
  control('control: a second parameter with the same attribute', {
    settings: () => ({ HASH_PARAMETERS: 'user=username,id=username' }),
  }),
  control('control: more origins than needed', {
    settings: ({ PLAYER_ORIGINS = '' }) => ({ PLAYER_ORIGINS: `${PLAYER_ORIGINS},https://intranet.example` }),
  }),
  control('control: a consumer that answers 404', {
    settings: (all) => ({ HASH_CONSUMERS: `${sameOrigin(all)}/none/` }),
  }),
  control('control: the frame may play and be full', { page: framed('allow="autoplay; fullscreen" allowfullscreen') }),
  control('control: the frame has a sandbox with all that is needed', {
    page: framed('sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"'),
  }),
  control('control: the frame is lazy', { page: framed('loading="lazy"') }),
  control('control: the player has a query', {
    page: { html: (player) => `<iframe src="${player}?autoplay=1"></iframe>` },
  }),
  control('control: the player comes twice', {
    page: { html: (player) => `<iframe src="${player}"></iframe>`.repeat(2) },
  }),
  control('control: the page has other frames', {
    page: { html: (player) => `<iframe src="about:blank"></iframe><iframe src="${player}"></iframe>` },
  }),
  control('control: the page lets every frame in', { page: { headers: { 'content-security-policy': 'frame-src *' } } }),
  control('control: the page may not be framed', { page: { headers: { 'x-frame-options': 'DENY' } } }),
  control('control: the page sends a referrer policy', { page: { headers: { 'referrer-policy': 'no-referrer' } } }),
])

test('without a fault, viewers will get through', async () => {
  const { verdict, findings } = await examine({ name: 'none', findings: [] })
  expect(findings.filter(({ state }) => state !== 'ok')).toEqual([])
  expect(verdict).toMatch(/^Viewers will get through, if the lock .* ago\.$/)
})
