import { isMailAddress } from '../../../../services/mail/settings.ts'
import type { FeatureCheck } from '../../../cli/doctor/feature-check.ts'
import { checkMail } from './mail.ts'

export const mailCheck: FeatureCheck = {
  option: {
    name: 'mailTo',
    flags: '--mail-to <ADDRESS>',
    about: 'send a real mail to this address',
    fault: (value) => (isMailAddress(value) ? null : 'must be the address of one mailbox'),
  },
  async *check(config, _isAppThere, _signal, mailTo) {
    yield* checkMail(config, mailTo ?? null)
    return []
  },
}
