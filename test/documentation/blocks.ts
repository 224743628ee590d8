import { composeSettings } from '../container/compose-settings.ts'
import type { Block } from './block.ts'
import { commandTable } from './command-table.ts'
import { partTable } from './part-table.ts'

// biome-ignore format: one item a line
export const BLOCKS: readonly Block[] = [
  commandTable,
  composeSettings,
  partTable,
]
