import type { FeatureCheck } from '../../../cli/doctor/feature-check.ts'

/** A mail that the server accepts is as far as the doctor can see. */
export const mailWay: FeatureCheck = {
  wayIn: {
    name: 'with a code by mail',
    option: 'mailTo',
    flags: '--mail-to ADDRESS',
    isAt: ({ features }) => features['mail-sign-in'] != null,
  },
}
