import { FILE_FORM } from '../local-stores.ts'
import { openPlacesBeside } from '../places/beside-counts.ts'
import type { KeepsPlaces } from '../places/place-store.ts'
import type { StoreKind } from '../store-kind.ts'

interface CountsFile {
  readonly kind: 'counts-file'
  readonly file: string
}

/** Failed sign-ins in a file of one machine. By default beside the file of sessions. */
export const countsFile: StoreKind<CountsFile> & KeepsPlaces<CountsFile> = {
  kind: 'counts-file',
  urlForm: 'sqlite:FILE',
  isUrl: (url) => FILE_FORM.test(url),
  at: (url) => ({ kind: 'counts-file', file: FILE_FORM.exec(url)?.[1] ?? '' }),
  mistakes: ({ SESSION_STORE_URL, LIMITS_STORE_URL }) =>
    LIMITS_STORE_URL === SESSION_STORE_URL && FILE_FORM.test(LIMITS_STORE_URL)
      ? [{ setting: 'LIMITS_STORE_URL', message: 'names the file of SESSION_STORE_URL: set another one' }]
      : [],
  countsBeside: (url) => (FILE_FORM.test(url) ? url.replace(/^sqlite:(.*\/)?.*/, 'sqlite:$1limits.db') : null),
  async counts({ file }) {
    const { countsInFile } = await import('./counts-file.ts')
    return countsInFile(file)
  },
  places: openPlacesBeside,
}
