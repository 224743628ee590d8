import type { ImportedViewer } from '../../../../src/users/import-batch/import-rules.ts'
import { noPasswordHash } from '../../../../src/users/passwords/argon2.ts'

/** The hash of "U*U", with low costs. */
const argon2 = '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$QxB8Tx0ONZDfSHPcb5PABwFzSnQHFblwwKunoe4Dj/A'
const bcrypt = '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
const odd = 'a \'"\\{};,%_$1;--\u{1F600}\u2028line\u202E\uFFFD'

/** Viewers whose texts have quotation marks, separators, line breaks, formulas and names of columns. */
export const ODD_VIEWERS: readonly ImportedViewer[] = [
  {
    username: 'Ada',
    passwordHash: argon2,
    groups: ['staff', 'press; tv'],
    disabled: false,
    attributes: { team: 'R&D' },
  },
  { username: 'émil', passwordHash: bcrypt, groups: [], disabled: true, attributes: {} },
  {
    username: '=1+1',
    passwordHash: argon2,
    groups: ['@SUM(A1)'],
    disabled: false,
    attributes: { '+x': '=1', '-y': '@z' },
  },
  {
    // A name with a direction mark could not sign in.
    username: odd.replace('\u202E', ''),
    passwordHash: argon2,
    groups: [odd.replaceAll(',', '')],
    disabled: false,
    attributes: { 'x"': odd },
  },
  {
    username: 'columns',
    passwordHash: argon2,
    groups: ['b', 'a', 'NULL'],
    disabled: false,
    attributes: {
      groups: 'staff',
      disabled: 'yes',
      password: 'x',
      password_hash: 'y',
      password_salt: 'z',
      attributes: '{}',
      empty: '',
      spaces: ' a ',
    },
  },
  { username: 'invited', passwordHash: noPasswordHash(), groups: [], disabled: false, attributes: {} },
]
