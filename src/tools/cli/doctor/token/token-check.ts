import type { FeatureCheck } from '../feature-check.ts'

export const tokenCheck: FeatureCheck = { away: ['SERVICE_VIEWER_KEY_URL'] }
