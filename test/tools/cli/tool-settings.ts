import type { z } from 'zod'
import { DrillEnvironment } from '../../../src/tools/cli/drill/drill-address.ts'
import { MANAGER_SECRETS, ManagerEnvironment } from '../../../src/tools/cli/settings/manager/settings.ts'
import { SERVICE_SECRETS, ServiceEnvironment } from '../../../src/tools/video-service/service-settings.ts'

interface ToolSettings {
  readonly shape: Readonly<Record<string, z.ZodType>>
  /** The settings that may also be given as `NAME_FILE`. */
  readonly secrets: readonly string[]
}

const TOOLS: readonly ToolSettings[] = [
  { shape: ServiceEnvironment.in.shape, secrets: SERVICE_SECRETS },
  { shape: DrillEnvironment.shape, secrets: [] },
  // Without its settings, there is no page for managers.
  { shape: ManagerEnvironment.partial().shape, secrets: MANAGER_SECRETS },
]

/** The settings of the command line, which the login app does not need: schemas by name. */
export const TOOL_SETTINGS: Readonly<Record<string, z.ZodType>> = Object.assign({}, ...TOOLS.map(({ shape }) => shape))
export const TOOL_SECRETS: readonly string[] = TOOLS.flatMap(({ secrets }) => secrets)
