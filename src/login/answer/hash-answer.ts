import type { HashEntryPoint } from '../../entry-points/entry-point.ts'
import { buildAuthenticationResponse, faultInValue } from '../../hash-lock/authentication-response.ts'
import { appendAnswer, decideReturnAddress, type ReturnAddress } from '../../hash-lock/return-address.ts'
import type { AccessGranted } from './access-decision.ts'
import type { PlayerAnswer } from './answer.ts'

const ADDRESS_FIELD = 'hashConsumer'
/** Browsers give up after 20 redirects, and a refused response takes two. */
const ANSWERS_OF_LOOP = 3
const CAUSES_OF_LOOP =
  'the player keeps coming back, so it refuses our response; check the secret set on the service, the parameters and their order, and the clocks (README.md#when-viewers-do-not-get-through)'

/** The secrets of an entry point. `previous` builds a response only after the service refused one with `current`. */
export interface HashSecrets {
  readonly current: string
  readonly previous: string | null
}

/** Returns the secrets that were read at the start. */
export function startSecretsOf({ secret, previousSecret }: HashEntryPoint): HashSecrets {
  return { current: secret, previous: previousSecret === secret ? null : previousSecret }
}

/** Creates the answer of an entry point with a hash. @param secretsNow returns the secrets as they are now. */
export function createHashAnswer(
  entryPoint: HashEntryPoint,
  nowSeconds: () => number,
  secretsNow: () => HashSecrets = () => startSecretsOf(entryPoint),
): PlayerAnswer {
  const { playerAddress, consumers } = entryPoint
  return {
    addressField: ADDRESS_FIELD,
    readAddress(given) {
      const decision = decideReturnAddress(given, playerAddress, consumers)
      if (decision.ok) return decision
      const problem = { text: 'badConsumer', title: 'badRequest' } as const
      return { ok: false, problem, reason: `${ADDRESS_FIELD} ${decision.reason}` }
    },
    assertCapacity() {},
    faultIn: faultInValue,
    build(granted, address, timesRefused) {
      const secrets = secretsNow()
      const secret = secretFor(secrets, timesRefused)
      const location = passToPlayer(granted, entryPoint, secret, address, nowSeconds())
      return Promise.resolve({ location, key: secrets.previous === null ? null : secret })
    },
    // With `hash=false` (specification: "On failed authentication").
    cancel: (address) => appendAnswer(address, 'hash', 'false'),
    answersOfLoop: ANSWERS_OF_LOOP,
    causesOfLoop: CAUSES_OF_LOOP,
    onLoop() {},
  }
}

/**
 * Builds the response for an authenticated viewer. No other function does.
 * @param granted from askAccess(), in this request.
 * @param secret signs the response; of the entry point, as it is now.
 * @param address from decideReturnAddress().
 * @returns the address to redirect to. It is a credential until it expires: never log it.
 * @throws RangeError when the format cannot carry the parameters.
 */
export function passToPlayer(
  { parameters, endsAtSeconds }: AccessGranted,
  { lifetimeSeconds }: Pick<HashEntryPoint, 'lifetimeSeconds'>,
  secret: string,
  address: ReturnAddress,
  nowSeconds: number,
): string {
  const ends = [lifetimeSeconds === 0 ? [] : nowSeconds + lifetimeSeconds, endsAtSeconds ?? []].flat()
  const expiresAtSeconds = ends.length === 0 ? null : Math.floor(Math.min(...ends))
  return appendAnswer(address, 'hash', buildAuthenticationResponse(parameters, expiresAtSeconds, secret))
}

/**
 * Returns the secret for a response. The service refused the response of a viewer who comes straight back: during a
 * change of the secret, the lock may have the other secret.
 */
function secretFor({ current, previous }: HashSecrets, timesRefused: (secret: string) => number): string {
  return previous !== null && timesRefused(current) > timesRefused(previous) ? previous : current
}
