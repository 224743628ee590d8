import type { ServiceFeature } from './service-feature.ts'
import { viewerTokens } from './token/viewer-tokens.ts'

/** The features of the login app that the service knows. */
export const SERVICE_FEATURES: readonly ServiceFeature[] = [viewerTokens]
