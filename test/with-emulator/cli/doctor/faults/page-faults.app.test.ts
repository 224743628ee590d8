import { closedAddress } from '../../../../tools/video-service/test-service.ts'
import { trustedCertificate } from './certificates.ts'
import { testFaults } from './fault-tests.ts'

const framed = (attributes: string) => ({ html: (player: string) => `<iframe ${attributes} src="${player}"></iframe>` })

testFaults("the customer's page", [
  {
    name: 'PLAYER_ORIGINS lacks the page',
    settings: ({ PLAYER_ORIGINS = '' }) => ({ PLAYER_ORIGINS: PLAYER_ORIGINS.split(',')[0] ?? '' }),
    findings: ['failure page-origin-missing'],
  },
  {
    name: 'PLAYER_ORIGINS has the page with another port',
    settings: ({ PLAYER_ORIGINS = '' }) => ({ PLAYER_ORIGINS: PLAYER_ORIGINS.replace(/\d$/, '') }),
    findings: ['failure page-origin-missing'],
  },
  {
    name: 'frame-src of the page lacks the player',
    page: { headers: { 'content-security-policy': "frame-src 'self'" } },
    findings: ['failure page-frame-src'],
  },
  {
    name: 'the frame of the player has a sandbox without forms',
    page: framed('sandbox="allow-scripts allow-same-origin allow-popups"'),
    findings: ['failure page-sandbox'],
  },
  {
    name: 'the frame of the player has a sandbox without popups',
    page: framed('sandbox="allow-scripts allow-same-origin allow-forms"'),
    findings: ['warning page-sandbox-links'],
    isHarmless: true,
  },
  {
    name: 'the page with https embeds the player with http',
    settings: ({ PLAYER_ORIGINS = '' }) => ({
      PLAYER_RETURN_URL: 'https://player.invalid/pass',
      PLAYER_ORIGINS: `${PLAYER_ORIGINS},https://player.invalid`,
    }),
    page: { tls: () => trustedCertificate(), html: () => '<iframe src="http://player.invalid/embed/1002"></iframe>' },
    findings: ['unknown address-unreachable', 'failure page-mixed-content'],
  },
  { name: 'the page has no player', page: { html: () => '<p>Soon' }, findings: ['unknown page-player-not-found'] },
  {
    name: 'the page does not answer',
    afterwards: async ({ args }) => args.splice(-1, 1, (await closedAddress()).href),
    findings: ['unknown page-not-checked'],
  },
  { name: 'no page is named', afterwards: ({ args }) => args.splice(-2, 2), findings: ['unknown no-page'] },
])
