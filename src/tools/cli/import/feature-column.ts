/** A column that a feature turns into attributes. */
export interface FeatureColumn {
  /** Its name, and that of the field. */
  readonly field: string
  /** For the help. */
  readonly about: string
  /** Returns the attributes of a row with the value of the column, or a fault. A null attribute is removed. */
  read(
    text: string | undefined,
    attributes: Readonly<Record<string, string | null>>,
  ): Readonly<Record<string, string | null>> | string
}
