import type { Fault } from './installation.ts'
import { UNFORESEEN_PAGE_FAULTS } from './unforeseen-page-faults.ts'
import { UNFORESEEN_PROXY_FAULTS } from './unforeseen-proxy-faults.ts'

/** Faults that the doctor was not made for. They were written after it, by someone who broke installations. */
export const UNFORESEEN_FAULTS: readonly Fault[] = [...UNFORESEEN_PROXY_FAULTS, ...UNFORESEEN_PAGE_FAULTS]
