import { CLOCK_TOLERANCE_SECONDS } from '../../../../features/sso/provider/authorization-request.ts'
import { type Finding, failure, ok, unknown } from '../../../cli/doctor/finding.ts'
import type { ProviderAnswer } from './discovery.ts'

/** The shortest life of an ID token that is usual. */
const SURELY_TOO_MUCH_SECONDS = 300

/** Compares the clock of this machine with the provider, whose tokens are valid from one second to another. */
export function compareWithProvider({ headers, atMs }: ProviderAnswer): Finding {
  // A cache keeps the Date, and counts the Age.
  const ageMs = (Number(headers.get('age')) || 0) * 1000
  // The header has no fraction of a second.
  const ahead = Math.round((Date.parse(headers.get('date') ?? '') + ageMs + 500 - atMs) / 1000)
  if (Number.isNaN(ahead)) {
    return unknown('sso-clock-unknown', 'The provider sends no Date, so its clock could not be compared.')
  }
  const seconds = Math.abs(ahead)
  if (seconds <= CLOCK_TOLERANCE_SECONDS) return ok('sso-clock', 'The clocks of the provider and this machine agree.')
  const fact = `The clock of the provider is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} this machine.`
  return seconds > SURELY_TOO_MUCH_SECONDS
    ? failure('sso-clock', `${fact} The app refuses its tokens. Synchronise the clocks.`)
    : unknown(
        'sso-clock',
        `${fact} The app accepts ${CLOCK_TOLERANCE_SECONDS} s. More can make the app refuse tokens, or the provider refuse the key of the app. Synchronise the clocks.`,
      )
}
