import { loadParts } from './load-parts.ts'
import type { ServiceFeature } from './service-feature.ts'

/** The features of the login app that the service knows. */
export const SERVICE_FEATURES = await loadParts<ServiceFeature>(import.meta.url, 'service')
