import type { FeatureCheck, FeatureForms } from '../../../cli/doctor/feature-check.ts'

const isAt: FeatureForms['isAt'] = ({ features }) => features['mail-sign-in'] != null

/** A mail that the server accepts is as far as the doctor can see. */
export const mailWay: FeatureCheck = {
  wayIn: { name: 'with a code by mail', option: 'mailTo', flags: '--mail-to ADDRESS', isAt },
  forms: {
    isAt,
    first: { at: '?prompt=mail', path: '/mail-code', fields: ['mail'], typed: ['mail', 'mailTo'] },
    paths: ['/mail-code/check'],
  },
}
