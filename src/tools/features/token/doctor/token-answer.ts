import type { Config } from '../../../../config.ts'
import { isTokenEntryPoint, type TokenEntryPoint } from '../../../../features/token/fields.ts'
import { faultInSubject } from '../../../../features/token/viewer-token/viewer-token.ts'
import type { AnswerCheck, SeenPlayer } from '../../../cli/doctor/answer-check.ts'
import { type Finding, failure, ok, PROXY_OR_SETTINGS, unknown } from '../../../cli/doctor/finding.ts'
import { notAllowed } from '../../../cli/doctor/page/policy.ts'
import { request } from '../../../cli/doctor/request.ts'
import { addressOf } from '../../../cli/settings/chosen-entry-point.ts'
import { checkContent } from './check-content.ts'
import { checkTokenPage } from './check-page.ts'
import { checkPlayer } from './check-player.ts'
import { checkTokenKeys } from './keys.ts'
import { checkTokenRedirect, refOf } from './redirect.ts'
import { seenPlayer } from './seen-player.ts'

/** The checks of the answer report the keys of the service. */
export const tokenCheck = { away: ['SERVICE_VIEWER_KEY_URL'] } as const

/** Viewer tokens. */
export const tokenAnswer: AnswerCheck = {
  at(entryPoint) {
    if (!isTokenEntryPoint(entryPoint)) return null
    const known = (player: SeenPlayer) => seenPlayer(entryPoint, player.fields.ref ?? '')
    return {
      name: 'token',
      setting: 'TOKEN_SUBJECT',
      faultIn: faultInSubject,
      playerOrigin: entryPoint.refAddresses[0]?.origin ?? '',
      fields: (player) => ({ ref: refOf(entryPoint, player && known(player)) }),
      async *check(config, signal) {
        yield* checkTokenKeys(config, entryPoint, signal)
        yield* checkRefs(config, entryPoint, signal)
      },
      checkRedirect: (address, location, player, signal) =>
        checkTokenRedirect(address, location, entryPoint, player && known(player), signal),
      checkPlayer: (config, player, signal) => checkPlayer(config, known(player), signal),
      unseenPlayer: unknown(
        'player-address-unseen',
        'No player was seen that asks this entry point for tokens. If its address is not in REF_ADDRESSES, or the service has another public key, no viewer gets through. Name a channel with --channel and a page with --page, or watch the video once.',
      ),
    }
  },
  consequences: {
    'no-sign-in-screen': ['ref-refused'],
    refused: ['ref-refused'],
    // Without a key of the service, the app answers 503 to every sign-in.
    'store-away': ['service-keys', 'app-without-service-keys'],
    'viewer-auth-key': ['service-keys-differ'],
    // Without a key of the service, the doctor builds no token for the player.
    'viewer-auth-unproven': ['service-keys'],
    'token-refused': ['service-keys-differ', 'viewer-auth-key', 'token-clock-ahead', 'token-clock-behind'],
    'player-asks-nothing': [
      'viewer-auth-elsewhere',
      'lock-leads-elsewhere',
      'channel-unknown',
      'no-own-lock',
      'player-asks-nothing',
    ],
    'player-address-unseen': ['viewer-auth-unseen', 'viewer-auth-elsewhere', 'player-asks-nothing'],
  },
  checkContent,
  checkPage: checkTokenPage,
}

/** Checks that the app sends viewers to every address of REF_ADDRESSES. */
async function* checkRefs(config: Config, entryPoint: TokenEntryPoint, signal: AbortSignal): AsyncGenerator<Finding> {
  const address = addressOf(config, entryPoint)
  for (const { origin, path } of entryPoint.refAddresses) {
    const ref = origin + path
    const screen = await request(`${address}?${new URLSearchParams({ ref })}`, signal)
    if (!(screen instanceof Response)) yield screen
    else if (screen.status !== 200) {
      yield failure(
        'ref-refused',
        `${address} refuses ${ref} of REF_ADDRESSES (${screen.status}). ${PROXY_OR_SETTINGS}`,
      )
    } else if (notAllowed(screen.headers, 'form-action', [origin]).length > 0) {
      yield failure(
        'ref-form-action',
        `${address}: form-action lacks ${origin}, so browsers block the way to the player. ${PROXY_OR_SETTINGS}`,
      )
    } else yield ok('ref-allowed', `${address} sends viewers to ${ref}.`)
  }
}
