import type { FeatureCheck } from '../../../cli/doctor/feature-check.ts'

export const tokenCheck: FeatureCheck = { away: ['SERVICE_VIEWER_KEY_URL'] }
