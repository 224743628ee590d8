import { isHashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { registrationOf } from '../../../../features/registration/settings/settings.ts'
import type { FeatureCheck, FeatureForms } from '../../../cli/doctor/feature-check.ts'
import { type Finding, failure, findingOf, ok, warning } from '../../../cli/doctor/finding.ts'
import { reasonOn, request } from '../../../cli/doctor/request.ts'

const isAt: FeatureForms['isAt'] = (entryPoint) => registrationOf(entryPoint) !== undefined

/** Opens the form of each registration, as a guest does. It sends no mail. */
export const registrationCheck: FeatureCheck = {
  async *check(config, isAppThere, signal) {
    if (!isAppThere) return []
    // A form for tokens needs the address of a player.
    const all = config.entryPoints.filter((one) => registrationOf(one) !== undefined && isHashEntryPoint(one))
    for (const entryPoint of all) {
      const answer = await request(`${config.publicUrl.origin}${entryPoint.basePath}/register`, signal)
      const html = answer instanceof Response && answer.status === 200 ? await answer.text() : ''
      yield findingOf(config, entryPoint, findingOfForm(html))
    }
    return []
  },
  wayIn: { name: 'as a registered guest', option: 'mailTo', flags: '--mail-to ADDRESS', isAt },
  forms: {
    isAt,
    first: { at: '/register', path: '/register', fields: ['address'], typed: ['address', 'mailTo'] },
    paths: ['/register/code'],
  },
}

/** @param html the form for the address; empty if it did not come. */
export function findingOfForm(html: string): Finding {
  const reason = reasonOn(html)
  if (html === '') {
    return failure(
      'no-registration-form',
      'The form of the registration does not come. Check that the proxy passes GET /register, and that the guests store answers.',
    )
  }
  if (reason === 'registration-over') {
    return failure('registration-over', 'The registrations ended at deletesAt, so no guest gets in. Change deletesAt.')
  }
  if (reason === 'registration-closed') {
    return warning('registration-closed', 'Registration is closed. Change closesAt if guests still register.')
  }
  if (reason === 'registration-full') {
    return warning('registration-full', 'No place is free, and there is no waiting list. Raise most, or cancel others.')
  }
  return ok(
    'registration',
    reason === 'registration-waiting-list' ? 'Guests register for the waiting list.' : 'Guests can register.',
  )
}
