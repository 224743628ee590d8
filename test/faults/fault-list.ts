import { copiesFaults } from './copies-faults.ts'
import { fileFaults } from './file-faults.ts'
import { logFaults } from './log-faults.ts'
import { machineFaults } from './machine-faults.ts'
import type { Fault } from './rehearse.ts'
import { storeFaults } from './store-faults.ts'

/** Every fault of the suite, in the order of the table in src/server/README.md. */
export const FAULTS: readonly Fault[] = [...logFaults, ...fileFaults, ...storeFaults, ...copiesFaults, ...machineFaults]
