import { type Brand, UNBRANDED } from '../../src/brand/brand.ts'
import type { HashEntryPoint } from '../../src/entry-points/entry-point.ts'
import { parseAllowedConsumer, parsePlayerAddress } from '../../src/hash-lock/return-address.ts'
import type { Certificate } from '../servers/certificate.ts'
import { startTls } from '../servers/tls.ts'
import { ENTRY_POINT } from './entry-point.ts'
import { type LoginAppOptions, startLoginApp } from './start-login-app.ts'
import { startSite } from './start-site.ts'

export interface SitesOptions extends LoginAppOptions {
  readonly brand?: Brand
  /** Headers of the player and of the consumer. */
  readonly headers?: Readonly<Record<string, string>>
  /** Changes the entry point, for a feature. */
  readonly change?: (entryPoint: HashEntryPoint) => HashEntryPoint
  /** For https: at the player and at the login app. */
  readonly certificate?: Certificate
}

/**
 * Starts the login app at localhost, a player at 127.0.0.1 that frames the app, and a consumer on another origin.
 * @param address of the frame in the login app, in which `CONSUMER` stands for an allowed address.
 * @param sandbox the attribute of the frame.
 */
export async function startSites(
  address: string,
  sandbox = '',
  { brand = UNBRANDED, headers, certificate, change = (one) => one, ...options }: SitesOptions = {},
) {
  const originAt = async (host: string, port: number) =>
    certificate ? `https://${host}:${await startTls(port, certificate)}` : `http://${host}:${port}`
  let login = ''
  const consumer = await startSite(() => '<!doctype html><title>Consumer</title><p id="arrived">here', headers)
  const consumed = encodeURIComponent(`${consumer}/chat/authorize/7?resource=%2Fchat%2F7`)
  const playerSite = await startSite((opened) => {
    const src = `${login}${address.replace('CONSUMER', consumed)}`
    const frame = opened === '/' ? `<iframe ${sandbox} width="480" height="270" src="${src}"></iframe>` : ''
    return `<!doctype html><title>Player</title><button id="before">Before</button>${frame}<button id="after">After</button>`
  }, headers)
  const player = await originAt('127.0.0.1', Number(new URL(playerSite).port))
  const app = await startLoginApp({
    publicUrl: certificate ? 'https://localhost' : 'http://localhost',
    entryPoints: [
      change({
        ...ENTRY_POINT,
        brand,
        playerAddress: parsePlayerAddress(`${player}/embed/hashlock/pass`),
        playerOrigins: [player],
        consumers: [parseAllowedConsumer(`${consumer}/chat/authorize/`)],
      }),
    ],
    nowSeconds: () => Date.now() / 1000,
    ...options,
  })
  login = await originAt('localhost', app.port)
  return { app, login, player, consumer }
}
