/** The fault of a refused row. */
export interface RowFault {
  /** Names the fault for a page in another language, such as `wrongCells`. */
  readonly code: string
  readonly values: Readonly<Record<string, string | number>>
  /** The end of an English sentence that begins with the line. */
  readonly text: string
}

export function rowFault(code: string, text: string, values: RowFault['values'] = {}): RowFault {
  return { code, text, values }
}
