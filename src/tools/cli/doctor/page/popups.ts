import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import type { FeatureChecks } from '../feature-check.ts'
import { type Finding, failure, unknown, warning } from '../finding.ts'
import { shown } from './finding-of-obstacle.ts'
import type { FramedDocument } from './framed-document.ts'
import { missingFlags } from './obstacles.ts'

/** A sandbox can keep the sign-in screen from opening a window, and the screen does not notice it. */
export function* checkPopups(
  { featureChecks }: Pick<FeatureChecks, 'featureChecks'>,
  entryPoints: readonly Pick<EntryPoint, 'features'>[],
  path: readonly FramedDocument[],
): Generator<Finding> {
  const forWindow = missingFlags(path, ['allow-popups', 'allow-popups-to-escape-sandbox'])
  const page = shown(path[0]?.url)
  const windows = featureChecks
    .flatMap((feature) => feature.window ?? [])
    .filter((window) => entryPoints.some(window.isOpenedBy))
  if (forWindow.length > 0 && windows.length > 0) {
    const names = windows.map(({ name }) => name).join(' and ')
    const text = `${page}: the frame of the player has sandbox without ${forWindow.join(', ')}, so the window of ${names} does not open, or does not work. Add these.`
    // Without the second flag, it depends on the headers of the provider.
    yield forWindow.includes('allow-popups') &&
    entryPoints.every((entryPoint) => windows.some((window) => window.isOpenedBy(entryPoint)))
      ? failure('page-sandbox-window', text)
      : unknown('page-sandbox-window', text)
  } else if (forWindow.includes('allow-popups')) {
    yield warning(
      'page-sandbox-links',
      `${page}: the frame of the player has sandbox without allow-popups. Links of the sign-in screen, such as "Forgot password?", then do nothing. Add allow-popups.`,
    )
  }
}
