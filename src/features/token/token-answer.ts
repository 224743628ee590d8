import { alreadyHas } from '../../hash-lock/return-address.ts'
import type { AddressProblem, PlayerAnswer } from '../../login/answer/answer.ts'
import type { TokenSettings } from './fields.ts'
import type { TokenIssuer } from './issuer/token-issuers.ts'
import { appendToken, decideRef, TOKEN_PARAMETER } from './ref-address.ts'
import { faultInSubject } from './viewer-token/viewer-token.ts'

const ADDRESS_FIELD = 'ref'
/**
 * Each reload of the player needs a new token, and a viewer may reload several times in a row. Browsers give up after 20
 * redirects, and a refused token takes two: with two copies of the app, the loop ends before that.
 */
const ANSWERS_OF_LOOP = 4
const CAUSES_OF_LOOP =
  'the player keeps coming back, so it refuses our token; check the public key set on the service, SERVICE_VIEWER_KEY_URL, and the clocks (src/features/token/viewer-token/README.md#when-the-player-refuses-a-token)'
const MISSING: AddressProblem = { text: 'token.missingRef', title: 'badRequest' }
/** The address already has a token, so the player did not accept the token. */
const REFUSED: AddressProblem = { text: 'token.refusedToken', title: 'loop' }
const NOT_ALLOWED: AddressProblem = { text: 'badConsumer', title: 'badRequest' }

/** Creates the answer of an entry point with tokens. */
export function createTokenAnswer(
  { refAddresses }: Pick<TokenSettings, 'refAddresses'>,
  issuer: TokenIssuer,
): PlayerAnswer {
  return {
    addressField: ADDRESS_FIELD,
    readAddress(given) {
      const decision = decideRef(given, refAddresses)
      if (decision.ok) return decision
      const problem =
        given === undefined ? MISSING : decision.reason === alreadyHas(TOKEN_PARAMETER) ? REFUSED : NOT_ALLOWED
      return { ok: false, problem, reason: `${ADDRESS_FIELD} ${decision.reason}` }
    },
    assertCapacity: () => issuer.assertCapacity(),
    faultIn: faultInSubject,
    async build({ parameters, endsAtSeconds }, address) {
      const [, subject] = parameters.find(([name]) => name === 'sub') ?? []
      if (subject === undefined) throw new RangeError('The access policy gave no parameter sub')
      return { location: appendToken(address, await issuer.issue(subject, endsAtSeconds)), key: null }
    },
    // The player would send the viewer back at once.
    cancel: () => null,
    answersOfLoop: ANSWERS_OF_LOOP,
    causesOfLoop: CAUSES_OF_LOOP,
    onLoop: () => issuer.refetchKeys(),
  }
}
