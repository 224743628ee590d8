import type { FeatureCheck } from '../feature-check.ts'
import { checkMail } from './mail.ts'

export const mailCheck: FeatureCheck = {
  async *check(config) {
    yield* checkMail(config)
    return []
  },
}
