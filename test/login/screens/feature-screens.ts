import { tokenScreens } from '../../features/token/screens.ts'
import type { FeatureScreens } from './screen.ts'

/** A fork that deletes a feature deletes its line. */
export const FEATURE_SCREENS: readonly FeatureScreens[] = [tokenScreens]
