import { setViewerAuth } from '../../../../../src/tools/video-service/token/viewer-auth.ts'
import { PUBLIC_KEY } from '../../../../tools/emulator/token/token-service.ts'
import { addFault, apiOf } from '../../../video-service/client.ts'
import { judgeFaults } from './fault-tests.ts'
import type { Fault } from './installation.ts'

const page = (html: (player: string) => string): Pick<Fault, 'page'> => ({ page: { html } })
const framed = (attributes: string) => page((player) => `<iframe ${attributes} src="${player}"></iframe>`)

judgeFaults('what pages, players and the service do that the doctor was not made for', [
  {
    name: 'the page leads on to another page',
    ...page((player) => `<meta http-equiv="refresh" content="0;url=about:blank"><iframe src="${player}"></iframe>`),
    findings: ['unknown page-leads-away'],
  },
  {
    name: 'the page is an attachment',
    page: { headers: { 'content-disposition': 'attachment' } },
    findings: ['failure page-download'],
  },
  {
    name: 'the page is sent as text',
    page: { headers: { 'content-type': 'text/plain' } },
    findings: ['unknown page-player-not-found'],
  },
  {
    name: 'the page has the policy in its HTML',
    ...page(
      (player) =>
        `<meta http-equiv="Content-Security-Policy" content="frame-src 'self'"><iframe src="${player}"></iframe>`,
    ),
    findings: ['failure page-frame-src'],
  },
  {
    name: 'the page is in a sandbox of its own policy',
    page: { headers: { 'content-security-policy': 'sandbox allow-scripts' } },
    findings: ['failure page-sandbox'],
  },
  {
    name: 'a consent manager holds the frame back',
    ...page((player) => `<iframe data-src="${player}"></iframe>`),
    findings: ['unknown page-player-not-found'],
  },
  {
    name: 'an empty srcdoc replaces the player',
    ...framed('srcdoc=""'),
    findings: ['unknown page-player-not-found'],
  },
  {
    name: 'the frame is only in a template',
    ...page((player) => `<template><iframe src="${player}"></iframe></template>`),
    findings: ['unknown page-player-not-found'],
  },
  {
    name: 'the player is an object',
    ...page((player) => `<object data="${player}"></object>`),
    findings: ['unknown page-player-not-found'],
  },
  {
    name: 'the player is credentialless',
    ...framed('credentialless'),
    findings: [],
    isHarmless: true,
  },
  {
    name: 'the page embeds the player under another name of the machine',
    ...page((player) => `<iframe src="${player.replace('127.0.0.1', 'localhost')}"></iframe>`),
    findings: [],
    isHarmless: true,
  },
  {
    name: 'the return address has another name of the machine',
    settings: ({ PLAYER_RETURN_URL = '', PLAYER_ORIGINS = '' }) => ({
      PLAYER_RETURN_URL: PLAYER_RETURN_URL.replace('127.0.0.1', 'localhost'),
      PLAYER_ORIGINS: `${PLAYER_ORIGINS},${new URL(PLAYER_RETURN_URL.replace('127.0.0.1', 'localhost')).origin}`,
    }),
    findings: ['unknown page-player-not-found'],
  },
  {
    name: 'the page also embeds another channel, whose lock leads elsewhere',
    ...page((player) =>
      [player, player.replace('1002', '1003')].map((src) => `<iframe src="${src}"></iframe>`).join(''),
    ),
    findings: ['unknown page-other-content'],
  },
  {
    name: 'the page embeds a channel that is gone, and names the right one in its query',
    ...page((player) => `<iframe src="${player.replace('1002', '9999')}?next=1002"></iframe>`),
    findings: ['failure page-player-away'],
  },
  {
    name: 'the player answers 503',
    changesService: true,
    afterwards: ({ emulator }) => addFault(emulator, { path: '/embed/1002', status: 503, count: 100 }),
    findings: ['failure page-player-away'],
  },
  {
    name: 'the service refuses to validate responses',
    blindSpot: 'only the player asks the service',
    changesService: true,
    afterwards: ({ emulator }) => addFault(emulator, { path: '/embed/hashlock/validate', status: 503, count: 100 }),
    findings: [],
  },
  {
    name: 'the channel has viewer auth besides the lock',
    changesService: true,
    afterwards: async ({ emulator, env }) => {
      await setViewerAuth(
        apiOf(emulator),
        { kind: 'channel', id: '1002' },
        {
          authUrl: `${env.PUBLIC_URL}/`,
          publicKey: PUBLIC_KEY,
        },
      )
    },
    findings: ['unknown page-player-not-found'],
  },
])
